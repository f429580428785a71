"""What a trace tells in depth: chains and their longest activations, callbacks, threads, clocks.

Times are nanoseconds; moments count from the beginning of the trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PARTS = ("middleware", "group", "queue", "core", "ran", "blocked")


@dataclass(frozen=True)
class Distribution:
    """How long something took; a figure of too few values is None."""

    count: int
    min_ns: float | None
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    max_ns: float | None


@dataclass(frozen=True)
class Split:
    """What a response time was spent on, by the names in PARTS."""

    parts: Mapping[str, float]

    @property
    def total_ns(self) -> float:
        """All parts together: the response time."""
        return sum(self.parts.values())

    @property
    def largest(self) -> str:
        """Name of the part that took longest."""
        return max(PARTS, key=self.parts.__getitem__)


@dataclass(frozen=True)
class Blocker:
    """A callback, or a sentence about the activity, that kept a step waiting."""

    what: str
    why: str  # group, queue or core
    ns: int


@dataclass(frozen=True)
class Step:
    """One run of an activation."""

    callback: str
    pid: int
    thread: str
    tid: int
    core: int | None
    from_ns: int | None  # the publish before it, or the release of the root
    release_ns: int
    start_ns: int
    end_ns: int
    kept_ns: int  # after its end its node kept the message for the other input
    split: Split
    blocked_by: tuple[Blocker, ...]
    published_by: str  # another callback, where that published the message that carried on


@dataclass(frozen=True)
class Run:
    """A run of any callback beside an activation; `own`: a step of it."""

    pid: int
    tid: int
    thread: str
    callback: str
    start_ns: int
    end_ns: int
    own: bool


@dataclass(frozen=True)
class Activation:
    """One of the longest activations of a chain."""

    release_ns: int
    end_ns: int
    response_ns: int
    split: Split
    steps: tuple[Step, ...]
    timeline: tuple[Run, ...]
    host_stall_ns: int | None = None  # how long the host had a core meanwhile; None: not watched


@dataclass(frozen=True)
class Stops:
    """Activations of a chain that never ended for one reason, at one callback."""

    kind: str  # lost, overdue, skipped, unfinished or superseded
    callback: str
    count: int


@dataclass(frozen=True)
class StoppedActivation:
    """An activation that never ended."""

    release_ns: int
    kind: str
    callback: str
    reason: str


@dataclass(frozen=True)
class Account:
    """How all activations of a chain ended, also those that never did."""

    released: int
    completed: int
    late: int
    lost: int
    superseded: int
    unfinished: int
    overdue: int
    skipped: int
    stops: tuple[Stops, ...]
    stopped: tuple[StoppedActivation, ...]  # some of them


@dataclass(frozen=True)
class ReportedChain:
    """A chain and its activations; `responses`: moment of the release, response time."""

    name: str
    path: tuple[str, ...]
    deadline_ns: int | None
    activations: int  # that ended
    missed: int
    account: Account | None  # None: the trace does not tell, for the reason in `account_why`
    account_why: str
    unsplit: int  # activations of which the trace has no steps
    response: Distribution
    responses: tuple[tuple[int, int], ...]
    split: Split
    worst: tuple[Activation, ...]

    @property
    def counted(self) -> int:
        """How many activations `missed` is a part of."""
        return self.account.released if self.account else self.activations


@dataclass(frozen=True)
class ReportedCallback:
    """A callback and the times of its runs."""

    id: str
    executor: str
    pid: int
    count: int
    execution: Distribution
    start_delay: Distribution
    response: Distribution
    cpu: Distribution | None


@dataclass(frozen=True)
class ReportedSlice:
    """A span of user code."""

    name: str
    pid: int
    duration: Distribution


@dataclass(frozen=True)
class ReportedThread:
    """A thread of a process."""

    pid: int
    tid: int
    name: str
    executor: str
    runs: int
    busy_ns: int


@dataclass(frozen=True)
class ReportedProcess:
    """A process of the trace."""

    pid: int
    program: str
    host: str
    threads: int
    records: int
    dropped: int

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.program.rpartition('/')[2] or '?'} (pid {self.pid})"


@dataclass(frozen=True)
class ReportedHost:
    """A host of the trace, and how well its clock is known."""

    name: str
    clock_uncertainty_ns: int | None
    synchronised: bool | None


@dataclass(frozen=True)
class TraceReport:
    """The whole document."""

    began_ns: int
    ended_ns: int
    hosts: tuple[ReportedHost, ...]
    processes: tuple[ReportedProcess, ...]
    cpu_measured: bool
    kernel_measured: bool
    chains: tuple[ReportedChain, ...]
    callbacks: tuple[ReportedCallback, ...]
    slices: tuple[ReportedSlice, ...]
    threads: tuple[ReportedThread, ...]

    @property
    def duration_ns(self) -> int:
        """From the first to the last record."""
        return max(0, self.ended_ns - self.began_ns)

    @property
    def dropped(self) -> int:
        """How many records are missing."""
        return sum(process.dropped for process in self.processes)

    @property
    def programs(self) -> dict[int, str]:
        """Words for each process, by its number."""
        return {process.pid: process.words for process in self.processes}
