// Shows what the server says about the runs, again and again. Texts of runs only ever become text.
"use strict";

const token = location.pathname.split("/")[1];
const problem = document.getElementById("problem");
const places = new Map();

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function show(message) {
  problem.hidden = !message;
  if (problem.textContent !== message) problem.textContent = message;
}

async function ask(place, options) {
  const answer = await fetch(place, options);
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.problem || `the server answers with ${answer.status}`);
  return said;
}

// What the page has of a run: it is made once, and then only its texts change, so that buttons keep the focus.
function placeOf(number) {
  if (places.has(number)) return places.get(number);
  const section = element("section", "run");
  const place = { section, rows: new Map() };
  place.name = section.appendChild(element("h1"));
  place.state = section.appendChild(element("p", "state"));
  place.state.setAttribute("role", "status");
  place.about = section.appendChild(element("p", "note"));
  const buttons = section.appendChild(element("div", "buttons"));
  for (const [wish, title] of [["pause", "Pause"], ["work", "Resume"], ["stop", "Stop"]]) {
    const button = buttons.appendChild(element("button", wish, title));
    button.type = "button";
    button.disabled = true;
    button.addEventListener("click", () => send(number, wish));
    place[wish] = button;
  }
  place.manner = section.appendChild(element("p", "note"));
  place.status = section.appendChild(element("p", "note"));
  place.bar = section.appendChild(element("progress"));
  place.bar.setAttribute("aria-label", "Progress");
  place.bar.hidden = true;
  place.tables = section.appendChild(element("div"));
  place.notes = section.appendChild(element("ul", "notes"));
  const scroll = section.appendChild(element("div", "scroll"));
  place.scroll = scroll;
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Attacks");
  const table = scroll.appendChild(element("table"));
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  for (const [title, kind] of [["Attack"], ["Progress"], ["Done", "number"], ["Successes", "number"], ["Success rate so far", "number"], ["Queries", "number"]]) {
    head.appendChild(element("th", kind, title)).scope = "col";
  }
  place.body = table.appendChild(element("tbody"));
  place.caption = section.appendChild(element("p", "note"));
  document.getElementById("runs").appendChild(section);
  places.set(number, place);
  return place;
}

