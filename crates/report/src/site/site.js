// The search over all pages, and the switch between light and dark. Texts of pages only ever become text.
"use strict";

const MOST = 30;
const AROUND = 70;

const field = document.getElementById("search");
const found = document.getElementById("found");
field.hidden = false;

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}

// How well a page fits: words in its title count most, then those in its headings. All words must be somewhere in it.
function rank(page, words) {
  let sum = 0;
  for (const word of words) {
    const title = page.title.toLowerCase();
    const heading = page.headings.find(([text]) => text.toLowerCase().includes(word));
    const places = page.lower.split(word).length - 1;
    if (title === word) sum += 100;
    else if (title.includes(word)) sum += 30;
    else if (heading) sum += 10;
    else if (!places) return 0;
    sum += Math.min(places, 9);
  }
  return sum;
}

function piece(page, words) {
  const place = words.map((word) => page.lower.indexOf(word)).find((place) => place >= 0);
  if (place === undefined) return page.text.slice(0, 2 * AROUND).replace(/\s+/g, " ");
  const start = Math.max(0, place - AROUND);
  const end = Math.min(page.text.length, place + AROUND);
  return (start ? "…" : "") + page.text.slice(start, end).replace(/\s+/g, " ") + (end < page.text.length ? "…" : "");
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  if (!words.length) return;
  const fitting = PAGES.map((page) => [rank(page, words), page]).filter(([sum]) => sum > 0);
  fitting.sort(([one], [other]) => other - one);
  const list = element("ol");
  for (const [, page] of fitting.slice(0, MOST)) {
    const row = list.appendChild(element("li"));
    const heading = page.headings.slice(1).find(([text]) => words.every((word) => text.toLowerCase().includes(word)));
    const link = row.appendChild(element("a", heading ? `${page.title}: ${heading[0]}` : page.title));
    link.href = heading ? `${page.url}#${heading[1]}` : page.url;
    row.append(` ${page.group}`, element("br"), element("small", piece(page, words)));
  }
  const count = fitting.length === 0 ? "No page has these words." : `${fitting.length} ${fitting.length === 1 ? "page" : "pages"}`;
  found.replaceChildren(element("p", count), list);
}

for (const page of PAGES) page.lower = page.text.toLowerCase();
field.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  const isFree = !["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement.tagName);
  if (event.key === "/" && isFree && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && document.activeElement === field) {
    field.value = "";
    search();
  }
});

// On a narrow page the list of its headings would push the text away.
if (innerWidth < 960) document.querySelectorAll("aside details").forEach((list) => { list.open = false; });

const root = document.documentElement;
const button = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const kept = (value) => {
  try {
    if (value) localStorage.setItem("theme", value);
    return localStorage.getItem("theme");
  } catch {
    // A page from disk may have no storage.
    return null;
  }
};
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
const before = kept();
if (before) root.dataset.theme = before;
button.hidden = false;
button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  kept(root.dataset.theme);
  name();
});
dark.addEventListener("change", name);
name();
