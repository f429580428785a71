// The page of `takt demo camera`.
const SECONDS = 20;
const plot = new Plot("delays", SECONDS, {
  low: 1e6, high: 4e8, log: true,
  ticks: [[1e6, "1 ms"], [3e6, "3 ms"], [1e7, "10 ms"], [3e7, "30 ms"], [1e8, "100 ms"], [3e8, "300 ms"]],
});
plot.lines.push([8e6, "deadline 8 ms", "--s8"]);
const series = { stock: plot.add("stock", "--s2", true), planned: plot.add("planned", "--s1", true) };
let frame = null, load = null;

function restart() {
  plot.clear();
  frame = load = null;
}

const showLoad = control("load", (one) => one.checked, (one, value) => { one.checked = value; });

handlers.begun = (line) => {
  const refused = [];
  for (const side of line.sides) {
    byId(`${side.side}-threads`).textContent = side.threads.join("; ");
    refused.push(...side.refused);
  }
  tellRights(refused);
};

handlers.frame = (line) => {
  const now = line.time_ns / 1e9;
  for (const side of line.sides) for (const ns of side.delays_ns) plot.push(series[side.side], now, ns);
  if (load !== line.load) plot.marks.push({ x: now, text: line.load ? "load" : "no load" });
  load = line.load;
  frame = line;
};

function words() {
  if (!frame) return;
  showLoad(frame.load);
  const late = {};
  for (const { side, late: count, delay } of frame.sides) {
    for (const name of ["p50", "p99", "max"]) byId(`${side}-${name}`).textContent = duration(delay[`${name}_ns`]);
    byId(`${side}-late`).textContent = count.toLocaleString("en");
    byId(`${side}-late`).className = count ? "bad" : "good";
    byId(`${side}-count`).textContent = delay.count.toLocaleString("en");
    late[side] = `${count} of ${delay.count} images`;
  }
  const text = `After the deadline of 8 ms: stock ${late.stock}, planned ${late.planned}.`;
  if (byId("verdict").textContent !== text) byId("verdict").textContent = text;
}
redraws.push(words);
connect(restart);
