"""The response times of a chain over the trace, with its deadline, as a picture in the page."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from takt_cli.base.units import human
from takt_cli.pages.scale import Scale
from takt_cli.verbs.report.trace_figures import ReportedChain
from takt_cli.verbs.report.trace_parts import svg_open

_WIDTH, _HEIGHT = 1100, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 128, 18, 36
# A linear axis would squeeze ordinary responses below so large a longest one.
_SQUEEZED = 30
# A deadline so far above all responses would squeeze these; words tell it instead.
_FAR = 6
# Where the number of a ring may stand, and how far from the others.
_BESIDE = ((13, 0), (-13, 0), (0, -13), (0, 13))
_APART = 11


def response_plot(chain: ReportedChain, duration_ns: int) -> str:
    """Draw each activation at its release; misses are red crosses, rings are the longest ones."""
    if not chain.responses:
        return '<p class="weak">No activation of this chain ended in the trace.</p>'
    longest = max(response for _, response in chain.responses)
    least = min(response for _, response in chain.responses)
    deadline = chain.deadline_ns
    near = deadline is not None and deadline <= _FAR * max(longest, 1)
    top = max(longest, deadline if near and deadline else 0, 1)
    log = longest > _SQUEEZED * max(statistics.median(r for _, r in chain.responses), 1)
    low = max(0.8 * min(least, deadline or least), 1) if log else 0
    y = Scale(low, (1.25 if log else 1.06) * top, _HEIGHT - _BOTTOM, _TOP, log)
    first, last = chain.responses[0][0], chain.responses[-1][0]
    x = Scale(min(0, first), max(duration_ns, last, 1), _LEFT, _WIDTH - _RIGHT)
    words = f"Response times of chain {chain.name} over the trace"
    return "".join(
        [
            svg_open(_WIDTH, _HEIGHT, words),
            *_grid(x, y),
            *_deadline(deadline, near, y),
            *_points(chain, x, y),
            *_longest(chain, x, y),
            "</svg></div>",
        ]
    )


def _grid(x: Scale, y: Scale) -> Iterator[str]:
    left, right, bottom = _LEFT, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for value, text in y.ticks(5):
        at = y.at(value)
        yield f'<path class="grid" d="M{left} {at}H{right}"/>'
        yield f'<text class="tick end" x="{left - 8}" y="{at + 4}">{text}</text>'
    for value, text in x.ticks(10):
        at = x.at(value)
        yield f'<path class="grid" d="M{at} {bottom}v5"/>'
        yield f'<text class="tick mid" x="{at}" y="{bottom + 18}">{text}</text>'
    yield f'<path class="frame" d="M{left} {bottom}H{right}"/>'
    yield f'<text class="tick" x="{right + 22}" y="{bottom + 18}">in the trace</text>'
    title = "response time, log scale" if y.log else "response time"
    yield f'<text class="tick" x="4" y="{_TOP - 6}">{title}</text>'


def _deadline(deadline: int | None, near: bool, y: Scale) -> Iterator[str]:
    right = _WIDTH - _RIGHT
    if not deadline:
        return
    if not near:
        text = f"deadline {human(deadline)} is above"
        yield f'<text class="late" x="{right - 4}" y="{_TOP - 5}" text-anchor="end">↑ {text}</text>'
        return
    at = y.at(deadline)
    yield (
        f'<rect class="beyond" x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" '
        f'height="{round(max(at - _TOP, 0), 1)}"/>'
    )
    yield f'<path class="deadline" d="M{_LEFT} {at}H{right}"/>'
    yield f'<text class="late" x="{right + 8}" y="{at + 4}">deadline {human(deadline)}</text>'


def _points(chain: ReportedChain, x: Scale, y: Scale) -> Iterator[str]:
    """Points of no length with round ends: one element for thousands of them."""
    good, late = [], []
    for at, response in chain.responses:
        px, py = x.at(at), y.at(response)
        if chain.deadline_ns is not None and response > chain.deadline_ns:
            late.append(f"M{px - 3:g} {py - 3:g}l6 6m0 -6l-6 6")
        else:
            good.append(f"M{px:g} {py:g}h0")
    yield f'<path class="points" d="{"".join(good)}"/>'
    yield f'<path class="crosses" d="{"".join(late)}"/>'


def _longest(chain: ReportedChain, x: Scale, y: Scale) -> Iterator[str]:
    places = [(x.at(one.release_ns), y.at(one.response_ns)) for one in chain.worst]
    taken: list[tuple[float, float]] = []
    for number, (activation, place) in enumerate(zip(chain.worst, places, strict=True), start=1):
        px, py = place
        yield (
            f'<circle class="ring" cx="{px}" cy="{py}" r="6"><title>number {number}: '
            f"{human(activation.response_ns)} at {human(activation.release_ns)}</title></circle>"
        )
        for dx, dy in _BESIDE:
            at = (px + dx, py + dy)
            others = [*taken, *(other for other in places if other != place)]
            if all(math.hypot(at[0] - ox, at[1] - oy) > _APART for ox, oy in others):
                taken.append(at)
                words = f'x="{at[0]:.1f}" y="{at[1] + 4:.1f}"'
                yield f'<text class="rank mid" {words}>{number}</text>'
                break
