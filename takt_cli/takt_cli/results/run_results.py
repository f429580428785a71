"""The results of one run of a graph. Times are in ns; points in time count from the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from takt_cli.documents.document import Document
from takt_cli.results.phase_state import PhaseState
from takt_cli.results.samples import Samples

# Threads of the runner that only watch the run, by the start of their names.
MEASURING = frozenset({"witness", "reference"})
Flags = npt.NDArray[np.bool_]


class ThreadResult(Document, at="results#thread"):
    """One OS thread of the run."""

    @property
    def switches(self) -> int:
        """Context switches of both kinds."""
        return self.voluntary_switches + self.involuntary_switches

    @property
    def measuring(self) -> bool:
        """Whether the thread only watches: the stall witnesses and the reference timer."""
        return not self.executor and self.name.partition(".")[0] in MEASURING

    @property
    def main(self) -> bool:
        """Whether it is the first thread of takt_run, which does no work of the middleware."""
        return not self.executor and self.name == "takt_run"

    @property
    def policy(self) -> str:
        """The kernel policy that was granted: 'other', 'fifo'."""
        return self.granted.replace(",", " ").split()[0] if self.granted else "other"

    @property
    def granted_without_cores(self) -> str:
        """The granted policy with its number: 'fifo 80'."""
        return self.granted.partition(", core")[0]


class HostOfRun(Document, at="results#host"):
    """The machine that the graph ran on."""


class Load(Document, at="results#load"):
    """The work that was asked for and applied; 1.0 is one core."""


class CallbackResult(Document, at="results#callback"):
    """Counts of one callback."""


@dataclass(frozen=True)
class Series:
    """Samples with the moment each belongs to (ns since the epoch) and whether a stall hit it."""

    values: Samples
    at_ns: Samples
    stalled: Flags

    @property
    def stalled_share(self) -> float:
        """Give the share of samples that a host stall touched."""
        return float(self.stalled.mean()) if len(self.stalled) else 0.0

    def clean(self) -> Samples:
        """Give the samples that no host stall touched."""
        return self.values[~self.stalled]


@dataclass(frozen=True)
class ChainResult:
    """One chain: its activations and their response times."""

    name: str
    path: tuple[str, ...]
    priority: int | None
    deadline_ns: int | None
    released: int
    completed: int
    superseded: int  # newer data replaced it in a fusion
    lost: int  # overwritten on its way
    unfinished: int  # the run ended
    skipped: int  # the root's timer skipped the period
    missed_deadlines: int
    responses: Series
    catching_up: Flags  # per response: true if runs had not yet caught up with an earlier stall

    @property
    def expected(self) -> int:
        """Count the activations that should complete: all but those that newer data replaced."""
        return max(self.released - self.superseded, self.completed)


# Of the hot path, in the order of its results.
HOT_PARTS = ("work", "held_up", "publishing", "handing_over")


@dataclass(frozen=True)
class Kpis:
    """The key figures of the reference system; empty for graphs that have none."""

    hot_latency: Series
    hot_from_due: Samples
    hot_floor_ns: float | None
    hot_drops: int
    hot_parts: Mapping[str, float]  # the parts of the time: median ns of each of HOT_PARTS
    planner_period: Samples
    planner_lateness: Series
    planner_cycles: int
    planner_stale_cycles: int
    reference_lateness: Samples

    @property
    def has_hot_path(self) -> bool:
        """Whether the graph has a hot path that was measured."""
        return len(self.hot_latency.values) > 0 or self.hot_floor_ns is not None

    @property
    def has_planner(self) -> bool:
        """Whether the graph has a planner that ran."""
        return self.planner_cycles > 0


@dataclass(frozen=True)
class Results:
    """One run."""

    graph: str
    label: str
    schedule: str | None
    executors: tuple[str, ...]  # of the schedule, those that ran
    order: str
    thread_count: int
    host: HostOfRun
    duration_ns: int  # the measured time: less than asked for if the run ended early
    warmup_ns: int
    epoch_ns: int
    phases: str
    work_scale: float
    threads: tuple[ThreadResult, ...]
    callbacks: tuple[CallbackResult, ...]
    chains: tuple[ChainResult, ...]
    kpis: Kpis
    skipped_periods: int
    # Of executors whose schedule gives offsets, by the part that ran it.
    phase_states: Mapping[str, PhaseState]
    other_cores: float | None  # CPU use of other programs in this time; 1.0 is one core
    load: Load
    # What the host held up in the measured time: core, begin, end in ns since the epoch.
    stalls: tuple[tuple[int, int, int], ...]
    defaulted_callbacks: tuple[str, ...]  # no rule of the schedule matches them
    warnings: tuple[str, ...]
    ended_early: bool  # an interrupt ended it early
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def disturbances(self) -> int:
        """How often a skipped period, a lost message or a new start disturbed the phases."""
        return sum(state.disturbances for state in self.phase_states.values())

    @property
    def nothing_measured(self) -> bool:
        """Tell whether an interrupt ended it during its warm-up."""
        return self.ended_early and self.duration_ns == 0

    @property
    def several_processes(self) -> bool:
        """Tell whether several processes may have threads of the same name."""
        return len({thread.process for thread in self.threads}) > 1

    @property
    def measured_threads(self) -> list[ThreadResult]:
        """All threads but those that only watch."""
        return [thread for thread in self.threads if not thread.measuring]

    @property
    def cpu_share(self) -> float:
        """CPU time of all threads but the measuring ones over wall time: 1.0 is one core."""
        return sum(thread.cpu_ns for thread in self.measured_threads) / max(self.duration_ns, 1)

    @property
    def switches_per_s(self) -> float:
        """Context switches of all threads but the measuring ones, per second."""
        switches = sum(thread.switches for thread in self.measured_threads)
        return switches * 1e9 / max(self.duration_ns, 1)

    @property
    def released(self) -> int:
        """Activations of all chains."""
        return sum(chain.released for chain in self.chains)

    @property
    def missed_deadlines(self) -> int:
        """Deadlines missed by all chains."""
        return sum(chain.missed_deadlines for chain in self.chains)

    @property
    def held_up(self) -> list[tuple[int, int]]:
        """Times in which the host held up some core; simultaneous stalls count once."""
        times: list[tuple[int, int]] = []
        for begin, end in sorted(stall[1:] for stall in self.stalls):
            if times and begin <= times[-1][1]:
                times[-1] = (times[-1][0], max(end, times[-1][1]))
            else:
                times.append((begin, end))
        return times

    @property
    def stall_ns(self) -> int:
        """The total length of these times."""
        return sum(end - begin for begin, end in self.held_up)