async function send(number, wish) {
  if (wish === "stop" && !confirm("Stop the run? What is done stays, as after Ctrl-C.")) return;
  try {
    await ask(`wish/${number}`, { method: "POST", body: wish, headers: { "X-Allotrope-Token": token } });
    show("");
  } catch (error) {
    show(error.message);
  }
  refresh();
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function stateOf(run, done, all) {
  if (run.problem) return run.problem;
  if (!run.runner) return done >= all ? "Finished." : "Nobody works on it; the same command resumes it.";
  const words = { work: "Running", pause: "Paused: no target is begun until it is resumed", stop: "Stopping" };
  const speed = done > 0 && run.runner.state === "work" ? leftOver(run, done, all) : "";
  return `${words[run.runner.state]}${speed}.`;
}

function leftOver(run, done, all) {
  const now = run.runner.left - (all - done);
  if (now < 1) return "";
  const seconds = ((all - done) * run.runner.seconds) / now;
  return seconds < 90 ? `, about ${Math.ceil(seconds)} s left` : `, about ${Math.ceil(seconds / 60)} min left`;
}

// What a kind of run has instead of attacks: the stage that it is in, tables of what was found so far, and the last notes.
function showOther(run, place) {
  const work = run.runner && run.runner.work;
  const resumes = run.kind === "scoring of mutants" ? "what is scored until then is kept" : "the same command resumes it";
  place.manner.textContent = `A ${run.kind} cannot be paused, because nothing in it waits between two pieces of work. It can be stopped: ${resumes}.`;
  const steps = work && work.all !== null ? ` ${work.done} of ${work.all}` : "";
  const status = work ? `${[`${work.stage}${steps}`, work.status].filter((text) => text.trim()).join(": ")}` : "";
  if (place.status.textContent !== status) place.status.textContent = status;
  place.bar.hidden = !(work && work.all);
  if (work && work.all) [place.bar.max, place.bar.value] = [work.all, work.done];
  const told = JSON.stringify([run.tables, work && work.notes]);
  if (place.told === told) return;
  place.told = told;
  place.tables.replaceChildren(...(run.tables || []).filter((table) => table.rows.length).flatMap(tableOf));
  place.notes.replaceChildren(...((work && work.notes) || []).slice().reverse().map((note) => element("li", "", note)));
}

function tableOf({ title, columns, rows, all }) {
  const scroll = element("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", title);
  const table = scroll.appendChild(element("table"));
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  // A column of numbers stands to the right.
  const isNumber = columns.map((_, column) => rows.every((row) => /^[-–+\d.,e \[\]]*$/.test(row[column])));
  columns.forEach((column, place) => {
    head.appendChild(element("th", isNumber[place] ? "number" : "", column)).scope = "col";
  });
  const body = table.appendChild(element("tbody"));
  for (const row of rows) {
    const line = body.appendChild(element("tr"));
    row.forEach((text, place) => line.appendChild(element("td", isNumber[place] ? "number" : "text", text)));
  }
  const more = all > rows.length ? `${title}, the first ${rows.length} of ${all}` : title;
  return [element("h2", "", more), scroll];
}

function showRun(run, number) {
  const place = placeOf(number);
  const attacks = run.attacks || [];
  place.scroll.hidden = !run.attacks;
  const all = attacks.length * (run.targets || 0);
  const done = attacks.reduce((sum, attack) => sum + attack.done, 0);
  place.name.textContent = run.model ? `${run.name}: ${run.model}` : run.name;
  const isOther = !run.attacks && !run.problem;
  if (isOther) showOther(run, place);
  const words = { work: "Running.", stop: "Stopping." };
  const state = isOther ? (run.runner ? words[run.runner.state] || "Running." : "Nobody works on it.") : stateOf(run, done, all);
  if (place.state.textContent !== state) place.state.textContent = state;
  const about = [run.goal && `A success: ${run.goal}.`, run.noise].filter(Boolean).join(" ");
  place.about.textContent = about;
  const now = run.runner && run.runner.state;
  place.pause.hidden = place.work.hidden = isOther;
  place.pause.disabled = now !== "work";
  place.work.disabled = now !== "pause";
  place.stop.disabled = !now || now === "stop";
  document.title = run.attacks ? `${all ? Math.floor((100 * done) / all) : 0} % · allotrope` : `${run.name} · allotrope`;
  for (const attack of attacks) {
    if (!place.rows.has(attack.attack)) {
      const row = place.body.appendChild(element("tr"));
      const cells = [element("th", "", attack.attack), element("td"), ...[0, 1, 2, 3].map(() => element("td", "number"))];
      cells[0].scope = "row";
      const bar = cells[1].appendChild(element("progress"));
      bar.setAttribute("aria-label", `Progress of ${attack.attack}`);
      row.append(...cells);
      place.rows.set(attack.attack, { bar, cells: cells.slice(2) });
    }
    const { bar, cells } = place.rows.get(attack.attack);
    bar.max = Math.max(1, run.targets);
    bar.value = attack.done;
    const rate = attack.rate === null ? "–" : percent(attack.rate);
    const interval = attack.interval ? ` [${percent(attack.interval.low)}, ${percent(attack.interval.high)}]` : "";
    const successes = attack.outcomes ? attack.outcomes.success : 0;
    [`${attack.done} of ${run.targets}`, `${successes} of ${attack.n}`, rate + interval, `${attack.queries}`].forEach((text, cell) => {
      cells[cell].textContent = text;
    });
  }
  place.caption.textContent = run.attacks && all > done ? "What is done first is not chosen at random." : "";
}

function showNewest(newest) {
  document.getElementById("newest-section").hidden = newest.length === 0;
  const rows = newest.map((success) => {
    const row = element("tr");
    row.append(
      element("td", "", success.attack),
      element("td", "text", success.target),
      element("td", "text", success.truth === null ? "–" : success.truth),
      element("td", "number", success.queries),
      element("td", "text", success.rewrites.join(", ")),
    );
    return row;
  });
  document.getElementById("newest").replaceChildren(...rows);
}

let last = "";
async function refresh() {
  try {
    const said = await ask("state");
    said.runs.forEach(showRun);
    const newest = JSON.stringify(said.newest);
    if (newest !== last) showNewest(said.newest);
    last = newest;
    show("");
  } catch (error) {
    show(`The server does not answer: ${error.message}`);
  }
}

async function follow() {
  await refresh();
  setTimeout(follow, 1000);
}
follow();
