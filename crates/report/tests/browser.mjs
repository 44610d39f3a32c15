// Opens reports, or pages of the documentation, in a headless Chromium and checks what a reader would see.
//
//   node browser.mjs BROWSER [--pictures FOLDER] [--axe axe.min.js] PAGE.html…
//
// A report of attacks must have code in which `</script>` and `<img … onerror=…>` occur. Pictures of the pages go to the folder. The
// browser is driven through two pipes (--remote-debugging-pipe), which needs no package and no port.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { accessible } from "./axe.mjs";

const [browserPath, ...rest_of_words] = process.argv.slice(2);
const option = (name) => (rest_of_words[0] === name ? rest_of_words.splice(0, 2)[1] : undefined);
const [pictures, axe] = [option("--pictures"), option("--axe")];
const reports = rest_of_words;
const profile = mkdtempSync(join(tmpdir(), "allotrope-browser-"));
const browser = spawn(
  browserPath,
  [
    "--headless=new",
    // The page is our own, and containers seldom allow the browser to make a sandbox.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    `--user-data-dir=${profile}`,
    "--remote-debugging-pipe",
    "about:blank",
  ],
  // A group of its own, so that the processes which the browser starts can be ended with it.
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
);
// Beside other tests a page that takes a second alone has taken three minutes.
const minutes = 8 + reports.length;
const deadline = setTimeout(() => fail(`the browser took longer than ${minutes} minutes`), minutes * 60_000);

const waiting = new Map();
const events = [];
let last = 0;
let rest = "";
browser.on("error", (error) => fail(`the browser does not start: ${error.message}`));
browser.on("exit", (status) => waiting.size && fail(`the browser ended with status ${status}`));
browser.stdio[4].setEncoding("utf8");
browser.stdio[4].on("data", (data) => {
  const messages = (rest + data).split("\0");
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    if (message.id === undefined) {
      events.push(message);
      continue;
    }
    const { good, bad } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) bad(new Error(message.error.message));
    else good(message.result);
  }
});

function send(method, params = {}, sessionId = undefined) {
  last += 1;
  browser.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + "\0");
  return new Promise((good, bad) => waiting.set(last, { good, bad }));
}

function end(status) {
  clearTimeout(deadline);
  if (browser.pid) {
    try {
      process.kill(-browser.pid, "SIGKILL");
    } catch {
      // All of them have ended.
    }
  }
  removeProfile(50, () => process.exit(status));
}

// A process that is being killed may still write to the profile, so that a folder is not empty any more when it is removed.
function removeProfile(tries, then) {
  try {
    rmSync(profile, { recursive: true, force: true });
  } catch (error) {
    if (tries > 0) return setTimeout(() => removeProfile(tries - 1, then), 100);
    console.error(`the browser's profile is left behind: ${error.message}`);
  }
  then();
}

function fail(why) {
  console.error(`failed: ${why}`);
  end(1);
}

function check(condition, why) {
  if (!condition) throw new Error(why);
}

async function main() {
  const { targetInfos } = await send("Target.getTargets");
  const { targetId } = targetInfos.find((target) => target.type === "page");
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const tell = (method, params) => send(method, params, sessionId);
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await tell(`${domain}.enable`);
  await send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: profile });

  const evaluate = async (expression) => {
    const answer = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    check(!answer.exceptionDetails, `${expression}: ${answer.exceptionDetails?.exception?.description}`);
    return answer.result.value;
  };
  const settle = () => evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))");
  const window = async (width, scheme) => {
    const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    await tell("Emulation.setDeviceMetricsOverride", metrics);
    await tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await settle();
  };
  const page = { tell, evaluate, settle, window };
  for (const report of reports) {
    events.length = 0;
    page.name = basename(report, ".html");
    page.address = pathToFileURL(resolve(report)).href;
    try {
      await window(1280, "light");
      await tell("Page.navigate", { url: page.address });
      for (let tries = 0; (await evaluate("document.readyState")) !== "complete"; tries += 1) {
        check(tries < 600, "the page does not load");
        await new Promise((done) => setTimeout(done, 50));
      }
      await settle();
      // The theme that was chosen on the page before.
      await evaluate("localStorage.removeItem('theme'); delete document.documentElement.dataset.theme");
      if (await evaluate("document.querySelector('meta[name=generator]') !== null && document.getElementById('found') !== null")) {
        await the_search_works(page);
        await nothing_overlaps(page);
        nothing_was_fetched_or_failed(page, new URL(".", page.address).href, 0);
        console.log(`${page.name}: light and dark at 1280 and 390: well`);
        continue;
      }
      const drawn = await pictures_are_drawn(page);
      const files = await everything_can_be_taken_away(page);
      if (await evaluate("document.getElementById('list') !== null")) await examples_work(page);
      await nothing_runs(page);
      await nothing_overlaps(page);
      nothing_was_fetched_or_failed(page, page.address, 1);
      console.log(`${page.name}: ${drawn} pictures, ${files} files, light and dark at 1280 and 390: well`);
    } catch (error) {
      throw new Error(`${page.name}: ${error.message}`);
    }
  }
}

