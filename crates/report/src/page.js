// Filters, order and the differences of examples. Everything that comes from the report's data is put in as text.
"use strict";

const PAGE = 50;
// Equal lines around a change that are shown, and how many may stand between before they are folded.
const AROUND = 3;

const colours = { k: "keyword", n: "name", d: "digits", s: "string", c: "comment", p: "directive" };

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The words of a line with their marks: letters with lengths, capitals for what differs.
function words(text, marks) {
  const cell = element("code");
  let place = 0;
  for (const [, letter, length] of marks.matchAll(/([a-zA-Z.!])(\d+)/g)) {
    const piece = text.slice(place, place + Number(length));
    place += Number(length);
    if (letter === "u") {
      for (const character of piece) {
        const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
        cell.append(element("span", "hidden-character", character === "\r" ? "␍" : "U+" + code));
      }
      continue;
    }
    const isChanged = letter === "!" || letter !== letter.toLowerCase();
    const colour = colours[letter.toLowerCase()];
    const classes = [colour, isChanged ? "changed" : ""].filter(Boolean).join(" ");
    cell.append(classes ? element("span", classes, piece) : document.createTextNode(piece));
  }
  return cell;
}

function side(className, number, text, marks) {
  const cell = element("div", "line " + className);
  cell.append(element("span", "number", text === null ? "" : String(number)));
  cell.append(text === null ? element("code") : words(text, marks));
  return cell;
}

function difference(program) {
  const box = element("div", "program");
  box.append(element("h4", "", program.title + (program.same ? ", unchanged" : "")));
  const grid = element("div", "sides");
  if (!program.same) {
    grid.append(element("div", "side-title", "Original"), element("div", "side-title", "Adversarial example"));
  }
  let left = 0;
  let right = 0;
  const lines = program.rows.map((row) => {
    const isEqual = row.length === 2;
    const [oldText, oldMarks] = row;
    const [newText, newMarks] = isEqual ? row : row.slice(2);
    if (oldText !== null) left += 1;
    if (newText !== null) right += 1;
    return { isEqual, oldText, oldMarks, newText, newMarks, left, right };
  });
  const add = (line, before) => {
    const kind = line.isEqual ? "equal" : "";
    const old = side(kind || (line.oldText === null ? "absent" : "old"), line.left, line.oldText, line.oldMarks);
    const made = side(kind || (line.newText === null ? "absent" : "new"), line.right, line.newText, line.newMarks);
    if (line.isEqual) made.classList.add("twin");
    grid.insertBefore(old, before);
    grid.insertBefore(made, before);
  };
  for (let place = 0; place < lines.length; ) {
    let end = place;
    while (end < lines.length && lines[end].isEqual) end += 1;
    const head = place === 0 ? 0 : AROUND;
    const tail = end === lines.length ? 0 : AROUND;
    const hidden = lines.slice(place + head, end - tail);
    if (end - place > head + tail + 2 && hidden.length) {
      lines.slice(place, place + head).forEach((line) => add(line, null));
      const fold = element("button", "fold", hidden.length + " equal lines");
      fold.type = "button";
      fold.addEventListener("click", () => {
        hidden.forEach((line) => add(line, fold));
        fold.remove();
      });
      grid.append(fold);
      lines.slice(end - tail, end).forEach((line) => add(line, null));
    } else {
      lines.slice(place, end).forEach((line) => add(line, null));
    }
    place = end;
    while (place < lines.length && !lines[place].isEqual) {
      add(lines[place], null);
      place += 1;
    }
  }
  box.append(grid);
  return box;
}

function bar(share) {
  const cell = element("td");
  if (share === null) {
    cell.textContent = "–";
    return cell;
  }
  const track = element("div", "track");
  const fill = element("div", "fill");
  fill.style.width = 100 * Math.min(1, Math.max(0, share)) + "%";
  track.append(fill);
  cell.append(track, (100 * share).toFixed(1) + " %");
  return cell;
}

function predictions({ truth, predictions: { rows, others, texts } }) {
  const box = element("section");
  box.append(element("h4", "", "What the model says"));
  const said = element("p", "", "The truth is ");
  said.append(element("b", "", truth), ".");
  box.append(said);
  if (texts) {
    box.append(element("p", "", "Before: " + texts[0]), element("p", "", "After: " + texts[1]));
    return box;
  }
  const table = element("table", "predictions");
  const head = table.createTHead().insertRow();
  for (const title of ["", "before", "after"]) head.append(element("th", "", title));
  const body = table.createTBody();
  for (const [label, before, after] of rows) {
    const row = body.insertRow();
    if (label === truth) row.className = "truth";
    row.append(element("th", "", label), bar(before), bar(after));
  }
  box.append(table);
  if (others) box.append(element("p", "", others + " others are less likely."));
  return box;
}

function recipe({ recipe, moves }) {
  const box = element("section");
  box.append(element("h4", "", "Recipe: " + moves));
  const list = element("ol");
  for (const [what, names, where] of recipe) {
    const step = element("li", "", what);
    if (names?.length) step.append(" → ");
    for (const name of names ?? []) step.append(element("code", "", name), " ");
    step.append(" ", element("small", "", where));
    list.append(step);
  }
  box.append(list);
  return box;
}

