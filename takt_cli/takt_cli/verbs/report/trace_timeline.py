"""One activation of a chain as a timeline: a lane for each thread, its steps, and their waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from takt_cli.base.callback_ids import without_namespace
from takt_cli.base.units import human
from takt_cli.pages.scale import Scale
from takt_cli.verbs.report.trace_figures import Activation, Run, Step
from takt_cli.verbs.report.trace_parts import svg_open

_WIDTH, _LEFT, _RIGHT, _TOP = 1100, 206, 26, 34
_OWN, _OTHER = 58, 24  # heights of lanes
_MOST_OTHERS = 14
_MARGIN = 0.02  # of the response time, before and after it
_CHARACTER = 6.3  # width of a letter in a run
_THINNEST = 1.5
_BADGE = 17
_WORD = 60  # width of a word above the lanes
_WAITS = ("middleware", "group", "queue", "core")

Lane = tuple[int, int]  # process and thread


@dataclass(frozen=True)
class Piece:
    """A part of a step from one moment to another."""

    part: str
    begin: float
    end: float


def timeline(activation: Activation, deadline_ns: int | None, programs: Mapping[int, str]) -> str:
    """Draw it; times on its axis count from the release."""
    ends = [activation.end_ns, *(step.end_ns for step in activation.steps)]
    begin, end = activation.release_ns, max(*ends, activation.release_ns + 1)
    margin = _MARGIN * (end - begin)
    x = Scale(begin - margin, end + margin, _LEFT, _WIDTH - _RIGHT)
    own = list(dict.fromkeys((step.pid, step.tid) for step in activation.steps))
    others, hidden = _other_lanes(activation, own, x)
    tops = _tops(own, others)
    height = _TOP + len(own) * _OWN + len(others) * _OTHER + 8
    words = f"Timeline of an activation of {human(activation.response_ns)}"
    parts = [
        svg_open(_WIDTH, height, words),
        *_axis(x, begin, height),
        *_lanes(activation, tops, own, programs),
        *_runs(activation, tops, own, x),
        *_steps(activation, tops, x),
        *_marks(activation, deadline_ns, x, height),
        "</svg></div>",
    ]
    if hidden:
        parts.append(
            f'<p class="weak">{hidden} more thread{"" if hidden == 1 else "s"} that ran callbacks '
            "meanwhile for less time are not drawn.</p>"
        )
    return "".join(parts)


def _other_lanes(activation: Activation, own: Sequence[Lane], x: Scale) -> tuple[list[Lane], int]:
    """Lanes of the other threads, the busiest first, and how many are left out."""
    busy: dict[Lane, float] = {}
    for run in activation.timeline:
        lane = (run.pid, run.tid)
        if lane not in own and run.end_ns >= x.low and run.start_ns <= x.high:
            part = min(run.end_ns, x.high) - max(run.start_ns, x.low)
            busy[lane] = busy.get(lane, 0.0) + part
    ranked = sorted(busy, key=lambda lane: (-busy[lane], lane))
    return ranked[:_MOST_OTHERS], max(0, len(ranked) - _MOST_OTHERS)


def _tops(own: Sequence[Lane], others: Sequence[Lane]) -> dict[Lane, int]:
    tops = {lane: _TOP + index * _OWN for index, lane in enumerate(own)}
    below = _TOP + len(own) * _OWN
    return tops | {lane: below + index * _OTHER for index, lane in enumerate(others)}


def _axis(x: Scale, begin: int, height: int) -> Iterator[str]:
    relative = Scale(x.low - begin, x.high - begin, x.begin, x.end)
    for value, text in relative.ticks(9):
        at = relative.at(value)
        yield f'<path class="grid" d="M{at} {_TOP - 6}V{height - 8}"/>'
        yield f'<text class="tick mid" x="{at}" y="12">{text}</text>'


def _lanes(
    activation: Activation,
    tops: Mapping[Lane, int],
    own: Sequence[Lane],
    programs: Mapping[int, str],
) -> Iterator[str]:
    names = {(run.pid, run.tid): run.thread for run in activation.timeline}
    names |= {(step.pid, step.tid): step.thread for step in activation.steps}
    for lane, top in tops.items():
        pid, tid = lane
        name = names.get(lane) or str(tid)
        program = programs.get(pid, f"pid {pid}")
        title = f"<title>{escape(f'thread {name} ({tid}) of {program}')}</title>"
        yield f'<path class="grid" d="M0 {top - 2}H{_WIDTH - _RIGHT}"/>'
        if lane in own:
            yield (
                f'<text class="thread" x="0" y="{top + 30}">{escape(_cut(name, 26))}{title}</text>'
                f'<text class="tick" x="0" y="{top + 45}">{escape(_cut(program, 30))}</text>'
            )
        else:
            both = _cut(f"{_cut(name, 18)} · {program}", 31)
            yield f'<text class="tick" x="0" y="{top + 14}">{escape(both)}{title}</text>'


def _runs(
    activation: Activation, tops: Mapping[Lane, int], own: Sequence[Lane], x: Scale
) -> Iterator[str]:
    begin = activation.release_ns
    guilty = _blockers(activation)
    for run in activation.timeline:
        lane = (run.pid, run.tid)
        if lane not in tops or run.end_ns < x.low or run.start_ns > x.high:
            continue
        tall = lane in own
        top, height = (tops[lane] + 18, 20) if tall else (tops[lane] + 2, 17)
        left = x.at(run.start_ns)
        width = max(x.at(run.end_ns) - left, _THINNEST)
        kind = "own" if run.own else f"other {guilty(run)}".strip()
        title = (
            f"{run.callback}\n{human(run.end_ns - run.start_ns)}, from "
            f"{_signed(run.start_ns - begin)} to {_signed(run.end_ns - begin)}"
        )
        yield (
            f'<rect class="run {kind}" x="{left}" y="{top}" width="{width:.1f}" height="{height}">'
            f"<title>{escape(title)}</title></rect>"
        )
        letters = int((width - 8) / _CHARACTER)
        if letters >= 4:
            label = _cut(without_namespace(run.callback), letters)
            mood = "on" if run.own else ""
            yield f'<text class="label {mood}" x="{left + 4}" y="{top + 13}">{escape(label)}</text>'


def _blockers(activation: Activation) -> Callable[[Run], str]:
    """Tell for each run whether a step waited for it because of its group or its thread."""
    named: dict[str, list[tuple[str, float, int]]] = {}
    for step, begin in zip(activation.steps, begins(activation), strict=True):
        for blocker in step.blocked_by:
            if blocker.why in ("group", "queue"):
                named.setdefault(blocker.what, []).append((blocker.why, begin, step.start_ns))

    def kind(run: Run) -> str:
        for why, begin, end in named.get(run.callback, ()):
            if run.start_ns < end and run.end_ns > begin:
                return f"by-{why}"
        return ""

    return kind


def begins(activation: Activation) -> list[float]:
    """Give the begin of each step: its release, or the publish before it.

    If the trace does not have it, a step begins where the one before it ends.
    """
    found: list[float] = []
    at = float(activation.release_ns)
    for step in activation.steps:
        begin = at if step.from_ns is None else float(step.from_ns)
        found.append(
            begin if begin <= step.start_ns else float(min(step.release_ns, step.start_ns))
        )
        at = found[-1] + step.split.total_ns
    return found


def pieces(step: Step, begin: float) -> list[Piece]:
    """Place the parts of a step along its time: waits before its start, the others in its run.

    The lengths are those of the parts. The trace does not show at which times of the run it had no
    core.
    """
    waits = {part: step.split.parts[part] for part in _WAITS}
    before = max(step.start_ns - begin, 0.0)
    others = sum(ns for part, ns in waits.items() if part != "core")
    early = min(waits["core"], max(before - others, 0.0))
    lengths = [*((p, ns) for p, ns in waits.items() if p != "core"), ("core", early)]
    lengths += [("ran", step.split.parts["ran"]), ("core", waits["core"] - early)]
    lengths.append(("blocked", step.split.parts["blocked"]))
    found, at = [], begin
    for part, ns in lengths:
        if ns > 0:
            found.append(Piece(part, at, at + ns))
            at += ns
    return found


def _steps(activation: Activation, tops: Mapping[Lane, int], x: Scale) -> Iterator[str]:
    taken: dict[Lane, float] = {}
    previous: Lane | None = None
    starts = begins(activation)
    for number, (step, begin) in enumerate(zip(activation.steps, starts, strict=True), start=1):
        lane = (step.pid, step.tid)
        top = tops[lane]
        for piece in pieces(step, begin):
            left = x.at(piece.begin)
            width = max(x.at(piece.end) - left, 0.6)
            title = f"step {number}, {piece.part}: {human(piece.end - piece.begin)}"
            yield (
                f'<rect class="p-{piece.part}" x="{left}" y="{top + 41}" width="{width:.1f}" '
                f'height="8"><title>{escape(title)}</title></rect>'
            )
        at = x.at(begin)
        if previous is not None and previous != lane:
            yield _hop(at, tops[previous], top)
        # Beside the one before, where both begin at nearly the same time.
        badge = max(x.at(step.start_ns) + 7, taken.get(lane, 0.0) + _BADGE)
        badge = min(badge, _WIDTH - 8)
        taken[lane] = badge
        yield (
            f'<circle class="badge" cx="{badge:.1f}" cy="{top + 8}" r="7.5"/>'
            f'<text class="badge-text" x="{badge:.1f}" y="{top + 12}">{number}</text>'
        )
        previous = lane


def _hop(at: float, before: int, after: int) -> str:
    """Lead from the run that published to the wait of the next step."""
    leave = before + (38 if after > before else 18)
    arrive = after + (41 if after > before else 49)
    return (
        f'<path class="hop" d="M{at} {leave}V{arrive}"/>'
        f'<circle class="hop-end" cx="{at}" cy="{arrive}" r="2.5"/>'
    )


def _marks(activation: Activation, deadline_ns: int | None, x: Scale, height: int) -> Iterator[str]:
    bottom = height - 8
    release, end = x.at(activation.release_ns), x.at(activation.end_ns)
    due_ns = activation.release_ns + (deadline_ns or 0)
    due = x.at(due_ns) if deadline_ns and due_ns <= x.high else None
    for at in (release, end):
        yield f'<path class="mark" d="M{at} {_TOP - 14}V{bottom}"/>'
    yield f'<text class="tick" x="{release + 3}" y="{_TOP - 8}">release</text>'
    if due is None or abs(due - end) > _WORD:
        yield f'<text class="tick end" x="{end - 3}" y="{_TOP - 8}">end</text>'
    if due is not None:
        anchor, shift = ("end", -4) if due > (x.begin + x.end) / 2 else ("start", 4)
        yield f'<path class="deadline" d="M{due} {_TOP - 14}V{bottom}"/>'
        yield (
            f'<text class="late" text-anchor="{anchor}" x="{due + shift:.1f}" y="{_TOP - 8}">'
            "deadline</text>"
        )


def _signed(ns: float) -> str:
    return f"−{human(-ns)}" if ns < 0 else human(ns)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)]}…"
