"""`takt demo pendulum`: an inverted pendulum under a controller that runs here or there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from takt_cli.base.errors import TaktError
from takt_cli.base.units import NS_PER_S, human
from takt_cli.documents.document import Document, as_json
from takt_cli.documents.told import read_told
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.demo.live_demo import (
    Claim,
    Common,
    Runs,
    Shown,
    check_output,
    conclude,
    follow,
    serve,
    unseen,
)
from takt_cli.verbs.demo.live_page import live_page
from takt_cli.verbs.demo.live_picture import Strip, picture
from takt_cli.verbs.demo.live_program import NAME

VARIANTS = {
    "executor": "timer beside the logger",
    "other": "own thread, SCHED_OTHER",
    "realtime": "own thread, SCHED_FIFO",
}
WRONG, RIGHT = "executor", "realtime"
_LENGTH_NS = 5 * NS_PER_S
_MS = 1_000_000
_PERIOD_NS = _MS
_SAMPLE_NS = 5 * _MS
_OFF = "the load was off at times"


class Begun(Document, at="live_pendulum#begun"):
    """A variant begins."""


class Frame(Document, at="live_pendulum#frame"):
    """The state, twenty times a second."""


class Run(Document, at="live_pendulum#run"):
    """What a variant did."""


@dataclass
class Recorded(Runs[Run]):
    """The lines that count."""

    document: type[Run] = Run
    frames: list[list[Frame]] = field(default_factory=list)  # of each run

    def take_other(self, kind: str, line: str) -> None:
        """Keep the frames of a run that begins."""
        if kind == "begun":
            self.frames.append([])
        elif kind == "frame":
            self.frames[-1].append(read_told(Frame, json.loads(line), NAME))


def show_pendulum(variant: str | None, common: Common) -> None:
    """Run the demo as its options ask."""
    if variant is not None and variant not in VARIANTS:
        raise TaktError(f"--variant: there is no '{variant}'; choose {', '.join(VARIANTS)}")
    check_output(common)
    recorded = Recorded()
    if not (common.json or common.check):
        page = live_page(
            "An inverted pendulum under control",
            "The controller runs at 1 kHz and computes for 150 µs in each cycle.",
            "pendulum",
        )
        arguments = common.arguments("pendulum", common.duration_ns, "--variant", variant or RIGHT)
        serve(page, arguments, common, recorded.take_run, "/pendulum setpoint 0.2")
        conclude(shown(recorded), common, judged=False)
        return
    length = common.duration_ns or _LENGTH_NS
    for each, load in runs_of(variant, common.load):
        loaded = replace(common, load=load)
        arguments = loaded.arguments("pendulum", length, "--variant", each)
        if follow(arguments, common, recorded.take):
            raise KeyboardInterrupt
    conclude(shown(recorded, length), common, judged=True)


def runs_of(variant: str | None, load: bool) -> list[tuple[str, bool]]:
    """Give the variants that run without a page, one after the other, and whether under load."""
    if variant:
        return [(variant, load)]
    # The executor needs no load to be too late.
    return [*([(WRONG, False)] if load else []), *((each, load) for each in VARIANTS)]


def shown(recorded: Recorded, asked_ns: int = 0) -> Shown:
    """Make tables, claims and the picture."""
    return Shown(
        name="pendulum",
        table=table(recorded.runs),
        claims=claims(recorded.runs, asked_ns),
        runs=[as_json(run) for run in recorded.runs],
        refused=[words for run in recorded.runs for words in run.refused],
        picture=picture(
            "Angle of the pendulum, and latest wake-up of its controller",
            [strip(*one) for one in zip(recorded.runs, recorded.frames, strict=True)],
        )
        if recorded.frames
        else "",
    )


def claims(runs: Sequence[Run], asked_ns: int = 0) -> list[Claim]:
    """Judge: a wrong variant that does not fail proved nothing."""
    return [_claim(run, asked_ns) for run in runs]


def _claim(run: Run, asked_ns: int) -> Claim:
    fell = f"{run.falls} falls in {human(run.duration_ns)}"
    if run.variant == WRONG:
        return Claim(f"{_named(run)}: the pendulum falls", run.falls > 0, fell)
    if run.variant == "other":
        text = "other, under load: the pendulum falls"
        return Claim(text, run.falls > 0, fell) if run.load else Claim(text, None, _OFF)
    right = run.granted.startswith("fifo")
    # A loop that does not run lets nothing fall.
    lost = unseen(
        run.cycles + run.missed,
        max(run.duration_ns, asked_ns),
        _PERIOD_NS,
        "cycles and missed periods",
    )
    said = [fell, lost, "" if right else f"the kernel granted {run.granted} only"]
    return Claim(
        f"{_named(run)}: SCHED_FIFO, and the pendulum stands",
        right and not run.falls and not lost,
        "; ".join(filter(None, said)),
    )


def _named(run: Run) -> str:
    return run.variant if run.load else f"{run.variant}, without load"


def table(runs: Sequence[Run]) -> Table:
    """Show the runs side by side."""
    columns = ["variant", "thread", "time", "cycles", "missed periods", "late", "wake-up p50"]
    made = Table("", [*columns, "p99", "max", "falls"], words=2)
    for run in runs:
        made.add(
            f"{_named(run)}: {VARIANTS[run.variant]}",
            run.granted,
            human(run.duration_ns),
            count_cell(run.cycles),
            count_cell(run.missed),
            count_cell(run.late),
            *(Cell(human(ns), value=ns) for ns in (run.wakeup.p50_ns, run.wakeup.p99_ns)),
            Cell(human(run.wakeup.max_ns), value=run.wakeup.max_ns),
            Cell(f"{run.falls:,}", "bad" if run.falls else "good", run.falls),
        )
    made.notes.append("late: cycles whose torque came after the end of their period")
    return made


def strip(run: Run, frames: Sequence[Frame]) -> Strip:
    """Draw one run."""
    return Strip(
        title=f"{_named(run)}: {VARIANTS[run.variant]}; {run.falls} falls",
        colour="--s1" if run.variant == RIGHT else "--s8",
        values=list(_angles(frames)),
        latencies=[
            (frame.time_ns, frame.latest_ns)
            for before, frame in pairwise([None, *frames])
            if frame and frame.cycles > (before.cycles if before else 0)
        ],
    )


def _angles(frames: Sequence[Frame]) -> Iterator[tuple[float, float]]:
    """Give times and angles. A late loop's angles come late, but each has its place in time."""
    last = None
    for frame in frames:
        begin = frame.time_ns - len(frame.angles) * _SAMPLE_NS
        # Also after a pause of the machine, for which there are no angles.
        if frame.angles and (last is None or last < begin - NS_PER_S):
            last = begin
        for angle in frame.angles:
            last += _SAMPLE_NS
            yield last, angle
