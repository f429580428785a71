"""Runs `takt_data_path`: one way of messages at one size, or the physical limits beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import program_failed, run_program
from takt_cli.base.programs import find_program, find_program_or_none
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.document import DamagedError, Document
from takt_cli.results.samples import Samples, as_samples

PROGRAM = ("takt_data_path", "takt_bench")
# The same with the ways of rclcpp: built where rclcpp is found.
WITH_RCLCPP = ("takt_data_path_rclcpp", "takt_bench")
_MISSING = 3  # its exit code where this build or middleware does not have the way
# The program ends by itself where messages do not arrive.
_PATIENCE_S = 300.0
# Of the kernel's names of threads: 'dds.udp.7412' and 'dds.udp.7413' do the same.
_DIGITS = "0123456789."
_Kind = TypeVar("_Kind", bound=Document)


class Thread(Document, at="data_path#thread"):
    """A thread's counts over all messages."""

    def kind(self) -> str:
        """Give its name without the number of a port or an entity."""
        return self.name.rstrip(_DIGITS)


class DataPath(Document, at="data_path"):
    """What `takt_data_path` measured."""


@dataclass
class Measured:
    """All runs of one way at one size."""

    runs: list[DataPath] = field(default_factory=list)

    @property
    def messages(self) -> int:
        """Messages that were published."""
        return sum(run.messages for run in self.runs)

    @property
    def missed(self) -> int:
        """Messages that were lost or damaged."""
        return sum(run.lost + run.damaged for run in self.runs)

    @property
    def stalls_seen(self) -> bool:
        """Whether host stalls could be told apart in every run."""
        return all(run.stalls_seen for run in self.runs)

    @property
    def clean(self) -> Samples:
        """Latencies of messages that no host stall touched."""
        return as_samples(ns for run in self.runs for ns in run.latencies_ns)

    @property
    def stalled(self) -> Samples:
        """Latencies of the other messages."""
        return as_samples(ns for run in self.runs for ns in run.stalled_ns)

    def per_message(self, count: int) -> float:
        """Divide a count of all runs by their messages."""
        return count / max(self.messages, 1)

    def threads(self) -> list[Thread]:
        """Give the threads of all runs."""
        return [thread for run in self.runs for thread in run.threads]

    def switches(self) -> float:
        """Switches of both kinds of all threads per message."""
        return self.per_message(sum(one.voluntary + one.involuntary for one in self.threads()))

    def cpu_ns(self) -> float:
        """CPU time of all threads per message."""
        return self.per_message(sum(one.cpu_ns for one in self.threads()))

    def kinds(self) -> list[Kind]:
        """Sum up threads of the same process, role and kind of name, in the order of roles."""
        found: dict[tuple[str, str, str], list[Thread]] = {}
        for thread in self.threads():
            name = thread.kind() if thread.role == "other" else thread.role
            found.setdefault((thread.role, thread.process, name), []).append(thread)
        order = ("publisher", "both", "receiver", "other")
        return [
            Kind(
                process=process,
                role=role,
                name=name,
                threads=round(len(those) / len(self.runs)),
                voluntary=self.per_message(sum(one.voluntary for one in those)),
                involuntary=self.per_message(sum(one.involuntary for one in those)),
                cpu_ns=self.per_message(sum(one.cpu_ns for one in those)),
            )
            for (role, process, name), those in sorted(
                found.items(), key=lambda item: (order.index(item[0][0]), item[0][1:])
            )
        ]


@dataclass(frozen=True)
class Kind:
    """Threads that do the same; counts and CPU time per message."""

    process: str
    role: str
    name: str
    threads: int
    voluntary: float
    involuntary: float
    cpu_ns: float


class Floors(Document, at="data_path_floors"):
    """The physical limits."""

    def copy_ns(self, size: int) -> float | None:
        """Time to copy so many bytes."""
        return next((copy.ns for copy in self.copies if copy.size == size), None)


def run_data_path(
    variant: str,
    place: str,
    size: int,
    output: Path,
    *,
    messages: int,
    interval_ns: int,
    longest_ns: int,
    cores: Sequence[int],
) -> DataPath | str:
    """Measure one way at one size; why not, where this build or middleware does not have it."""
    flags = ["--variant", variant, "--place", place, "--size", str(size)]
    flags += ["--messages", str(messages), "--interval", duration_flag(interval_ns)]
    flags += ["--longest", duration_flag(longest_ns)]
    program = PROGRAM
    if variant.startswith("rclcpp"):
        if find_program_or_none(*WITH_RCLCPP) is None:
            return "rclcpp's own messages within a process: takt was built without rclcpp"
        program = WITH_RCLCPP
    missing = _run(flags, output, cores, messages * interval_ns / NS_PER_S, program)
    return missing or _read(DataPath, output)


def run_floors(sizes: Sequence[int], output: Path, cores: Sequence[int]) -> Floors:
    """Measure the physical limits."""
    _run(["--floors", *map(str, sizes)], output, cores, 0.0)
    return _read(Floors, output)


def _run(
    flags: list[str],
    output: Path,
    cores: Sequence[int],
    length_s: float,
    program: tuple[str, str] = PROGRAM,
) -> str:
    """Run it; the reason where there is nothing to measure, else empty."""
    two = ",".join(str(core) for core in cores[:2])
    done = run_program(
        find_program(*program),
        [*flags, "--cores", two, "--output", str(output)],
        timeout_s=_PATIENCE_S + 2 * length_s,
        check=False,
        cores=cores,
    )
    said = done.stderr or done.stdout
    if done.code == _MISSING:
        return said.strip().removeprefix(f"{PROGRAM[0]}: ")
    if done.code != 0:
        raise program_failed(program[0], done.code, said)
    return ""


def _read(kind: type[_Kind], output: Path) -> _Kind:
    try:
        return kind.read(json.loads(output.read_text(encoding="utf-8")))
    except (OSError, ValueError, DamagedError) as error:
        raise TaktError(
            f"{PROGRAM[0]} wrote no result that takt can read: {error}", code=EXIT_FAILED
        ) from error
