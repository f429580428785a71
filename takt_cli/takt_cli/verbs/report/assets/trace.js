// Sorting of tables, and a field that finds rows: the page is whole without them.
const FROM = 20; // so many rows are worth a field that finds some of them

function compare(one, other, column) {
  const [a, b] = [one.cells[column], other.cells[column]];
  if (a.dataset.v === undefined || b.dataset.v === undefined) {
    return b.textContent.localeCompare(a.textContent, undefined, { numeric: true });
  }
  return Number(a.dataset.v) - Number(b.dataset.v);
}

// The first click on a title puts the largest figures, or the first words, on top.
function sort(table, head, column) {
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, other) => (down ? -1 : 1) * compare(one, other, column));
  table.tBodies[0].append(...rows);
}

function addFind(table) {
  const field = document.createElement("input");
  field.className = "find";
  field.type = "search";
  field.placeholder = "Show only rows with these words";
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase();
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(words);
    }
  });
  table.parentNode.before(field);
}

for (const table of document.querySelectorAll("table.sorted")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.textContent || head.classList.contains("strip")) return;
    head.setAttribute("role", "button");
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(table, head, column));
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort(table, head, column);
    });
  });
  if (table.tBodies[0].rows.length >= FROM) addFind(table);
}

// A link into a chain that is closed opens it.
function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  const part = target && target.querySelector("details");
  if (part) part.open = true;
}
window.addEventListener("hashchange", openTarget);
openTarget();
