"use strict";

// The page is whole without this script, which only looks things up on it.

const form = document.getElementById("filters");
const search = document.getElementById("search");
const column = document.getElementById("column");
const state = document.getElementById("state");
const count = document.getElementById("count");
const table = document.getElementById("coverage");
const columns = document.styleSheets[0];
const rows = Array.from(table.tBodies[0].rows, (row) => {
  const link = row.querySelector("a");
  return { row, text: `${link.textContent} ${link.title}`.toLowerCase() };
});
const withoutColumnRule = columns.cssRules.length;

/** Whether some cell of a row that is looked at is in a state. */
function isInState(row, place, wanted) {
  const cells = place ? [row.cells[place]] : Array.from(row.cells).slice(1);
  return cells.some((cell) => cell.classList.contains(wanted));
}

/** Show one column beside the names, or all of them. */
function showColumn(place) {
  if (columns.cssRules.length > withoutColumnRule) {
    columns.deleteRule(withoutColumnRule);
  }
  table.classList.toggle("alone", place > 0);
  if (place) {
    const others = `#coverage tr > :not(:first-child, :nth-child(${place + 1}))`;
    columns.insertRule(`${others} { display: none; }`, withoutColumnRule);
  }
}

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const place = Number(column.value);
  let shown = 0;
  for (const { row, text } of rows) {
    const fits =
      words.every((word) => text.includes(word)) &&
      (!state.value || isInState(row, place, state.value));
    row.hidden = !fits;
    shown += fits;
  }
  showColumn(place);
  count.value = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} overloads`;
}

// At most once for each picture of the screen, however fast somebody types.
let waiting = 0;
function filterSoon() {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(filter);
}

form.addEventListener("input", filterSoon);
form.addEventListener("reset", () => setTimeout(filter));
form.addEventListener("submit", (event) => event.preventDefault());

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape") {
    document.querySelector(".card:target .close")?.click();
  }
});

addEventListener("hashchange", () => document.querySelector(".card:target")?.focus());

// The word of a cell, for those who point at its sign.
table.addEventListener("pointerover", (event) => {
  const cell = event.target.closest("td");
  if (cell && !cell.title) {
    const name = table.tHead.rows[0].cells[cell.cellIndex].textContent;
    cell.title = `${name}: ${cell.textContent}`;
  }
});

form.hidden = false;
filter();
