"""A page in a real browser without a window: errors, requests, places, and what a script finds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "chrome-headless-shell")
_PATIENCE_S = 120

# Chromium makes no window that is narrower; there the page is in a frame.
_NARROWEST_WINDOW = 500
_FRAME = """<!doctype html><html><body>
<iframe style="width: WIDTHpx; height: 900px; border: 0"></iframe>
<script>document.querySelector("iframe").srcdoc = PAGE;</script>
</body></html>"""
# In which boxes a part of a table is out of sight, and which of these show that: by a shadow, which
# is the first four of their backgrounds, or in words.
SCROLLED = """
  const boxes = [...document.querySelectorAll(".scroll")].filter(
    (one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight);
  const shadows = (one) => getComputedStyle(one).backgroundImage.split("gradient(").length - 1;
  return {
    hidden: boxes.length,
    silent: boxes.filter((one) => shadows(one) < 8).map((one) => one.outerHTML.slice(0, 200)),
  };
"""

# Before the page's own scripts.
_WATCH = """<script>
window.probe = { errors: [], refused: [] };
addEventListener("error", (event) => probe.errors.push(String(event.message)));
addEventListener("securitypolicyviolation", (event) => probe.refused.push(event.blockedURI));
</script>"""
# After them. An element in a box that scrolls may be wider than the page.
_TELL = """<script>
addEventListener("load", async () => {
  await window.drawn;  // a promise, where the page draws later
  const wide = [...document.querySelectorAll("body *")].filter((one) =>
    !one.closest(".scroll, svg, pre") && one.getBoundingClientRect().right > innerWidth + 0.5);
  const cut = [...document.querySelectorAll("svg.plot-svg text")].filter((one) => {
    const { width, height } = one.ownerSVGElement.viewBox.baseVal;
    const box = one.getBBox();
    const beyond = box.x < -1 || box.x + box.width > width + 1 || box.y + box.height > height;
    return box.width && beyond;
  });
  Object.assign(probe, {
    resources: performance.getEntriesByType("resource").map((one) => one.name),
    width: document.documentElement.scrollWidth,
    shown: innerWidth,
    wide: wide.map((one) => one.outerHTML.slice(0, 200)),
    cut: cut.map((one) => one.textContent),
    text: document.body.innerText,
  });
  try { probe.found = (() => { SCRIPT })(); } catch (error) { probe.errors.push(String(error)); }
  const whole = window.frameElement ? parent.document : document;
  const told = whole.createElement("pre");
  told.id = "probe-told";
  told.textContent = JSON.stringify(probe);
  whole.body.append(told);
});
</script>"""


def browser() -> str | None:
    """Path of a browser; None where none is installed."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


need_browser = pytest.mark.skipif(browser() is None, reason="no Chromium is installed")


def look(page: str, directory: Path, script: str = "", width: int = 1280) -> dict[str, Any]:
    """Open a page, run a script that returns something, and tell what came of both."""
    path = directory / "page.html"
    page = page.replace("<head>", f"<head>{_WATCH}", 1)
    path.write_text(page.replace("</body>", _TELL.replace("SCRIPT", script) + "</body>", 1))
    if width < _NARROWEST_WINDOW:
        frame = path.with_name("frame.html")
        inner = json.dumps(path.read_text()).replace("</", "<\\/")
        frame.write_text(_FRAME.replace("WIDTH", str(width)).replace("PAGE", inner))
        path = frame
    program = browser()
    assert program is not None
    command = [
        program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        f"--user-data-dir={directory / 'profile'}", f"--window-size={width},1000",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=60000",
        "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    told = re.search(r'<pre id="probe-told">(.*?)</pre>', done.stdout, re.S)
    assert told, done.stderr[-2000:]
    return json.loads(unescape(told.group(1)))
