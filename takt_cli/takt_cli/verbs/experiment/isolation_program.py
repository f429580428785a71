"""Runs `takt_isolation`: one system model under one schedule, and the costs of its threads."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import program_failed, run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.document import DamagedError, Document
from takt_cli.results.samples import Samples

# The executor's thread for callbacks outside of the isolated groups, of which there are none.
IDLE = "idle"
# The program's own time beside warm-up and measurement, and much more on a busy machine.
_PATIENCE_S = 60.0
_PARTS = 3.0  # strace makes a program slow
# Of the activations: a run that ends fewer was overloaded, and its counts are those of less work.
_ALL_DONE = 0.99


@dataclass(frozen=True)
class Cost:
    """The costs of one measurement, summed over its processes."""

    threads: int  # of executors, with callbacks
    voluntary: int  # switches of these threads
    involuntary: int
    receivers: int  # switches of both kinds of the threads that receive messages
    resident_kib: int
    proportional_kib: int | None
    due: int  # activations of all chains
    responses: Samples  # of the activations that ended
    overwritten: int
    skipped_periods: int
    refused: tuple[str, ...]

    @property
    def lost(self) -> int:
        """Activations that had not ended two periods after the measurement."""
        return self.due - len(self.responses)

    @property
    def complete(self) -> bool:
        """Whether nearly all activations ended."""
        return len(self.responses) >= _ALL_DONE * self.due


class Isolation(Document, at="isolation"):
    """What `takt_isolation` measured."""

    def cost(self) -> Cost:
        """Sum up its processes and chains."""
        threads = [thread for process in self.processes for thread in process.threads]
        executors = [t for t in threads if t.role == "executor" and t.name != IDLE]
        pss = [process.pss_kib for process in self.processes]
        responses = [response for chain in self.chains for response in chain.responses_ns]
        return Cost(
            threads=len(executors),
            voluntary=sum(t.voluntary for t in executors),
            involuntary=sum(t.involuntary for t in executors),
            receivers=sum(t.voluntary + t.involuntary for t in threads if t.role == "receiver"),
            resident_kib=sum(process.rss_kib for process in self.processes),
            proportional_kib=None if None in pss else sum(pss),
            due=sum(chain.due for chain in self.chains),
            responses=np.asarray(responses, dtype=np.float64),
            overwritten=sum(process.overwritten for process in self.processes),
            skipped_periods=sum(process.skipped_periods for process in self.processes),
            refused=tuple(dict.fromkeys(word for one in self.processes for word in one.refused)),
        )


def run_isolation(
    system: Path,
    schedule: Path,
    output: Path,
    *,
    duration_ns: int,
    speed: float | None,
    cores: Sequence[int],
) -> tuple[Cost, float]:
    """Measure once on these cores; the cost, and the speed of work for the measurements after."""
    program = find_program("takt_isolation", "takt_bench")
    run_program(
        program,
        _arguments(system, schedule, output, duration_ns, speed),
        timeout_s=_PATIENCE_S + duration_ns / NS_PER_S,
        cores=cores,
    )
    try:
        found = Isolation.read(json.loads(output.read_text(encoding="utf-8")))
        return found.cost(), found.iterations_per_us
    except (OSError, ValueError, DamagedError) as error:
        raise TaktError(
            f"{program.name} wrote no result that takt can read: {error}", code=EXIT_FAILED
        ) from error


def find_strace() -> str | None:
    """Path of strace, if it is installed."""
    return shutil.which("strace")


def count_system_calls(
    system: Path,
    schedule: Path,
    *,
    durations_ns: tuple[int, int],
    speed: float,
    cores: Sequence[int],
) -> int | None:
    """Count the calls of the second duration beyond those of the first.

    The difference of both runs has no calls of the program's beginning and end. None: strace may
    not trace, or a run did not end all of its activations under it.
    """
    counts = []
    for duration in durations_ns:
        with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
            table, told = Path(scratch, "calls"), Path(scratch, "told")
            done = run_program(
                Path(find_strace() or "strace"),
                [
                    *("-f", "-c", "-qq", "-o", str(table)),
                    str(find_program("takt_isolation", "takt_bench")),
                    *_arguments(system, schedule, told, duration, speed),
                ],
                timeout_s=_PATIENCE_S + _PARTS * duration / NS_PER_S,
                check=False,
                cores=cores,
            )
            count = total_calls(table.read_text("utf-8", "replace")) if table.exists() else None
            if done.code != 0 and count is not None:
                raise program_failed("takt_isolation", done.code, done.stderr)
            if count is None or not _complete(told):
                return None
        counts.append(count)
    return counts[1] - counts[0]


def _complete(told: Path) -> bool:
    return Isolation.read(json.loads(told.read_text("utf-8"))).cost().complete


def total_calls(table: str) -> int | None:
    """Read the calls of the last line of `strace -c`: '100.00 0.000742 2 371 12 total'."""
    for line in reversed(table.splitlines()):
        words = line.split()
        if words and words[-1] == "total":
            # Share, seconds, microseconds per call, calls, and errors if there were any.
            return int(words[3]) if len(words) > 4 and words[3].isdigit() else None
    return None


def _arguments(
    system: Path, schedule: Path, output: Path, duration_ns: int, speed: float | None
) -> list[str]:
    flags = [str(system), "--schedule", str(schedule), "--output", str(output)]
    flags += ["--duration", duration_flag(duration_ns)]
    return flags if speed is None else [*flags, "--speed", f"{speed:.6g}"]
