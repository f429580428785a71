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

// The library is in the page, packed. An element of its own runs it: the page's policy allows that, and no `eval`.
async function unpack() {
  const packed = atob(document.getElementById("plotly").textContent);
  const unpacking = new DecompressionStream("deflate");
  const writer = unpacking.writable.getWriter();
  writer.write(Uint8Array.from(packed, (character) => character.charCodeAt(0)));
  writer.close();
  const script = document.createElement("script");
  script.textContent = await new Response(unpacking.readable).text();
  document.head.append(script);
}

function apologise() {
  for (const id of Object.keys(figures)) {
    document.getElementById(id).textContent =
      "This browser is too old for the plots; browsers of 2023 and later draw them.";
  }
}

async function begin() {
  if (!("DecompressionStream" in window)) return apologise();
  await unpack();
  root.addEventListener("theme", draw);
  draw();
}

window.drawn = begin();
