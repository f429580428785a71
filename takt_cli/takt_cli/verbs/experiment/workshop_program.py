"""Runs `takt_workshop`: one variant of an exercise; and cyclictest beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.document import DamagedError, Document
from takt_cli.results.samples import Samples
from takt_cli.running.busy_cores import hogs
from takt_cli.running.trace import convert, find_converter

PROGRAM = ("takt_workshop", "takt_bench")
# The same with variants on rclcpp's own executor: built where rclcpp is found.
WITH_RCLCPP = ("takt_workshop_rclcpp", "takt_bench")
# Above the measured time: start, discovery of nodes, and the end.
_PATIENCE_S = 120.0
_INTERVAL_US = 1000
END_TO_END, DELAY = "EndToEndDelay", "MessageDelay"
FIRST_TO_LAST = "first start to last end"  # of no slice of its own


class SliceFigures(Document, at="workshop#slice"):
    """All slices of one name and owner."""


@dataclass(frozen=True)
class Image:
    """An image of the exercises 3-1 to 4-2, and the begins of its two callbacks; ns."""

    taken: int
    ended: int  # the actuation
    held_up: bool
    logger: tuple[int, int]
    detector: tuple[int, int]

    @property
    def logger_first(self) -> bool:
        """Whether the logger began before the detector."""
        return self.logger[0] < self.detector[0]

    @property
    def overlaps(self) -> bool:
        """Whether both ran at one time."""
        return self.logger[0] < self.detector[1] and self.detector[0] < self.logger[1]


class Run(Document, at="workshop"):
    """What `takt_workshop` measured of one variant."""

    def clean(self, name: str) -> Samples:
        """Durations of the slices of that name that no host stall touched.

        'NAME of OWNER' are those of one thread or callback.
        """
        return self._durations(name, False)

    def stalled(self, name: str) -> Samples:
        """Durations of the others."""
        return self._durations(name, True)

    def _durations(self, name: str, stalled: bool) -> Samples:
        if name == FIRST_TO_LAST:
            return np.asarray(
                [
                    one.ended - min(one.logger[0], one.detector[0])
                    for one in self.images()
                    if one.held_up == stalled
                ],
                dtype=np.float64,
            )
        what, _, owner = name.partition(" of ")
        parts = [
            np.asarray(one.durations_ns, dtype=np.float64)[
                np.asarray(one.held_up, dtype=bool) == stalled
            ]
            for one in self.slices
            if one.name == what and owner in ("", one.owner)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def owners(self, name: str) -> list[str]:
        """Threads or callbacks that have slices of that name."""
        return [one.owner for one in self.slices if one.name == name]

    def _of(self, name: str, owner: str) -> dict[int, tuple[int, bool]]:
        """Give ends by begins, and whether a host stall touched them."""
        return {
            begin: (begin + length, held_up)
            for one in self.slices
            if (one.name, one.owner) == (name, owner)
            for begin, length, held_up in zip(
                one.begins_ns, one.durations_ns, one.held_up, strict=True
            )
        }

    def images(self) -> list[Image]:
        """Give the images that were logged, and led to an actuation.

        A message delay leads from the image to the begin of the callback's own slice.
        """
        callbacks = [
            (self._of(DELAY, owner), self._of(name, owner))
            for owner, name in (("data_logger", "DataLogger"), ("object_detect", "ObjectDetect"))
        ]
        found = []
        for taken, (ended, held_up) in self._of(END_TO_END, "actuation").items():
            spans = []
            for delays, runs in callbacks:
                begin = delays.get(taken, (-1, False))[0]
                if begin in runs:
                    spans.append((begin, runs[begin][0]))
            if len(spans) == len(callbacks):
                found.append(Image(taken, ended, held_up, *spans))
        return found


def without_host(run: Run) -> Run:
    """Give the run of a machine that no host can stop: all slices count, and all missed periods.

    There disabled interrupts or firmware hold a thread up: that is the machine's own latency.
    """
    return replace(
        run,
        stalls_seen=True,  # there are none to tell apart
        overruns=run.overruns + run.overruns_in_stalls,
        overruns_in_stalls=0,
        slices=tuple(replace(one, held_up=(False,) * len(one.held_up)) for one in run.slices),
    )


def run_variant(
    exercise: str,
    variant: str,
    folder: Path,
    *,
    duration_ns: int,
    cores: Sequence[int],
    stress: bool,
    virtual: bool,
    schedule: Path | None = None,
    program: tuple[str, str] = PROGRAM,
) -> Run:
    """Run one variant, and write its trace for Perfetto into the folder.

    `virtual`: this machine has a host, which may stop it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    slug = variant if stress else f"{variant}-idle"
    output = folder / f"{slug}.json"
    flags = ["--exercise", exercise, "--variant", variant, "--duration", duration_flag(duration_ns)]
    flags += ["--cores", ",".join(map(str, cores)), "--trace-folder", str(folder)]
    flags += ["--output", str(output)]
    if not stress:
        flags.append("--no-stress")
    if schedule is not None:
        flags += ["--schedule", str(schedule)]
    run_program(
        find_program(*program), flags, timeout_s=_PATIENCE_S + duration_ns / NS_PER_S, cores=cores
    )
    try:
        run = Run.read(json.loads(output.read_text(encoding="utf-8")))
    except (OSError, ValueError, DamagedError) as error:
        raise TaktError(
            f"{program[0]} wrote no result that takt can read: {error}", code=EXIT_FAILED
        ) from error
    raw = Path(run.trace)
    convert(find_converter(), [raw], folder / f"{slug}.perfetto-trace", "perfetto")
    raw.unlink()
    return run if virtual else without_host(run)


def cyclictest_max_ns(
    policy: str, priority: int, cores: Sequence[int], duration_ns: int, folder: Path
) -> int | None:
    """Worst wake-up that cyclictest finds under the same load; None where it is not installed."""
    program = shutil.which("cyclictest")
    if program is None:
        return None
    output = folder / f"cyclictest-{policy}.json"
    flags = [f"--policy={policy}", f"--interval={_INTERVAL_US}", f"--threads={len(cores)}"]
    if priority:
        flags.append(f"--priority={priority}")
    flags += [f"--affinity={','.join(map(str, cores))}", f"--json={output}"]
    # Without --distance each further thread has a longer interval.
    flags += [f"--loops={duration_ns // (1000 * _INTERVAL_US)}", "--distance=0"]
    with hogs(cores):
        run_program(
            Path(program),
            [*flags, "--mlockall", "--default-system", "--quiet"],
            timeout_s=_PATIENCE_S + duration_ns / NS_PER_S,
        )
    try:
        threads = json.loads(output.read_text(encoding="utf-8"))["thread"]
        return max(1000 * int(one["max"]) for one in threads.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TaktError(
            f"cyclictest wrote no result that takt can read: {error}", code=EXIT_FAILED
        ) from error
