"""The figures that a process tells of its executors while it runs, as typed records.

All counters are totals since watching began; two looks at one process give rates.
"""

from __future__ import annotations

from dataclasses import dataclass

from takt_cli.results.phase_state import PhaseState


@dataclass(frozen=True)
class Distribution:
    """Durations since watching began; None: too few values for this figure."""

    count: int
    min_ns: float | None = None
    mean_ns: float | None = None
    stddev_ns: float | None = None
    p50_ns: float | None = None
    p99_ns: float | None = None
    max_ns: float | None = None


@dataclass(frozen=True)
class Running:
    """The callback that a thread runs, and the time at which the run began."""

    callback: str
    since_ns: int


@dataclass(frozen=True)
class Thread:
    """A thread of an executor, with the kernel's account since the thread began."""

    number: int
    name: str
    tid: int
    policy: str
    priority: int
    nice: int
    cores: tuple[int, ...]
    asked_differs: bool
    running: Running | None
    on_cpu_ns: int
    run_queue_delay_ns: int
    voluntary_switches: int
    involuntary_switches: int
    minor_faults: int
    major_faults: int
    migrations: int | None


@dataclass(frozen=True)
class Deadline:
    """A deadline, and how often it was missed."""

    deadline_ns: int | None
    misses: int
    consecutive_misses: int
    largest_consecutive_misses: int
    misses_in_window: tuple[int, int]


@dataclass(frozen=True)
class Callback:
    """A callback of an executor."""

    id: str
    kind: str
    group: str
    threads: tuple[str, ...]
    chains: tuple[str, ...]
    priority: int
    effective_priority: int
    depth: int | None
    waiting: int
    largest_waiting: int
    oldest_age_ns: int | None
    arrivals: int
    starts: int
    empty_takes: int
    overwritten: int | None
    lost: int | None
    skipped_periods: int
    exceptions: int
    arrival_rate_hz: float | None
    service_rate_hz: float | None
    deadline: Deadline
    budget_ns: int | None
    overruns: int
    response: Distribution
    execution: Distribution
    start_delay: Distribution

    @property
    def names(self) -> tuple[str, ...]:
        """Its id, and the id that a chain has for it.

        Where rclcpp delivers messages within the process, a waitable takes those of a subscription.
        """
        node, waitable, rest = self.id.partition(":waitable(")
        return (self.id, f"{node}:sub({rest}") if waitable else (self.id,)


@dataclass(frozen=True)
class Chain:
    """A chain, at the executor that has its last callback."""

    name: str
    path: tuple[str, ...]
    elsewhere: tuple[str, ...]  # callbacks of the path that other processes have
    priority: int
    activations: int  # that ended or are overdue
    overdue: int  # of the misses: the deadline passed before the activation ended
    deadline: Deadline
    response: Distribution
    from_arrival: bool = False  # the process counts from the arrival of another one's message on

    @property
    def counted(self) -> bool:
        """Whether its figures say anything.

        A message from another process does not carry the activation that it belongs to. A process
        that does not count from the arrival of the message on finds no activation of such a chain.
        """
        known = self.activations > 0 or self.deadline.misses > 0
        return self.from_arrival or known or not self.elsewhere


@dataclass(frozen=True)
class Executor:
    """An executor of a process."""

    name: str
    spinning: bool
    threads: tuple[Thread, ...]
    callbacks: tuple[Callback, ...]
    chains: tuple[Chain, ...] = ()
    passing: tuple[str, ...] = ()  # chains that end elsewhere
    phases: PhaseState | None = None


@dataclass(frozen=True)
class Alarms:
    """Numbers of alarms."""

    raised: int
    cleared: int
    active: int


@dataclass(frozen=True)
class ProcessStatistics:
    """All figures of one process at one time of the monotonic clock."""

    pid: int
    program: str
    host: str
    time_ns: int
    since_ns: int
    rmw: str
    unknown: tuple[str, ...]
    executors: tuple[Executor, ...]
    alarms: Alarms

    @property
    def name(self) -> str:
        """The name of its program without the folders."""
        return self.program.rpartition("/")[2] or "?"

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.name} (pid {self.pid})"

    def is_same_run(self, other: ProcessStatistics) -> bool:
        """Whether the counters of both began at the same time."""
        return (self.pid, self.program, self.since_ns) == (other.pid, other.program, other.since_ns)
