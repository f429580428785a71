"""`takt demo pendulum`: an inverted pendulum under a controller that runs here or there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from takt_cli.base.errors import TaktError
from takt_cli.base.units import NS_PER_S, human
from takt_cli.documents.document import Document, as_json
from takt_cli.documents.told import read_told
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.demo.live_demo import (
    Claim,
    Common,
    Shown,
    check_output,
    conclude,
    follow,
    serve,
)
from takt_cli.verbs.demo.live_page import live_page
from takt_cli.verbs.demo.live_picture import Strip, picture
from takt_cli.verbs.demo.live_program import NAME

VARIANTS = {
    "executor": "timer beside the logger",
    "other": "own thread, SCHED_OTHER",
    "realtime": "own thread, SCHED_FIFO",
}
RIGHT = "realtime"
_LENGTH_NS = 5 * NS_PER_S
_MS = 1_000_000


class Begun(Document, at="live_pendulum#begun"):
    """A variant begins."""


class Frame(Document, at="live_pendulum#frame"):
    """The state, twenty times a second."""


class Run(Document, at="live_pendulum#run"):
    """What a variant did."""


@dataclass
class Recorded:
    """The lines that count."""

    runs: list[Run] = field(default_factory=list)
    frames: dict[str, list[Frame]] = field(default_factory=dict)  # by variant

    def take(self, kind: str, line: str) -> None:
        """Take a line of the program."""
        if kind == "run":
            self.runs.append(read_told(Run, json.loads(line), NAME))
        elif kind == "frame":
            frame = read_told(Frame, json.loads(line), NAME)
            self.frames.setdefault(frame.variant, []).append(frame)

    def take_run(self, kind: str, line: str) -> None:
        """Take a line of a program that may run for hours."""
        if kind == "run":
            self.take(kind, line)


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
    for each in [variant] if variant else VARIANTS:
        arguments = common.arguments("pendulum", length, "--variant", each)
        if follow(arguments, common, recorded.take):
            raise KeyboardInterrupt
    conclude(shown(recorded), common, judged=True)


def shown(recorded: Recorded) -> Shown:
    """Make tables, claims and the picture."""
    return Shown(
        name="pendulum",
        table=table(recorded.runs),
        claims=claims(recorded.runs),
        runs=[as_json(run) for run in recorded.runs],
        refused=[words for run in recorded.runs for words in run.refused],
        picture=picture(
            "Angle of the pendulum, and latest wake-up of its controller",
            [strip(name, frames) for name, frames in recorded.frames.items()],
        )
        if recorded.frames
        else "",
    )


def claims(runs: Sequence[Run]) -> list[Claim]:
    """Judge: a wrong variant that does not fail proved nothing."""
    found = []
    for run in runs:
        fell = f"{run.falls} falls in {human(run.duration_ns)}"
        if run.variant == "executor":
            found.append(Claim("executor: the pendulum falls", run.falls > 0, fell))
        elif run.variant == "other" and run.load:
            found.append(Claim("other, under load: the pendulum falls", run.falls > 0, fell))
        elif run.variant == RIGHT:
            right = run.granted.startswith("fifo")
            said = fell if right else f"the kernel granted {run.granted} only; {fell}"
            found.append(
                Claim(
                    "realtime: SCHED_FIFO, and the pendulum stands", right and not run.falls, said
                )
            )
    return found


def table(runs: Sequence[Run]) -> Table:
    """Show the runs side by side."""
    columns = ["variant", "thread", "time", "cycles", "missed periods", "late", "wake-up p50"]
    made = Table("", [*columns, "p99", "max", "falls"], words=2)
    for run in runs:
        made.add(
            f"{run.variant}: {VARIANTS[run.variant]}",
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


def strip(name: str, frames: Sequence[Frame], sample_ns: int = 5 * _MS) -> Strip:
    """Draw one variant."""
    angles = [angle for frame in frames for angle in frame.angles]
    last = frames[-1]
    words = f"{name}: {VARIANTS[name]}; {last.falls} falls"
    return Strip(
        title=words,
        colour="--s1" if name == RIGHT else "--s8",
        values=[(number * sample_ns, angle) for number, angle in enumerate(angles)],
        latencies=[(frame.time_ns, frame.latest_ns) for frame in frames],
    )
