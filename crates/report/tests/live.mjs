// Opens the page of a run that goes on in a headless Chromium, follows it, pauses, resumes and stops it.
//
//   node live.mjs BROWSER [--pictures FOLDER] [--axe axe.min.js] [--other] ADDRESS
//
// With --other the run is none of attacks, and cannot be paused. Targets of attacks must have `<img … onerror=…>` in their names. Pictures of the page go to the folder.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessible } from "./axe.mjs";

const [browserPath, ...words] = process.argv.slice(2);
const option = (name) => (words[0] === name ? words.splice(0, 2)[1] : undefined);
const [pictures, axe] = [option("--pictures"), option("--axe")];
const isOther = words[0] === "--other";
const address = words.at(-1);
const profile = mkdtempSync(join(tmpdir(), "allotrope-live-"));
const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
options.push("--disable-background-networking", "--disable-component-update", "--hide-scrollbars");
options.push(`--user-data-dir=${profile}`, "--remote-debugging-pipe", "about:blank");
const browser = spawn(browserPath, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });

const waiting = new Map();
const events = [];
let rest = "";
browser.on("error", (error) => end(`the browser does not start: ${error.message}`));
browser.stdio[4].setEncoding("utf8").on("data", (data) => {
  const messages = (rest + data).split("\0");
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    if (message.id === undefined) events.push(message);
    else waiting.get(message.id)(message);
  }
});

let session;
let last = 0;
async function tell(method, params = {}) {
  last += 1;
  browser.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId: session }) + "\0");
  const { error, result } = await new Promise((done) => waiting.set(last, done));
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function evaluate(expression) {
  const answer = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  check(!answer.exceptionDetails, `${expression}: ${answer.exceptionDetails?.exception?.description}`);
  return answer.result.value;
}

function check(condition, why) {
  if (!condition) throw new Error(why);
}

async function wait(what, expression) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await evaluate(expression)) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no ${what}: ${await evaluate("document.body.innerText")}`);
}

const state = "document.querySelector('.state').textContent";
const button = (wish) => `document.querySelector('button.${wish}')`;

async function main() {
  const { targetInfos } = await tell("Target.getTargets");
  const { targetId } = targetInfos.find((target) => target.type === "page");
  session = (await tell("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await tell(`${domain}.enable`);
  await tell("Page.navigate", { url: address });
  await wait("run", `document.querySelector(".state")?.textContent.startsWith("Running")`);
  if (isOther) {
    await wait("progress", `document.querySelector("main").textContent.includes("cannot be paused") && document.querySelector(".notes").textContent.length + document.querySelectorAll(".run td").length > 0`);
    check(await evaluate(`${button("pause")}.hidden && ${button("work")}.hidden && !${button("stop")}.disabled`), "a pause is offered");
    await looks_well("other");
    await evaluate(`globalThis.confirm = () => true; ${button("stop")}.click()`);
    await wait("stop", `${state}.startsWith("Nobody works on it") && ${button("stop")}.disabled`);
    return nothing_failed();
  }
  await wait("success", `document.querySelectorAll("#newest tr").length > 2`);
  const rows = await evaluate(`[...document.querySelectorAll(".run tbody tr")].map((row) => row.innerText)`);
  check(rows.length === 2 && rows[0].includes(" of 200") && /\d %/.test(rows[0]), `rows: ${JSON.stringify(rows)}`);

  // Hostile names are text.
  const told = await evaluate(`document.getElementById("newest").textContent`);
  check(told.includes("</td><img src=x onerror="), `no hostile name in ${told}`);
  check((await evaluate(`document.images.length`)) === 0 && (await evaluate("globalThis.hacked")) === undefined, "a name is markup");

  await looks_well("live");

  // The buttons act on the run.
  check(await evaluate(`${button("work")}.disabled && !${button("pause")}.disabled && !${button("stop")}.disabled`), "buttons");
  await evaluate(`${button("pause")}.click()`);
  await wait("pause", `${state}.startsWith("Paused") && ${button("pause")}.disabled`);
  await evaluate(`${button("work")}.click()`);
  await wait("work", `${state}.startsWith("Running")`);
  await evaluate(`globalThis.confirm = () => true; ${button("stop")}.click()`);
  await wait("stop", `${state}.startsWith("Nobody works on it") && ${button("stop")}.disabled`);
  nothing_failed();
}

// Nothing is wider than the window, in light and dark, and axe-core has nothing serious to say.
async function looks_well(name) {
  const grounds = {};
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"]) {
      await tell("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
      await tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
      const wide = await evaluate("document.scrollingElement.scrollWidth");
      check(wide <= width, `the page is ${wide} wide in a window of ${width}`);
      grounds[scheme] = await evaluate("getComputedStyle(document.body).backgroundColor");
      await accessible(evaluate, axe, `${name}, ${width} ${scheme}`);
      if (!pictures) continue;
      const { data } = await tell("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
      writeFileSync(join(pictures, `${name}-${width}-${scheme}.png`), Buffer.from(data, "base64"));
    }
  }
  check(grounds.light !== grounds.dark, `light and dark are both ${grounds.light}`);
}

function nothing_failed() {
  const urls = events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url);
  const away = urls.filter((url) => !url.startsWith(address) && !url.startsWith("data:"));
  check(urls.length > 4 && away.length === 0, `requests: ${away.join(", ")}`);
  const errors = events.filter(({ method, params }) =>
    method === "Runtime.exceptionThrown" ||
    (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) ||
    (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)),
  );
  check(errors.length === 0, `the console says ${JSON.stringify(errors)}`);
}

function end(problem) {
  if (problem) console.error(`failed: ${problem}`);
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
  // A process that is being killed may still write to the profile.
  setTimeout(() => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    process.exit(problem ? 1 : 0);
  }, 300);
}

setTimeout(() => end("the browser took longer than eight minutes"), 480_000).unref();
main().then(() => end(), (error) => end(error.message));
