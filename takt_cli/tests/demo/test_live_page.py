"""The pages of the live demos in a real browser, with lines as the program writes them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import threading
import time
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from support.browser import browser, need_browser
from support.schemas import example
from takt_cli.verbs.demo.event_hub import EventHub
from takt_cli.verbs.demo.live_page import live_page
from takt_cli.verbs.demo.page_server import PageServer

pytestmark = need_browser
PATIENCE_S = 120
_WATCH = """<script>
window.probe = { errors: [], refused: [] };
addEventListener("error", (event) => probe.errors.push(String(event.message)));
addEventListener("unhandledrejection", (event) => probe.errors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => probe.refused.push(event.blockedURI));
const ask = (condition) => {
  if (condition()) fetch("HOLD/ready", { mode: "no-cors" });
  else setTimeout(() => ask(condition), 20);
};
</script>"""
# The page is loaded when this image is: so long the stream goes on.
_TELL = """<img src="HOLD/image" alt="" hidden><script>
(() => { BEGIN })();
ask(() => { UNTIL });
addEventListener("load", () => {
  const drawn = [...document.querySelectorAll("canvas")].map((canvas) => {
    const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(bytes.buffer)).size;
  });
  const wide = [...document.querySelectorAll("body *")].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 0.5);
  Object.assign(probe, {
    drawn, wide: wide.map((one) => one.outerHTML.slice(0, 200)), text: document.body.innerText,
    width: document.documentElement.scrollWidth, shown: innerWidth,
    checked: [...document.querySelectorAll("input:checked")].map((one) => one.value),
  });
  const told = document.createElement("pre");
  told.id = "probe-told";
  told.textContent = JSON.stringify(probe);
  document.body.append(told);
});
</script>"""


class Hold(ThreadingHTTPServer):
    """Gives an image when the page has said that it is ready."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _HoldHandler)
        self.ready = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class _HoldHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/ready":
            self.server.ready.set()
        else:
            self.server.ready.wait(PATIENCE_S)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def look(name, directory, lines, *, later=(), begin="", until="return true", width=1280, end=False):
    """Open the page of a demo while lines come; give what it told, and what its controls sent.

    `later` are lines that come when the page is there.
    """
    hub, sent, hold = EventHub(), [], Hold()

    def publish_later():
        until = time.monotonic() + PATIENCE_S
        while not hub.listeners and time.monotonic() < until:
            time.sleep(0.01)
        for line in later:
            hub.publish(line["kind"], json.dumps(line))

    page = live_page("A demo <now>", "about it", name)
    page = page.replace("<head>", f"<head>{_WATCH}", 1)
    page = page.replace(
        "connect-src 'self'; img-src data:",
        f"connect-src 'self' {hold.url}; img-src {hold.url} data:",
    )
    tell = _TELL.replace("BEGIN", begin).replace("UNTIL", until)
    page = page.replace("</body>", f"{tell}</body>").replace("HOLD", hold.url)
    for line in lines:
        hub.publish(line["kind"], json.dumps(line))
    with PageServer(page, hub, sent.append, 0) as server:
        threading.Thread(target=publish_later, daemon=True).start()
        if end:
            threading.Timer(1.0, hub.close, (PATIENCE_S,)).start()
        command = [
            browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={directory / 'profile'}", f"--window-size={width},1000",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--dump-dom", server.url,
        ]  # fmt: skip
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    hold.shutdown()
    hold.server_close()
    found = re.search(r'<pre id="probe-told">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr[-2000:]
    told = json.loads(unescape(found.group(1)))
    assert told["errors"] == []
    assert told["refused"] == []
    assert told["wide"] == []
    assert told["width"] <= told["shown"] == width
    return told, sent


def pendulum_lines(frames=40, falls=0, refused=(), variant="realtime"):
    yield example(
        "live_pendulum#begun",
        variant=variant,
        sample_ns=5_000_000,
        granted="fifo 80",
        refused=list(refused),
    )
    for number in range(frames):
        yield example(
            "live_pendulum#frame",
            variant=variant,
            time_ns=number * 50_000_000,
            angles=[0.1 * math.sin(number + i / 10) for i in range(10)],
            wanted=0.1,
            setpoint=0.12,
            load=True,
            kp=200_000.0,
            kd=900.0,
            latest_ns=25_000 + number,
            cycles=50 * number,
            falls=falls,
            stands=not falls,
        )


def camera_lines(frames=40, refused=()):
    sides = ("stock", "planned")
    yield example(
        "live_camera#begun",
        sides=[
            {
                "side": side,
                "threads": [f"{side}: fifo 90, core 0"],
                "refused": list(refused) if side == "planned" else [],
            }
            for side in sides
        ],
    )
    for number in range(frames):
        yield example(
            "live_camera#frame",
            time_ns=number * 50_000_000,
            load=True,
            sides=[
                example(
                    "live_camera#side",
                    side=side,
                    late=7 * number * (side == "stock"),
                    delays_ns=[(40 if side == "stock" else 4) * 10**6],
                    delay={"count": number, "p50_ns": 4e6, "p99_ns": None, "max_ns": 5e6},
                )
                for side in sides
            ],
        )


SEEN = 'return !document.getElementById("verdict").textContent.startsWith("Waiting")'


@pytest.mark.parametrize("width", [1280, 500])
def test_the_pendulum_is_shown(tmp_path, width):
    told, sent = look("pendulum", tmp_path, list(pendulum_lines()), until=SEEN, width=width)
    assert all(colours > 3 for colours in told["drawn"])
    assert len(told["drawn"]) == 4
    for words in (
        "A demo <now>",
        "Variant realtime: the pendulum stands, for 2 s.",
        "the kernel granted its thread: fifo 80",
        "1,950",
        "25 µs",
        "0.12 rad",
        "live",
    ):
        assert words in told["text"]
    assert "realtime" in told["checked"]
    assert sent == []


def test_falls_and_missing_rights_are_shown(tmp_path):
    told, _ = look("pendulum", tmp_path, list(pendulum_lines(3, 2, ["no <right>"])), until=SEEN)
    assert "the pendulum fell 2 times" in told["text"]
    assert "lies on the floor" in told["text"]
    assert "Missing rights: no <right>" in told["text"]


def test_controls_set_parameters(tmp_path):
    begin = """
      setTimeout(() => {
        document.querySelector("input[value=executor]").click();
        document.getElementById("load").click();
        const slider = document.getElementById("setpoint");
        slider.value = -0.2;
        slider.dispatchEvent(new Event("input"));
        window.clicked = true;
      }, 500);
    """
    done = """
      const asked = performance.getEntriesByType("resource").map((one) => one.name);
      return window.clicked && asked.filter((name) => name.endsWith("/set")).length === 3;
    """
    _, sent = look("pendulum", tmp_path, list(pendulum_lines()), begin=begin, until=done)
    assert sorted(map(str, sent)) == sorted(
        map(str, [{"variant": "executor"}, {"load": False}, {"setpoint": -0.2}])
    )


REFUSED = {"kind": "refused", "text": "kp is <too> large"}


def test_a_refused_parameter_is_shown(tmp_path):
    seen = 'return !document.getElementById("refused").hidden'
    told, _ = look("pendulum", tmp_path, list(pendulum_lines()), later=[REFUSED], until=seen)
    assert "kp is <too> large" in told["text"]


@pytest.mark.parametrize("name", ["pendulum", "camera"])
def test_the_next_click_ends_a_refusal_but_not_the_missing_rights(tmp_path, name):
    lines = {
        "pendulum": lambda: pendulum_lines(refused=["no right"]),
        "camera": lambda: camera_lines(refused=["no right"]),
    }[name]()
    begin = """
      const seen = setInterval(() => {
        const load = document.getElementById("load");
        if (document.getElementById("refused").hidden || !load.checked) return;
        clearInterval(seen);
        load.click();
        window.clicked = true;
      }, 20);
    """
    done = "return window.clicked && asked.size === 0"
    told, sent = look(name, tmp_path, list(lines), later=[REFUSED], begin=begin, until=done)
    assert sent == [{"load": False}]
    assert "Missing rights: no right" in told["text"]
    assert "kp is" not in told["text"]


def test_a_slider_sends_one_value_at_a_time_and_ends_at_the_latest(tmp_path):
    begin = """
      setTimeout(() => {
        const slider = document.getElementById("setpoint");
        for (let number = 0; number <= 20; ++number) {
          slider.value = number / 100;
          slider.dispatchEvent(new Event("input"));
        }
        window.moved = true;
      }, 300);
    """
    done = "return window.moved && asked.size === 0"
    _, sent = look("pendulum", tmp_path, list(pendulum_lines()), begin=begin, until=done)
    assert sent == [{"setpoint": 0}, {"setpoint": 0.2}]


def test_a_page_that_is_opened_late_does_not_draw_the_misses_so_far(tmp_path):
    begun, *frames = pendulum_lines()
    for frame in frames:
        frame["missed"] = 5000
    seen = f"probe.misses = missed.y; {SEEN}"
    told, _ = look("pendulum", tmp_path, [begun, *frames], until=seen)
    assert told["misses"] == [0] * (len(frames) - 1)


def test_a_second_without_a_cycle_has_no_latest_wakeup(tmp_path):
    begun, *frames = pendulum_lines()
    for frame in frames:
        frame |= {"cycles": 3, "latest_ns": 0}
    told, _ = look("pendulum", tmp_path, [begun, *frames], until=SEEN)
    assert re.search(r"latest wake-up, last second\s+none", told["text"])


def test_the_end_of_the_program_is_shown(tmp_path):
    # The browser draws the last lines in its next frame, which may come after the end.
    ended = f'if (!document.body.innerText.includes("The program has ended.")) return false; {SEEN}'
    told, _ = look("pendulum", tmp_path, list(pendulum_lines()), until=ended, end=True)
    assert "the pendulum stands" in told["text"]


@pytest.mark.parametrize("width", [1280, 500])
def test_the_camera_is_shown(tmp_path, width):
    told, _ = look("camera", tmp_path, list(camera_lines()), until=SEEN, width=width)
    assert all(colours > 3 for colours in told["drawn"])
    for words in (
        "After the deadline of 8 ms: stock 273 of 39 images, planned 0 of 39 images.",
        "planned: fifo 90, core 0",
        "4 ms",
        "5 ms",
    ):
        assert words in told["text"]
