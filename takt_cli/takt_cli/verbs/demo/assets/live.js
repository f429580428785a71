// What the pages of all live demos have: the stream of lines, controls that are parameters, and plots that move.
const byId = (id) => document.getElementById(id);
const handlers = {};  // by the kind of a line
const redraws = [];
let waiting = false;

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const draw of redraws) draw();
  });
}
root.addEventListener("theme", redraw);
addEventListener("resize", redraw);

function tell(text, bad = false) {
  const place = byId("connection");
  place.textContent = text;
  place.classList.toggle("bad", bad);
}

function say(id, text) {
  byId(id).textContent = text;
  byId(id).hidden = !text;
}
const refuse = (text) => say("refused", text);
// What the kernel refused stays on the page, whatever the user does.
const tellRights = (refused) => say("rights", refused.length ? `Missing rights: ${refused.join("; ")}` : "");

// The lines that the server keeps come again after each connection, so all begins anew.
function connect(restart) {
  const events = new EventSource("/events");
  events.onopen = () => { restart(); tell("live"); };
  events.onmessage = (event) => {
    const line = JSON.parse(event.data);
    (handlers[line.kind] ?? (() => {}))(line);
    redraw();
  };
  events.addEventListener("end", () => { events.close(); tell("The program has ended."); });
  events.onerror = () => tell("The connection is lost; trying again.", true);
}
handlers.refused = (line) => refuse(line.text);

// Requests may overtake each other. So each parameter has one on its way, and the latest value waits for its answer.
const asked = new Map();
async function setParameter(name, value) {
  const underWay = asked.has(name);
  asked.set(name, { value });
  if (underWay) return;
  refuse("");
  for (let next; (next = asked.get(name)); ) {
    asked.set(name, null);
    await send({ [name]: next.value });
  }
  asked.delete(name);
}

async function send(values) {
  try {
    const answer = await fetch("/set", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values),
    });
    if (!answer.ok) refuse(await answer.text());
  } catch {
    refuse("The program did not take the change: it has ended, or the connection is lost.");
  }
}

// A control follows the parameter, which others may change too, but not while the user holds it or its value is on the way.
function control(id, read, write) {
  const element = byId(id);
  element.addEventListener("input", () => setParameter(element.name, read(element)));
  const held = () => asked.has(element.name) || (document.activeElement === element && element.matches(":active"));
  return (value) => { if (!held()) write(element, value); };
}

function duration(ns) {
  if (ns === null || ns === undefined) return "–";
  for (const [unit, factor] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= factor) return `${Number((ns / factor).toPrecision(3))} ${unit}`;
  }
  return `${ns} ns`;
}

function prepare(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const dense = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * dense);
  canvas.height = Math.round(height * dense);
  const pen = canvas.getContext("2d");
  pen.scale(dense, dense);
  pen.font = "12px system-ui, sans-serif";
  const css = getComputedStyle(root);
  return { pen, width, height, colour: (name) => css.getPropertyValue(name).trim() };
}

// Lines and points over the last seconds. `axis`: {low, high, log, ticks: [[value, text]]}.
class Plot {
  constructor(id, seconds, axis) {
    Object.assign(this, { canvas: byId(id), seconds, axis, series: [], marks: [], lines: [] });
    redraws.push(() => this.draw());
  }
  add(name, colour, points = false) {
    const series = { name, colour, points, x: [], y: [] };
    this.series.push(series);
    return series;
  }
  push(series, x, y) {
    series.x.push(x);
    series.y.push(y);
    const old = series.x.findIndex((one) => one >= x - this.seconds);
    if (old > 200) { series.x.splice(0, old); series.y.splice(0, old); }
  }
  clear() {
    for (const series of this.series) series.x = [], series.y = [];
    this.marks = [];
  }
  draw() {
    const { pen, width, height, colour } = prepare(this.canvas);
    const left = 58, right = 10, top = 26, bottom = 20;
    const last = Math.max(this.seconds, ...this.series.map((one) => one.x.at(-1) ?? 0));
    const first = last - this.seconds;
    const { low, high, log, ticks } = this.axis;
    const place = (value) => (log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low));
    const X = (x) => left + ((x - first) / this.seconds) * (width - left - right);
    const Y = (y) => height - bottom - Math.min(Math.max(place(y), 0), 1) * (height - top - bottom);
    pen.strokeStyle = colour("--grid");
    pen.fillStyle = colour("--ink2");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [value, text] of ticks) {
      pen.beginPath();
      pen.moveTo(left, Y(value));
      pen.lineTo(width - right, Y(value));
      pen.stroke();
      pen.fillText(text, left - 6, Y(value));
    }
    pen.textAlign = "center";
    for (let second = Math.ceil(first / 5) * 5; second <= last; second += 5) {
      pen.fillText(`${second} s`, Math.min(Math.max(X(second), left + 12), width - right - 14), height - 7);
    }
    for (const [value, text, name] of this.lines) {
      pen.strokeStyle = pen.fillStyle = colour(name);
      pen.setLineDash([2, 4]);
      pen.beginPath();
      pen.moveTo(left, Y(value));
      pen.lineTo(width - right, Y(value));
      pen.stroke();
      pen.setLineDash([]);
      pen.textAlign = "right";
      pen.fillText(text, width - right - 2, Y(value) - 8);
    }
    for (const { x, text } of this.marks) {
      if (x < first) continue;
      pen.strokeStyle = pen.fillStyle = colour("--faint");
      pen.beginPath();
      pen.moveTo(X(x), top);
      pen.lineTo(X(x), height - bottom);
      pen.stroke();
      pen.textAlign = X(x) > width - 120 ? "right" : "left";
      pen.fillText(text, X(x) + (pen.textAlign === "left" ? 4 : -4), top + 8);
    }
    let key = left;
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, width - left, height);
    pen.clip();
    for (const series of this.series) {
      pen.strokeStyle = pen.fillStyle = colour(series.colour);
      pen.lineWidth = 2;
      pen.beginPath();
      for (let i = 0; i < series.x.length; ++i) {
        const x = X(series.x[i]), y = Y(series.y[i]);
        if (series.points) { pen.moveTo(x + 2.5, y); pen.arc(x, y, 2.5, 0, 7); }
        else if (i === 0) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      }
      if (series.points) pen.fill();
      else pen.stroke();
      pen.fillRect(key, 8, 14, 4);
      pen.fillStyle = colour("--ink2");
      pen.textAlign = "left";
      pen.fillText(series.name, key + 19, 11);
      key += 36 + pen.measureText(series.name).width;
    }
    pen.restore();
  }
}
