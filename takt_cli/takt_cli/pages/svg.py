"""A plot of lines as a picture in a file of its own, for documents that can show no page.

plotly draws in a browser only. This module draws the lines that `axes.Figure` describes: their
points, names, colours and dashes, titles and ranges of axes, linear or logarithmic.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from takt_cli.pages.asset import asset
from takt_cli.pages.axes import Figure, axis

_WIDTH, _HEIGHT = 760, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 180, 40, 48
_TICKS = 6  # about as many on an axis
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: var(--ink2); }
.title { font-size: 15px; font-weight: 600; fill: var(--ink); }
.grid { stroke: var(--grid); }
polyline { fill: none; stroke-width: 2; }
"""


def file_name(title: str) -> str:
    """Name the file of a plot by its title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".svg"


def has_lines_only(figure: Figure) -> bool:
    """Whether this can be drawn as a picture."""
    return all(trace["type"] == "scatter" for trace in figure["data"])


def picture(title: str, figure: Figure) -> str:
    """Draw it; the same figure gives the same text."""
    frame, traces = figure["layout"], [trace for trace in figure["data"] if trace["x"]]
    xs = _Axis.of(frame["xaxis"], [x for trace in traces for x in trace["x"]])
    ys = _Axis.of(frame["yaxis"], [y for trace in traces for y in trace["y"] if y is not None])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{theme_style()}{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="8" fill="var(--surface)"/>',
        f'<text class="title" x="{_LEFT}" y="24">{escape(title)}</text>',
        *_grid(frame, xs, ys),
    ]
    for row, trace in enumerate(traces):
        parts += _line(trace, xs, ys)
        parts += _legend(trace, row)
    return "\n".join([*parts, "</svg>", ""])


@dataclass(frozen=True)
class _Axis:
    """From values to the unit interval."""

    low: float
    high: float
    log: bool
    ticks: Sequence[float]

    @classmethod
    def of(cls, given: Figure, values: Sequence[float]) -> _Axis:
        log = given.get("type") == "log"
        given = {**(axis(values, True) if log else {}), **given}
        low, high = given.get("range") or _span(values)
        ticks = given.get("tickvals") or _round_steps(low, high)
        within = [t for t in ticks if low <= (math.log10(t) if log else t) <= high]
        return cls(low, high, log, within)

    def at(self, value: float) -> float:
        place = math.log10(value) if self.log else value
        return (place - self.low) / (self.high - self.low)


def _span(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return 0.0, 1.0
    margin = 0.04 * (max(values) - min(values)) or 0.5
    return min(values) - margin, max(values) + margin


def _round_steps(low: float, high: float) -> Iterator[float]:
    """1, 2 or 5 times a power of ten apart."""
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough)
    for i in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield round(i * step, 10)


def _x(part: float) -> float:
    return round(_LEFT + part * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(part: float) -> float:
    return round(_HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM), 1)


def _grid(frame: Figure, xs: _Axis, ys: _Axis) -> list[str]:
    left, right, bottom, top = _x(0), _x(1), _y(0), _y(1)
    parts = []
    for tick in ys.ticks:
        y = _y(ys.at(tick))
        parts.append(f'<path class="grid" d="M{left} {y}H{right}"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{tick:g}</text>')
    for tick in xs.ticks:
        x = _x(xs.at(tick))
        parts.append(f'<path class="grid" d="M{x} {bottom}V{top}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    below, beside = (escape(frame[a]["title"]["text"]) for a in ("xaxis", "yaxis"))
    middle = round((bottom + top) / 2, 1)
    parts.append(
        f'<text x="{_x(0.5)}" y="{_HEIGHT - 10}" text-anchor="middle">{below}</text>'
        f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">{beside}</text>'
    )
    return parts


def _line(trace: dict[str, Any], xs: _Axis, ys: _Axis) -> Iterator[str]:
    points = [
        (_x(xs.at(x)), _y(ys.at(y)))
        for x, y in zip(trace["x"], trace["y"], strict=True)
        if y is not None
    ]
    places = " ".join(f"{x},{y}" for x, y in points)
    yield f'<polyline points="{places}" {_stroke(trace)}/>'
    if "markers" in trace["mode"]:
        marker = trace.get("marker", {})
        for i, (x, y) in enumerate(points):
            colour = _one_of(marker.get("color", trace["line"]["color"]), i)
            size = _one_of(marker.get("size", 6), i)
            yield f'<circle cx="{x}" cy="{y}" r="{size / 2:g}" fill="var({colour})"/>'


def _legend(trace: dict[str, Any], row: int) -> Iterator[str]:
    x, y = _WIDTH - _RIGHT + 14, _TOP + 8 + 22 * row
    yield f'<polyline points="{x},{y} {x + 24},{y}" {_stroke(trace)}/>'
    yield f'<text x="{x + 31}" y="{y + 4}">{escape(trace["name"])}</text>'


def _stroke(trace: dict[str, Any]) -> str:
    dash = ' stroke-dasharray="2 4"' if trace["line"].get("dash", "solid") != "solid" else ""
    return f'stroke="var({trace["line"]["color"]})"{dash}'


def _one_of(given: Any, i: int) -> Any:
    """One for all points, or one for each."""
    return given[i] if isinstance(given, (list, tuple)) else given


def theme_style() -> str:
    """Give the colours of the page, light or dark as the reader's system is."""
    light, dark = re.findall(r":root[^{]*\{([^}]*)\}", asset("style.css"))[:2]
    return f":root {{{light}}}\n@media (prefers-color-scheme: dark) {{ :root {{{dark}}} }}"
