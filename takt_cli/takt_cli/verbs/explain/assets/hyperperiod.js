// The choice of a chain: the page is whole without them.
const buttons = [...document.querySelectorAll("button.chain")];
const rows = [...document.querySelectorAll("g.row")];

// Rows of the chosen chain have its colour, and all others are pale.
function show(chosen) {
  for (const row of rows) {
    const member = chosen && row.dataset.chains.split(" ").includes(chosen.dataset.chain);
    row.classList.toggle("dim", Boolean(chosen) && !member);
    row.style.setProperty("--c", `var(${member ? chosen.dataset.colour : row.dataset.colour})`);
  }
}

for (const button of buttons) {
  button.addEventListener("click", () => {
    const chosen = button.getAttribute("aria-pressed") === "true" ? null : button;
    for (const other of buttons) other.setAttribute("aria-pressed", String(other === chosen));
    show(chosen);
  });
}
show(buttons.find((button) => button.getAttribute("aria-pressed") === "true"));
