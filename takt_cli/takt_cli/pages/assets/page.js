// Draws every plot in the colours of the page's theme; again when the theme changes.
const figures = JSON.parse(document.getElementById("figures").textContent);
const config = { responsive: true, displaylogo: false, displayModeBar: false };

function coloured(value, css) {
  if (typeof value === "string") {
    return /^--[a-z]+\d*$/.test(value) ? css.getPropertyValue(value).trim() : value;
  }
  if (Array.isArray(value)) return value.map((item) => coloured(item, css));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, coloured(v, css)]));
  }
  return value;
}

function draw() {
  const css = getComputedStyle(root);
  const colour = (name) => css.getPropertyValue(name).trim();
  for (const [id, figure] of Object.entries(figures)) {
    const { data, layout } = coloured(figure, css);
    const axis = { gridcolor: colour("--grid"), linecolor: colour("--grid"), automargin: true };
    Plotly.react(id, data, {
      ...layout,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--ink2"), size: 12, family: "system-ui, sans-serif" },
      hoverlabel: {
        bgcolor: colour("--surface"), bordercolor: colour("--border"), font: { color: colour("--ink") },
      },
      xaxis: { ...axis, ...layout.xaxis },
      yaxis: { ...axis, ...layout.yaxis },
    }, config);
  }
}

root.addEventListener("theme", draw);
draw();
