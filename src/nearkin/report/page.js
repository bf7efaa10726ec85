"use strict";
// Tables of a hundred thousand rows: only the lines in sight are in the page.
document.documentElement.classList.add("js");
const LINE = 30, AROUND = 8, MEMBERS = 1000;
const count = new Intl.NumberFormat("en");

function made(tag, name, text) {
  const one = document.createElement(tag);
  if (name) one.className = name;
  if (text !== undefined) one.textContent = text;
  return one;
}
function share(value) { return value === 1 || value < 0.9995 ? value.toFixed(3) : "0.999"; }
function size(value) {
  if (value < 1000) return value + " B";
  const units = ["kB", "MB", "GB", "TB"];
  let at = 0;
  for (value /= 1000; value >= 999.5 && at < 3; at++) value /= 1000;
  return (value >= 100 ? value.toFixed(0) : value.toFixed(1)) + " " + units[at];
}
const shown = { share, size, count: (value) => count.format(value), text: String, path: String };
const numeric = (kind) => kind === "share" || kind === "size" || kind === "count";

function cell(value, kind) {
  const span = made("span", numeric(kind) ? "n" : "");
  if (value === null || value === undefined) { span.textContent = numeric(kind) ? "–" : ""; return span; }
  const [text, link] = Array.isArray(value) ? value : [value, null];
  span.title = span.textContent = shown[kind](text);
  if (link) { span.textContent = ""; const a = made("a", "", text); a.href = link; span.append(a); }
  return span;
}
const plain = (value) => (Array.isArray(value) ? value[0] : value);

function setUp(section) {
  const columns = JSON.parse(section.dataset.columns);
  const rows = JSON.parse(section.querySelector("script").textContent);
  const words = new Array(rows.length);
  const texts = columns.map((one, at) => (numeric(one.kind) ? -1 : at)).filter((at) => at >= 0);
  let order = rows.map((_, at) => at), by = -1, down = false, selected = -1;

  const live = made("div", "live"), tools = made("div", "tools"), input = made("input"), told = made("span", "dim");
  input.type = "search"; input.placeholder = "Filter: words that must occur"; input.setAttribute("aria-label", "Filter");
  told.setAttribute("role", "status");
  tools.append(input, told);
  const grid = made("div", "grid"), head = made("div", "head"), view = made("div", "view"), room = made("div"),
    lines = made("div", "lines"), opened = made("div", "opened");
  const template = columns.map((one) => one.width).join(" ");
  head.style.gridTemplateColumns = template;
  grid.setAttribute("role", "table"); head.setAttribute("role", "row"); view.tabIndex = 0;
  grid.setAttribute("aria-rowcount", rows.length);
  columns.forEach((one, at) => {
    const span = made("span", numeric(one.kind) ? "n" : ""), button = made("button", "", one.title);
    span.setAttribute("role", "columnheader");
    button.addEventListener("click", () => { down = by === at ? !down : numeric(one.kind); by = at; arrange(); });
    span.append(button); head.append(span);
  });
  view.append(room, lines); grid.append(head, view); live.append(tools, grid, opened);
  section.querySelector(".plain").before(live);

  function arrange() {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    order = [];
    for (let at = 0; at < rows.length; at++) {
      if (wanted.length) words[at] ??= texts.map((one) => plain(rows[at][one]) ?? "").join("\n").toLowerCase();
      if (wanted.every((word) => words[at].includes(word))) order.push(at);
    }
    if (by >= 0) {
      const turn = down ? -1 : 1;
      order.sort((one, other) => {
        const a = plain(rows[one][by]), b = plain(rows[other][by]);
        if (a === b) return one - other;
        if (a === null) return 1;
        if (b === null) return -1;
        return a < b ? -turn : turn;
      });
    }
    [...head.children].forEach((span, at) => {
      span.setAttribute("aria-sort", at !== by ? "none" : down ? "descending" : "ascending");
      span.firstChild.textContent = columns[at].title + (at !== by ? "" : down ? " ↓" : " ↑");
    });
    told.textContent = order.length === rows.length ? count.format(rows.length) + " listed"
      : count.format(order.length) + " of " + count.format(rows.length) + " listed";
    room.style.height = order.length * LINE + "px";
    view.style.height = Math.min(order.length * LINE, 480) + "px";
    view.scrollTop = 0;
    draw();
  }
  function draw() {
    const first = Math.max(0, Math.floor(view.scrollTop / LINE) - AROUND);
    const last = Math.min(order.length, Math.ceil((view.scrollTop + 480) / LINE) + AROUND);
    lines.style.transform = "translateY(" + first * LINE + "px)";
    lines.replaceChildren(...order.slice(first, last).map((at) => {
      const line = made("div", "line"), members = rows[at][columns.length];
      line.style.gridTemplateColumns = template;
      line.setAttribute("role", "row");
      columns.forEach((one, column) => line.append(cell(rows[at][column], one.kind)));
      if (members) {
        line.classList.add("opens");
        line.setAttribute("aria-selected", at === selected);
        line.tabIndex = 0;
        const open = () => { selected = at === selected ? -1 : at; show(); draw(); };
        line.addEventListener("click", open);
        line.addEventListener("keydown", (key) => { if (key.key === "Enter") open(); });
      }
      return line;
    }));
  }
  function show() {
    opened.replaceChildren();
    if (selected < 0) return;
    const parts = JSON.parse(section.dataset.members), members = rows[selected][columns.length];
    const table = made("table"), top = made("tr");
    parts.forEach((one) => top.append(made("th", numeric(one.kind) ? "n" : "", one.title)));
    const header = made("thead"), body = made("tbody");
    header.append(top);
    for (const member of members.slice(0, MEMBERS)) {
      const line = made("tr");
      parts.forEach((one, at) => {
        const td = made("td", numeric(one.kind) ? "n" : "");
        td.append(...cell(member[at], one.kind).childNodes);
        line.append(td);
      });
      body.append(line);
    }
    table.append(header, body);
    opened.append(table);
    if (members.length > MEMBERS) opened.append(made("p", "dim", count.format(members.length - MEMBERS) + " more"));
  }
  let waiting = false;
  view.addEventListener("scroll", () => {
    if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); }
  });
  let timer = 0;
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(arrange, 120); });
  arrange();
}
document.querySelectorAll("section[data-columns]").forEach(setUp);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