// The search of the documentation finds a page by its name, shows it first, and nothing for words that no page has.
async function the_search_works({ evaluate, settle }) {
  const search = async (words) => {
    await evaluate(`(() => {
      const field = document.getElementById("search");
      field.value = ${JSON.stringify(words)};
      field.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await settle();
    return evaluate(`[...document.querySelectorAll("#found li")].map((row) => ({ text: row.textContent, url: row.querySelector("a").getAttribute("href") }))`);
  };
  const found = await search("for-to-while");
  check(found[0]?.url === "transformations-for-to-while.html", `the search for for-to-while finds ${JSON.stringify(found.slice(0, 3))}`);
  check((await search("no-page-has-these-words")).length === 0, "the search finds what is nowhere");
  await search("rename local");
}

// The pictures are there, and something is drawn in them.
async function pictures_are_drawn({ evaluate }) {
  const drawn = await evaluate(`[...document.querySelectorAll("figure")].map((figure) => {
    const shown = [...figure.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
    const marks = [...shown[0].querySelectorAll("rect, path.curve, path.lead, circle")].filter((mark) => {
      const { width, height } = mark.getBBox();
      return width > 1 || height > 1;
    });
    const texts = [...shown[0].querySelectorAll("text")].filter((text) => {
      const [inner, outer] = [text.getBoundingClientRect(), shown[0].getBoundingClientRect()];
      return inner.left < outer.left - 2 || inner.right > outer.right + 2 || inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2;
    });
    return { title: figure.querySelector("h3").textContent, shown: shown.length, width: shown[0].getBoundingClientRect().width,
      marks: marks.length, clipped: texts.map((text) => text.textContent) };
  })`);
  check(drawn.length > 0, "there are no pictures");
  for (const { title, shown, width, marks, clipped } of drawn) {
    check(shown === 1 && width > 300 && marks > 0, `${title} is not drawn: ${JSON.stringify(drawn)}`);
    check(clipped.length === 0, `${title} has texts outside of it: ${JSON.stringify(clipped)}`);
  }
  return drawn.length;
}

// Every table and picture has its buttons, and what they save is what it should be.
async function everything_can_be_taken_away({ evaluate }) {
  const expected = await evaluate(`document.querySelectorAll("figure").length + 3 * document.querySelectorAll(".sheet").length`);
  const saved = await evaluate(`(async () => {
    const saved = [];
    const blobs = [];
    const [create, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    URL.createObjectURL = (blob) => {
      blobs.push(blob);
      return "about:blank";
    };
    HTMLAnchorElement.prototype.click = function () {
      saved.push({ name: this.download });
    };
    for (const button of document.querySelectorAll("[data-take] button")) button.click();
    [URL.createObjectURL, HTMLAnchorElement.prototype.click] = [create, click];
    for (const [place, blob] of blobs.entries()) {
      const text = await blob.text();
      const file = saved[place];
      file.size = text.length;
      if (file.name.endsWith(".svg")) {
        // The policy of the page would refuse the style of the picture, and say so.
        const made = new DOMParser().parseFromString(text.replace(/<style>[^]*<.style>/, ""), "image/svg+xml");
        file.isRight = !made.querySelector("parsererror") && made.querySelectorAll("rect, path, circle").length > 1 && !text.includes("var(");
      } else if (file.name.endsWith(".tex")) {
        file.isRight = text.includes("\\\\toprule") && text.includes("\\\\bottomrule");
      } else if (file.name.endsWith(".md")) {
        file.isRight = text.startsWith("| ") && text.split("\\n")[1].startsWith("| -");
      } else {
        file.isRight = file.name.endsWith(".csv") && text.includes(",");
      }
    }
    return saved;
  })()`);
  check(saved.length === expected && expected > 0, `${saved.length} files are saved, where ${expected} are expected`);
  check(new Set(saved.map((file) => file.name)).size === saved.length, `names of files are there twice: ${JSON.stringify(saved)}`);
  const wrong = saved.filter((file) => !file.isRight || !/^[a-z0-9-]+\.[a-z]+$/.test(file.name));
  check(wrong.length === 0, `files are not what they should be: ${JSON.stringify(wrong)}`);
  // One of them comes from a click as a reader makes it.
  await evaluate(`document.querySelector("[data-take] button").click()`);
  const path = join(profile, saved[0].name);
  for (let tries = 0; !existsSync(path) || readFileSync(path).length === 0; tries += 1) {
    check(tries < 100, `${saved[0].name} is not saved`);
    await new Promise((done) => setTimeout(done, 50));
  }
  rmSync(path);
  return saved.length;
}

async function examples_work({ evaluate, settle }) {
  // The filter shows what it should.
  const visible = `[...document.querySelectorAll(".example")].filter((example) => !example.hidden)`;
  const choose = async (id, value) => {
    await evaluate(`(() => {
      const control = document.getElementById(${JSON.stringify(id)});
      control.value = ${JSON.stringify(value)};
      control.dispatchEvent(new Event(control.id === "search" ? "input" : "change", { bubbles: true }));
      return new Promise((done) => setTimeout(done, 250));
    })()`);
    return evaluate(`${visible}.length`);
  };
  const all = await evaluate(`document.querySelectorAll(".example").length`);
  check(all > 2, `${all} examples`);
  const attack = await evaluate(`document.querySelector("#by-attack option:last-child").value`);
  const some = await choose("by-attack", attack);
  const others = await evaluate(`${visible}.filter((example) => example.dataset.attack !== "${attack}").length`);
  check(some > 0 && some < all && others === 0, `the filter by attack shows ${some} of ${all}, ${others} of them others`);
  await choose("by-attack", "");
  const unknown = await choose("search", "no program has these words");
  const said = await evaluate(`document.getElementById("count").textContent`);
  check(unknown === 0 && said === "No example fits.", `a search for nothing shows ${unknown}: ${said}`);
  await choose("search", "");
  const used = await evaluate(`document.querySelector("a[data-transformation]").dataset.transformation`);
  await evaluate(`document.querySelector("a[data-transformation]").click()`);
  await settle();
  const with_it = await evaluate(`${visible}.every((example) => example.dataset.transformations.split(" ").includes("${used}"))`);
  check(with_it, `a click on ${used} shows others`);
  await choose("by-transformation", "");

  // Hostile code is found, shown as text, and does nothing.
  check((await choose("search", "</script>")) > 0, "the code with </script> is not found");
  await evaluate(`${visible}[0].querySelector("summary").click()`);
  await settle();
  const opened = await evaluate(`(() => {
    const example = ${visible}[0];
    const side = (name) => [...example.querySelectorAll(name)].map((line) => line.textContent).join("\\n");
    return {
      lines: example.querySelectorAll(".line").length,
      changed: example.querySelectorAll(".changed").length,
      colours: new Set([...example.querySelectorAll(".line span")].map((span) => span.className)).size,
      old: side(".line.old code, .line.equal:not(.twin) code"),
      made: side(".line.new code, .line.equal.twin code"),
    };
  })()`);
  check(opened.lines > 1 && opened.changed > 0 && opened.colours > 3, `no difference is shown: ${JSON.stringify(opened)}`);
  for (const words of ["</script>", "<img src=x onerror=", "    \tindented"]) {
    check(opened.old.includes(words) && opened.made.includes(words), `${words} is not text in ${opened.old}`);
  }
  check(opened.old !== opened.made, "both sides are the same");
  await choose("search", "");
  await evaluate(`${visible}[0].open = true`);

  // An address with the name of an example opens it, whatever the filters say.
  const last = await evaluate(`[...document.querySelectorAll(".example")].at(-1).id`);
  await choose("search", "no program has these words");
  await evaluate(`location.hash = ${JSON.stringify(last)}`);
  await settle();
  const followed = await evaluate(`(() => {
    const example = document.getElementById(${JSON.stringify(last)});
    return example.open && example.checkVisibility() && example.querySelector("a.link").href.endsWith("#" + example.id);
  })()`);
  check(followed, `the address #${last} does not open the example`);
  await choose("search", "");
  await evaluate(`document.getElementById(${JSON.stringify(last)}).open = false`);
}

// Nothing of the data is markup, and the policy holds.
async function nothing_runs({ evaluate }) {
  await evaluate(`document.querySelectorAll("details.more").forEach((each) => { each.open = true; })`);
  const markup = await evaluate(`({
    images: document.querySelectorAll("img, iframe, object, embed, link, video, audio, source").length,
    scripts: document.querySelectorAll("script").length,
    hacked: globalThis.hacked,
    handlers: [...document.querySelectorAll("*")].filter((each) => each.getAttributeNames().some((name) => name.startsWith("on"))).length,
  })`);
  check(markup.images === 0 && markup.handlers === 0 && markup.hacked === undefined, JSON.stringify(markup));
  const all = await evaluate(`document.querySelectorAll(".example").length`);
  check(markup.scripts === all + 2, `${markup.scripts} scripts for ${all} examples`);
  // The policy holds although the page has none of this.
  const blocked = await evaluate(`(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.hacked = 1";
    document.body.append(script);
    script.remove();
    return globalThis.hacked === undefined;
  })()`);
  check(blocked, "a script that is not the report's runs");
}

// Nothing is wider than the window, no text covers another, and all of them can be read.
async function nothing_overlaps({ evaluate, window, tell, name }) {
  const picture = async (size) => {
    if (!pictures) return;
    const { data } = await tell("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
    writeFileSync(join(pictures, `${name}-${size}.png`), Buffer.from(data, "base64"));
  };
  const grounds = {};
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"]) {
      await window(width, scheme);
      const wide = await evaluate("document.scrollingElement.scrollWidth");
      check(wide <= width, `the page is ${wide} wide in a window of ${width}`);
      const overlaps = await evaluate(`(${overlapping})()`);
      check(overlaps.length === 0, `texts overlap at ${width}: ${JSON.stringify(overlaps.slice(0, 5))}`);
      grounds[scheme] = await evaluate("getComputedStyle(document.body).backgroundColor");
      const weak = await evaluate(`(${faint})()`);
      check(weak.length === 0, `texts are too faint in ${scheme}: ${JSON.stringify(weak.slice(0, 5))}`);
      await accessible(evaluate, axe, `${width} ${scheme}`);
      await picture(`${width}-${scheme}`);
    }
  }
  check(grounds.light !== grounds.dark, `light and dark are both ${grounds.light}`);
  await evaluate(`document.getElementById("theme").click()`);
  const switched = await evaluate("getComputedStyle(document.body).backgroundColor");
  check(switched === grounds.light, `the switch makes the dark page ${switched}`);

}

function nothing_was_fetched_or_failed({ address }, own, refused) {
  const requests = events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url);
  // What a button saves is in the page, and has an address of its own there.
  const away = requests.filter((url) => url.split("#")[0] !== address && !url.startsWith("blob:") && !(own !== address && (url.startsWith(own) || url === "data:,")));
  check(away.length === 0, `requests: ${requests.join(", ")}`);
  const errors = events.filter(({ method, params }) =>
    method === "Runtime.exceptionThrown" ||
    (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) ||
    (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level) && params.entry.source !== "security"),
  );
  check(errors.length === 0, `the console says ${JSON.stringify(errors)}`);
  const refusals = events.filter((event) => event.method === "Log.entryAdded" && event.params.entry.source === "security");
  check(refusals.length === refused, `${refusals.length} refusals by the policy, where ${refused} are expected: ${JSON.stringify(refusals.map(({ params }) => params.entry.text))}`);
}

// Every piece of text that is seen, with its box. What a scrolling box hides is not seen.
const pieces = `function () {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, noscript, option, title")) continue;
    if (!parent.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const clip = parent.closest(".scroll, .facts ol, pre")?.getBoundingClientRect();
    for (const box of range.getClientRects()) {
      const left = Math.max(box.left, clip?.left ?? box.left);
      const right = Math.min(box.right, clip?.right ?? box.right);
      const top = Math.max(box.top, clip?.top ?? box.top);
      const bottom = Math.min(box.bottom, clip?.bottom ?? box.bottom);
      if (right - left > 2 && bottom - top > 2) found.push({ left, right, top, bottom, parent, text: node.data.trim().slice(0, 40) });
    }
  }
  return found;
}`;

const overlapping = `function () {
  const found = (${pieces})();
  found.sort((one, other) => one.top - other.top);
  const overlaps = [];
  for (let one = 0; one < found.length; one += 1) {
    for (let other = one + 1; other < found.length && found[other].top < found[one].bottom - 3; other += 1) {
      const [a, b] = [found[one], found[other]];
      // A column that stays in its place covers the others of its table on purpose.
      const isSticky = (piece) => getComputedStyle(piece.parent.closest("th") ?? piece.parent).position === "sticky";
      if (a.left < b.right - 2 && b.left < a.right - 2 && !isSticky(a) && !isSticky(b)) overlaps.push([a.text, b.text]);
    }
  }
  return overlaps;
}`;

// Texts whose contrast with what is behind them is below 3 to 1.
const faint = `function () {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, under) => [0, 1, 2].map((place) => top[place] * top[3] + under[place] * (1 - top[3]));
  const light = (colour) => {
    const [red, green, blue] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const known = new Map();
  const ground = (each) => {
    if (!each) return channels(getComputedStyle(document.documentElement).colorScheme === "dark" ? "black" : "white");
    if (!known.has(each)) known.set(each, over(channels(getComputedStyle(each).backgroundColor), ground(each.parentElement)));
    return known.get(each);
  };
  const weak = [];
  for (const { parent, text } of (${pieces})()) {
    const style = getComputedStyle(parent);
    const behind = ground(parent);
    const front = over(channels(parent.closest("svg") ? style.fill : style.color), behind);
    const [one, other] = [light(front), light(behind)];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 3) weak.push([text, parent.className.toString(), contrast.toFixed(2)]);
  }
  return weak;
}`;

main().then(() => end(0), (error) => fail(error.message));