function checks({ checks, notes }) {
  const box = element("section");
  box.append(element("h4", "", "Checks"));
  if (!checks.length) box.append(element("p", "", "Nothing was checked."));
  checks.forEach((verdicts, place) => {
    const list = element("ul", "checks");
    if (checks.length > 1) list.append(element("li", "", place ? "second:" : "first:"));
    for (const [check, verdict] of verdicts) list.append(element("li", verdict.replace(" ", "-"), check + ": " + verdict));
    box.append(list);
  });
  for (const note of notes) box.append(element("p", "", note));
  return box;
}

function dataOf(example) {
  return JSON.parse(example.querySelector("script").textContent);
}

function open(example) {
  if (!example.open || example.querySelector(".body")) return;
  const data = dataOf(example);
  const body = element("div", "body");
  const facts = element("div", "facts");
  facts.append(predictions(data), recipe(data), checks(data));
  body.append(facts);
  if (data.text !== null) body.append(element("p", "question", data.text));
  for (const program of data.programs) body.append(difference(program));
  const link = element("a", "link", "Link to this example");
  link.href = "#" + example.id;
  body.append(link);
  example.append(body);
}

// What a search looks through, made when it is first asked for.
const searched = new WeakMap();
function textOf(example) {
  if (!searched.has(example)) {
    const { recipe, notes, text, programs } = dataOf(example);
    const texts = [example.querySelector("summary").textContent, text ?? "", ...notes];
    for (const [what, names] of recipe) texts.push(what, ...(names ?? []));
    for (const { rows } of programs) {
      for (const row of rows) {
        texts.push(row[0] ?? "");
        if (row.length > 2) texts.push(row[2] ?? "");
      }
    }
    searched.set(example, texts.join("\n").toLowerCase());
  }
  return searched.get(example);
}

function examples() {
  const list = document.getElementById("list");
  if (!list) return;
  const all = [...list.children];
  const control = (id) => document.getElementById(id);
  const value = (id) => control(id)?.value ?? "";
  let most = PAGE;

  const show = () => {
    const query = value("search").trim().toLowerCase();
    const [attack, truth] = [value("by-attack"), value("by-truth")];
    const [used, outcome] = [value("by-transformation"), value("by-outcome")];
    const fits = all.filter(({ dataset }) =>
      (!attack || dataset.attack === attack) &&
      (!truth || dataset.truth === truth) &&
      (!outcome || dataset.outcome === outcome) &&
      (!used || dataset.transformations.split(" ").includes(used)),
    ).filter((example) => !query || textOf(example).includes(query));
    const order = value("order");
    const sign = order === "drop" ? -1 : 1;
    fits.sort((one, other) => sign * (Number(one.dataset[order]) - Number(other.dataset[order])));
    for (const example of all) example.hidden = true;
    const chosen = fits.slice(0, most);
    for (const example of chosen) example.hidden = false;
    // Only what is seen has to be in order: moving thousands takes seconds.
    list.prepend(...chosen);
    const shown = Math.min(most, fits.length);
    control("count").textContent = fits.length === 0
      ? "No example fits."
      : shown + " of " + fits.length + (fits.length < all.length ? " that fit, " + all.length + " on this page" : " examples");
    control("further").hidden = shown >= fits.length;
  };
  const begin = () => {
    most = PAGE;
    show();
  };

  let waiting;
  control("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(begin, 120);
  });
  control("filter").addEventListener("change", begin);
  control("filter").addEventListener("submit", (event) => event.preventDefault());
  control("further").addEventListener("click", () => {
    most += PAGE;
    show();
  });
  list.addEventListener("toggle", (event) => open(event.target), true);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-transformation]");
    if (!link) return;
    control("by-transformation").value = link.dataset.transformation;
    begin();
  });
  control("filter").hidden = false;
  list.classList.add("ready");
  show();
}

// An address that ends in an example's name opens it, even where filters hide it or it is not among the first.
function follow() {
  const example = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!example?.classList.contains("example")) return;
  example.hidden = false;
  example.removeAttribute("data-later");
  example.open = true;
  open(example);
  example.scrollIntoView();
}

// Every table and picture can be saved as the files that `--export` writes.
function exports() {
  const names = { csv: "CSV", tex: "LaTeX", md: "Markdown", svg: "SVG" };
  const types = { csv: "text/csv", tex: "application/x-tex", md: "text/markdown", svg: "image/svg+xml" };
  const all = JSON.parse(document.getElementById("exports").textContent);
  for (const place of document.querySelectorAll("[data-take]")) {
    const name = place.dataset.take;
    for (const ending of ["csv", "tex", "md", "svg"]) {
      const text = all[name]?.[ending];
      if (text === undefined) continue;
      const button = element("button", "", names[ending]);
      button.type = "button";
      button.title = "Save " + name + "." + ending;
      button.addEventListener("click", () => {
        const link = element("a");
        link.href = URL.createObjectURL(new Blob([text], { type: types[ending] + ";charset=utf-8" }));
        link.download = name + "." + ending;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
      place.append(button);
    }
  }
}

function theme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  button.hidden = false;
  name();
}

theme();
exports();
examples();
follow();
addEventListener("hashchange", follow);
