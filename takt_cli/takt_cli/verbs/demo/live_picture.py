"""A picture of live runs, one below the other: a value over time, and the latencies beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from takt_cli.pages.scale import Scale
from takt_cli.pages.svg import theme_style

_WIDTH, _LEFT, _GAP, _RIGHT = 900, 62, 78, 16
_TOP, _ROW, _PLOT = 44, 152, 92
# As those of the page.
_LOW_NS, _HIGH_NS = 10_000, 2_000_000_000
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: var(--ink2); }
.title { font-size: 15px; font-weight: 600; fill: var(--ink); }
.row { font-size: 13px; font-weight: 600; fill: var(--ink); }
.grid { stroke: var(--grid); }
polyline { fill: none; stroke-width: 1.5; }
"""


@dataclass(frozen=True)
class Strip:
    """One run. Times in ns."""

    title: str
    colour: str
    values: Sequence[tuple[float, float]]
    latencies: Sequence[tuple[float, float]]


def picture(
    title: str, strips: Sequence[Strip], low: float = -0.6, high: float = 0.6, unit: str = "rad"
) -> str:
    """Draw it."""
    height = _TOP + _ROW * len(strips) + 10
    parts = [*_frame(title, height)]
    times = [time for one in strips for time, _ in (*one.values, *one.latencies)]
    until = max(times, default=1.0)
    for number, one in enumerate(strips):
        top = _TOP + _ROW * number
        parts.append(f'<text class="row" x="{_LEFT}" y="{top + 14}">{escape(one.title)}</text>')
        parts += _plots(one, top + 26, until, (low, high, unit))
    return "\n".join([*parts, "</svg>", ""])


def _plots(one: Strip, top: float, until: float, shown: tuple[float, float, str]) -> Iterator[str]:
    low, high, unit = shown
    half = (_WIDTH - _LEFT - _GAP - _RIGHT) / 2
    left = Scale(0, until, _LEFT, _LEFT + half)
    right = Scale(0, until, _LEFT + half + _GAP, _WIDTH - _RIGHT)
    bottom = top + _PLOT
    for value in (low, 0.0, high):
        y = round(bottom - (value - low) / (high - low) * _PLOT, 1)
        yield from _line(left, y, f"{value:g} {unit}")
    latency = Scale(_LOW_NS, _HIGH_NS, bottom, top, log=True)
    for ns, text in ((10**4, "10 µs"), (10**6, "1 ms"), (10**8, "100 ms")):
        yield from _line(right, latency.at(ns), text)
    for scale in (left, right):
        for ns, text in scale.ticks(5):
            yield f'<text x="{scale.at(ns)}" y="{bottom + 16}" text-anchor="middle">{text}</text>'
    values = [
        (left.at(time), round(bottom - (value - low) / (high - low) * _PLOT, 1))
        for time, value in one.values
    ]
    yield _polyline(values, one.colour)
    yield _polyline([(right.at(time), latency.at(ns)) for time, ns in one.latencies], one.colour)


def _line(scale: Scale, y: float, text: str) -> Iterator[str]:
    yield f'<path class="grid" d="M{scale.begin} {y}H{scale.end}"/>'
    yield f'<text x="{scale.begin - 8}" y="{y + 4}" text-anchor="end">{text}</text>'


def _polyline(points: Sequence[tuple[float, float]], colour: str) -> str:
    """Leave out points within a straight line: an angle at rest needs two."""
    kept = [
        point
        for i, point in enumerate(points)
        if i in (0, len(points) - 1) or not points[i - 1][1] == point[1] == points[i + 1][1]
    ]
    places = " ".join(f"{x:g},{y:g}" for x, y in kept)
    return f'<polyline points="{places}" stroke="var({colour})"/>'


@dataclass(frozen=True)
class Points:
    """Latencies of one side over time. In ns."""

    name: str
    colour: str
    points: Sequence[tuple[float, float]]


_TALL, _BELOW = 260, 34


def points_picture(title: str, sides: Sequence[Points], limit_ns: float, limit: str) -> str:
    """Draw the points of several sides in one plot, with a line at a limit."""
    top, bottom = _TOP + 26, _TOP + 26 + _TALL
    height = bottom + _BELOW
    every = [point for side in sides for point in side.points]
    latency = Scale(10**6, max(10**8, *(ns for _, ns in every)), bottom, top, log=True)
    across = Scale(0, max(time for time, _ in every), _LEFT, _WIDTH - _RIGHT)
    parts = [*_frame(title, height)]
    for ns, text in latency.ticks(6):
        parts += _line(across, latency.at(ns), text)
    for ns, text in across.ticks(10):
        parts.append(
            f'<text x="{across.at(ns)}" y="{bottom + 18}" text-anchor="middle">{text}</text>'
        )
    y = latency.at(limit_ns)
    parts.append(
        f'<path d="M{across.begin} {y}H{across.end}" stroke="var(--s8)" stroke-dasharray="2 4"/>'
        f'<text x="{across.end}" y="{y - 5}" text-anchor="end">{escape(limit)}</text>'
    )
    x = float(_LEFT)
    for side in sides:
        parts.append(f'<circle cx="{x + 4:g}" cy="{_TOP + 4}" r="4" fill="var({side.colour})"/>')
        parts.append(f'<text x="{x + 14:g}" y="{_TOP + 8}">{escape(side.name)}</text>')
        x += 300
        dots = "".join(f"M{across.at(time):g} {latency.at(ns):g}h0" for time, ns in side.points)
        round_dot = 'stroke-width="4" stroke-linecap="round"'
        parts.append(f'<path d="{dots}" stroke="var({side.colour})" {round_dot}/>')
    return "\n".join([*parts, "</svg>", ""])


def _frame(title: str, height: float) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" role="img">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>{theme_style()}{_STYLE}</style>"
    yield f'<rect width="{_WIDTH}" height="{height:g}" rx="8" fill="var(--surface)"/>'
    yield f'<text class="title" x="{_LEFT}" y="24">{escape(title)}</text>'
