"""What one run of a graph gave, as typed data. Times are in ns, moments count from the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from takt_cli.samples import Samples

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ThreadResult:
    """One OS thread of the run."""

    name: str
    process: str
    tid: int
    executor: bool
    asked: str  # in words: "fifo 80, cores 0,1"; empty if nobody asked anything
    granted: str
    faults: tuple[str, ...]
    cpu_ns: int
    run_queue_wait_ns: int
    voluntary_switches: int
    involuntary_switches: int

    @property
    def switches(self) -> int:
        """Context switches of both kinds."""
        return self.voluntary_switches + self.involuntary_switches

    @property
    def policy(self) -> str:
        """The kernel policy that was granted: 'other', 'fifo'."""
        return self.granted.replace(",", " ").split()[0] if self.granted else "other"


@dataclass(frozen=True)
class CallbackResult:
    """Counts of one callback; distributions as the runner summarised them, in ns."""

    id: str
    node: str
    kind: str
    count: int
    skipped_periods: int
    overwritten: int
    lost_messages: int
    start_delay: Mapping[str, Any]
    execution: Mapping[str, Any]
    response: Mapping[str, Any]


@dataclass(frozen=True)
class Series:
    """Samples with the moment each belongs to (ns since the epoch) and whether a stall hit it."""

    values: Samples
    at_ns: Samples
    stalled: Flags

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
    missed_deadlines: int
    responses: Series


@dataclass(frozen=True)
class Kpis:
    """The key figures of the reference system; empty for graphs that have none."""

    hot_latency: Series
    hot_from_due: Samples
    hot_floor_ns: float | None
    hot_drops: int
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
    order: str
    thread_count: int
    host: Mapping[str, Any]
    duration_ns: int
    warmup_ns: int
    epoch_ns: int
    phases: str
    work_scale: float
    threads: tuple[ThreadResult, ...]
    callbacks: tuple[CallbackResult, ...]
    chains: tuple[ChainResult, ...]
    kpis: Kpis
    skipped_periods: int
    load: Mapping[str, Any]
    stalls: tuple[tuple[int, int, int], ...]  # core, begin, end in ns since the epoch
    warnings: tuple[str, ...]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def cpu_share(self) -> float:
        """CPU time of all threads over wall time: 1.0 is one core."""
        measured = max(self.duration_ns, 1)
        return sum(thread.cpu_ns for thread in self.threads) / measured

    @property
    def switches_per_s(self) -> float:
        """Context switches of all threads, per second."""
        return sum(thread.switches for thread in self.threads) * 1e9 / max(self.duration_ns, 1)

    @property
    def released(self) -> int:
        """Activations of all chains."""
        return sum(chain.released for chain in self.chains)

    @property
    def missed_deadlines(self) -> int:
        """Deadlines missed by all chains."""
        return sum(chain.missed_deadlines for chain in self.chains)

    @property
    def stall_ns(self) -> int:
        """Time that the host held cores up."""
        return sum(end - begin for _, begin, end in self.stalls)
