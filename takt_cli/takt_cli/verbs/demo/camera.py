"""`takt demo camera`: a camera's graph under stock order and under a planned schedule, at once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, human
from takt_cli.documents.document import Document, as_json
from takt_cli.documents.told import read_told
from takt_cli.files.schedule_files import on_cores, read_schedule, write_schedule
from takt_cli.files.shipped import shipped_files, unknown
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
from takt_cli.verbs.demo.live_picture import Points, points_picture
from takt_cli.verbs.demo.live_program import NAME

MODEL = "camera"
_LENGTH_NS = 10 * NS_PER_S
_DEADLINE_NS = 8_000_000
_PERIOD_NS = 33_333_333
_LEAST_CORES = 2
_MOST_UNDER_WAY = 2  # images, at the end
_PLANNING_S = 300.0
_WORDS = {"stock": "ROS 2's single-threaded executor", "planned": "the schedule of takt plan"}


class Begun(Document, at="live_camera#begun"):
    """Both sides begin."""


class Frame(Document, at="live_camera#frame"):
    """Both sides, twenty times a second."""


class Run(Document, at="live_camera#run"):
    """What a side did."""


@dataclass
class Recorded(Runs[Run]):
    """The lines that count."""

    document: type[Run] = Run
    delays: dict[str, list[tuple[float, float]]] = field(default_factory=dict)  # by side; ns

    def take_other(self, kind: str, line: str) -> None:
        """Keep the delays of a frame."""
        if kind == "frame":
            frame = read_told(Frame, json.loads(line), NAME)
            for side in frame.sides:
                points = self.delays.setdefault(side.side, [])
                points += [(frame.time_ns, delay) for delay in side.delays_ns]


def show_camera(common: Common) -> None:
    """Run the demo as its options ask."""
    check_output(common)
    if len(common.cores) < _LEAST_CORES:
        raise TaktError(
            "takt demo camera needs two cores: the planned side runs its logger on another one "
            "than its detector; choose two, as with --cpus 2"
        )
    headless = common.json or common.check
    length = common.duration_ns or (_LENGTH_NS if headless else None)
    recorded = Recorded()
    with tempfile.TemporaryDirectory(prefix="takt-demo-") as folder:
        schedule = plan(common.output or Path(folder), common.cores)
        arguments = common.arguments("camera", length, "--schedule", str(schedule))
        if headless:
            if follow(arguments, common, recorded.take):
                raise KeyboardInterrupt
        else:
            page = live_page(
                "From a camera to an actuation",
                "The same nodes twice, half a period apart: as they are, and under a planned "
                "schedule.",
                "camera",
            )
            serve(page, arguments, common, recorded.take_run, "/camera_demo load false")
    conclude(shown(recorded, length or 0), common, judged=headless)


def plan(folder: Path, cores: Sequence[int]) -> Path:
    """Make the schedule of the planned side, for these cores; written into the folder."""
    shipped = shipped_files("takt_workload", "live")
    if MODEL not in shipped:
        raise unknown(MODEL, shipped, "model")
    file = folder / "planned.yaml"
    arguments = [str(shipped[MODEL]), "--output", str(file)]
    run_program(find_program("takt_plan", "takt_plan"), arguments, timeout_s=_PLANNING_S)
    content = on_cores(read_schedule(file), tuple(cores))
    for executor in content["executors"].values():
        executor["missing_rights"] = "report"
        # Between nodes of one process a message comes on the publisher's thread.
        executor.pop("process_threads", None)
    return write_schedule(content, file, "takt demo camera, side planned", made_from=shipped[MODEL])


def shown(recorded: Recorded, asked_ns: int = 0) -> Shown:
    """Make tables, claims and the picture."""
    points = [
        Points(f"{side}: {_WORDS[side]}", "--s1" if side == "planned" else "--s2", points)
        for side, points in recorded.delays.items()
        if points
    ]
    title = "From the camera's release to the actuation, each image"
    return Shown(
        name="camera",
        table=table(recorded.runs),
        claims=claims(recorded.runs, asked_ns),
        runs=[as_json(run) for run in recorded.runs],
        refused=[words for run in recorded.runs for words in run.refused],
        picture=points_picture(title, points, _DEADLINE_NS, "deadline") if points else "",
    )


def claims(runs: Sequence[Run], asked_ns: int = 0) -> list[Claim]:
    """Judge: a stock side that misses nothing proved nothing."""
    found = []
    for run in runs:
        own = run.late - run.late_in_stalls
        said = f"{own} of {run.delay.count} images, and {run.late_in_stalls} in host stalls"
        if run.side == "planned":
            right = bool(run.threads) and all("fifo" in thread for thread in run.threads)
            if not right:
                said = f"the kernel granted {'; '.join(run.threads)}; {said}"
            # An image that never arrives is not late.
            if lost := unseen(
                run.delay.count, max(run.duration_ns, asked_ns), _PERIOD_NS, "images arrived"
            ):
                said = f"{lost}; {said}"
            under_way = run.released - run.delay.count
            if under_way > _MOST_UNDER_WAY:
                said = f"{under_way} images never arrived; {said}"
            holds = right and own == 0 and not lost and under_way <= _MOST_UNDER_WAY
            text = "SCHED_FIFO, and no image takes more than 8 ms outside of host stalls"
            found.append(Claim(f"{_named(run)}: {text}", holds, said))
        else:
            found.append(Claim(f"{_named(run)}: images take more than 8 ms", own > 0, said))
    return found


def _named(run: Run) -> str:
    return run.side if run.load else f"{run.side}, without load"


def table(runs: Sequence[Run]) -> Table:
    """Show both sides."""
    made = Table(
        "", ["side", "threads", "images", "p50", "p99", "max", "late", "in host stalls"], words=2
    )
    for run in runs:
        made.add(
            f"{_named(run)}: {_WORDS[run.side]}",
            "; ".join(run.threads),
            count_cell(run.delay.count),
            *(
                Cell(human(ns), value=ns)
                for ns in (run.delay.p50_ns, run.delay.p99_ns, run.delay.max_ns)
            ),
            Cell(f"{run.late:,}", "bad" if run.late else "good", run.late),
            count_cell(run.late_in_stalls),
        )
    if unjudged := sum(run.late_unjudged for run in runs):
        made.notes.append(f"{unjudged:,} late images were not compared with host stalls")
    made.notes.append("late: from the camera's release to the end of the actuation more than 8 ms")
    return made
