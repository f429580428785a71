"use strict";
// The page's theme: as the system's, and the button changes it. An event tells who draws in its colours.
const root = document.documentElement;
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function setTheme(name) {
  root.dataset.theme = name;
  root.dispatchEvent(new Event("theme"));
}

document.getElementById("theme").addEventListener("click", () => {
  setTheme(root.dataset.theme === "dark" ? "light" : "dark");
});
dark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
setTheme(dark.matches ? "dark" : "light");
