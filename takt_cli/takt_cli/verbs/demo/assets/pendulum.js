// The page of `takt demo pendulum`.
const SECONDS = 20, FLOOR = 0.6;
const angle = new Plot("angle", SECONDS, {
  low: -0.65, high: 0.65, ticks: [[-0.6, "−0.6 rad"], [-0.3, "−0.3"], [0, "0"], [0.3, "0.3"], [0.6, "0.6 rad"]],
});
const angles = angle.add("angle", "--s1");
const wanted = angle.add("set point", "--s2");
const fell = angle.add("fell", "--s8", true);
const wakeup = new Plot("wakeup", SECONDS, {
  low: 1e4, high: 2e9, log: true,
  ticks: [[1e4, "10 µs"], [1e5, "100 µs"], [1e6, "1 ms"], [1e7, "10 ms"], [1e8, "100 ms"], [1e9, "1 s"]],
});
wakeup.lines.push([1e6, "the period", "--s8"]);
const latest = wakeup.add("latest wake-up", "--s1");
const misses = new Plot("misses", SECONDS, {
  low: 0.5, high: 1000, log: true, ticks: [[0.5, "0"], [1, "1"], [10, "10"], [100, "100"], [1000, "1,000"]],
});
const missed = misses.add("missed periods", "--s2");
const plots = [angle, wakeup, misses];

let sample = 0.005, base = 0, now = 0, frame = null, last = null, recent = [], shown = 0;
// The time of the pendulum's first angle, and the number of angles: they come late where the control loop is late.
let first = null, count = 0;

function restart() {
  for (const plot of plots) plot.clear();
  base = now = 0, frame = last = first = null, recent = [];
}

const show = {
  load: control("load", (one) => one.checked, (one, value) => { one.checked = value; }),
};
for (const [name, digits] of [["setpoint", 2], ["kp", 0], ["kd", 0]]) {
  const output = byId(`${name}-value`);
  const write = control(name, (one) => Number(one.value), (one, value) => { one.value = value; });
  const units = { setpoint: "rad", kp: "1/s²", kd: "1/s" };
  show[name] = (value) => { write(value); output.textContent = `${value.toFixed(digits)} ${units[name]}`; };
}
const variants = [...document.querySelectorAll("input[name=variant]")];
for (const one of variants) {
  one.addEventListener("change", () => { if (one.checked) setParameter("variant", one.value); });
}

handlers.begun = (line) => {
  sample = line.sample_ns / 1e9;
  base = now;
  last = first = null;
  count = 0;
  recent = [];
  for (const plot of plots) plot.marks.push({ x: now, text: line.variant });
  byId("about").textContent =
    `Controller at 1 kHz, variant ${line.variant}; the kernel granted its thread: ${line.granted}.`;
  tellRights(line.refused);
};

handlers.frame = (line) => {
  now = base + line.time_ns / 1e9;
  const begin = now - line.angles.length * sample;
  if (line.angles.length && (first === null || first + count * sample < begin - 1)) {
    first = begin;  // also after a pause of the machine, for which there are no angles
    count = 0;
  }
  for (const value of line.angles) angle.push(angles, first + ++count * sample, value);
  angle.push(wanted, now, line.wanted);
  // The counts of the first frame may be those of hours before this page was opened.
  const ran = last && line.cycles > last.cycles;
  if (ran) wakeup.push(latest, now, line.latest_ns);
  if (last) misses.push(missed, now, line.missed - last.missed);
  recent = [...recent, ran ? line.latest_ns : null].slice(-20);
  if (last && line.falls > last.falls) angle.push(fell, now, 0);
  last = frame = line;
};

function words() {
  if (!frame) return;
  for (const [name, write] of Object.entries(show)) write(frame[name]);
  for (const one of variants) if (!asked.has("variant")) one.checked = one.value === frame.variant;
  for (const name of ["falls", "missed", "late", "cycles"]) byId(name).textContent = frame[name].toLocaleString("en");
  byId("falls").className = frame.falls ? "bad" : "good";
  const woken = recent.filter((ns) => ns !== null);
  byId("latest").textContent = woken.length ? duration(Math.max(...woken)) : "none";
  const seconds = Math.round(frame.time_ns / 1e9);
  const text = frame.falls
    ? `Variant ${frame.variant}: the pendulum fell ${frame.falls} times in ${seconds} s${frame.stands ? "." : ", and lies on the floor."}`
    : `Variant ${frame.variant}: the pendulum stands, for ${seconds} s.`;
  if (byId("verdict").textContent !== text) byId("verdict").textContent = text;
}
redraws.push(words);

function scene() {
  const { pen, width, height, colour } = prepare(byId("scene"));
  const x = width / 2, y = height - 36, long = height - 76;
  const tip = (value) => [x + long * Math.sin(value), y - long * Math.cos(value)];
  pen.lineCap = "round";
  pen.strokeStyle = colour("--grid");
  pen.lineWidth = 2;
  for (const side of [-FLOOR, FLOOR]) {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(...tip(side));
    pen.stroke();
  }
  if (!frame) return;
  pen.strokeStyle = colour("--s2");
  pen.setLineDash([3, 5]);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(...tip(frame.wanted));
  pen.stroke();
  pen.setLineDash([]);
  shown = angles.y.at(-1) ?? 0;
  const body = colour(frame.stands ? "--s1" : "--bad");
  pen.strokeStyle = pen.fillStyle = body;
  pen.lineWidth = 8;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(...tip(shown));
  pen.stroke();
  pen.beginPath();
  pen.arc(...tip(shown), 15, 0, 7);
  pen.fill();
  pen.fillStyle = colour("--ink2");
  pen.beginPath();
  pen.arc(x, y, 9, 0, 7);
  pen.fill();
  pen.textAlign = "center";
  pen.fillText(`${(shown * 180 / Math.PI).toFixed(1)}°`, x, height - 8);
}
redraws.push(scene);
connect(restart);
