"""The figures that a process tells of its executors while it runs, as typed records.

A process is not trusted: a field of the wrong kind makes the whole answer unusable, and texts lose
the characters that a terminal would obey. All counters are totals since watching began; two looks
at one process give rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.control.client import Message, NoAnswer, Peer, ask
from takt_cli.control.status import damaged
from takt_cli.importing.not_carried_over import printable
from takt_cli.results.fields import DamagedError, Fields

SCHEMA = 1
_MOST_CORE = 65535
_MOST_WINDOW = 1_000_000
_LARGEST = 2**63 - 1


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
    stored: int | None
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


@dataclass(frozen=True)
class Chain:
    """A chain as the executor sees it that ends it."""

    name: str
    path: tuple[str, ...]
    priority: int
    activations: int
    deadline: Deadline
    response: Distribution


@dataclass(frozen=True)
class Executor:
    """An executor of a process."""

    name: str
    spinning: bool
    threads: tuple[Thread, ...]
    callbacks: tuple[Callback, ...]
    chains: tuple[Chain, ...]


@dataclass(frozen=True)
class Alarms:
    """Numbers of alarms."""

    raised: int
    cleared: int
    active: int
    dropped: int


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


def ask_statistics(socket: Path, number: int, timeout_s: float) -> ProcessStatistics:
    """Ask a process for its figures; `number`: that of its socket's name.

    Raises Gone, NoAnswer or Refused.
    """
    peer, data = ask(socket, Message.statistics, {}, timeout_s)
    return read_statistics(data, peer, number)


def read_statistics(data: Mapping[str, Any], peer: Peer, number: int) -> ProcessStatistics:
    """Read the answer to `statistics`; the number of the process is the one that the kernel names.

    `number`: of the process by the name of its socket, where the kernel shows none.
    """
    try:
        fields = Fields(data)
        schema = fields.whole("schema")
        if schema != SCHEMA:
            raise NoAnswer(
                f"tells figures of version {schema}, and this command reads version {SCHEMA}; use "
                "the takt command that belongs to its libraries"
            )
        alarms = fields.part("alarms")
        return ProcessStatistics(
            pid=peer.pid or number,
            program=_text(fields, "program"),
            host=_text(fields, "host"),
            time_ns=fields.whole("time_ns"),
            since_ns=fields.whole("since_ns"),
            rmw=_text(fields, "rmw"),
            unknown=_texts(fields, "unknown"),
            executors=tuple(map(_executor, fields.parts("executors"))),
            alarms=Alarms(
                *(alarms.whole(name) for name in ("raised", "cleared", "active", "dropped"))
            ),
        )
    except DamagedError as error:
        raise damaged(error) from error


def _text(fields: Fields, name: str) -> str:
    return printable(fields.text(name))


def _texts(fields: Fields, name: str) -> tuple[str, ...]:
    return tuple(map(printable, fields.texts(name)))


def _number(fields: Fields, name: str) -> float | None:
    return fields.number(name) if fields.has(name) else None


def _duration(fields: Fields, name: str) -> float | None:
    # The start of a run may lie before the arrival that was noted for it.
    return fields.number(name, least=-_LARGEST) if fields.has(name) else None


def _executor(fields: Fields) -> Executor:
    return Executor(
        name=_text(fields, "name"),
        spinning=fields.flag("spinning"),
        threads=tuple(map(_thread, fields.parts("threads"))),
        callbacks=tuple(map(_callback, fields.parts("callbacks"))),
        chains=tuple(map(_chain, fields.parts("chains"))),
    )


def _thread(fields: Fields) -> Thread:
    running = fields.part("running")
    return Thread(
        number=fields.whole("number"),
        name=_text(fields, "name"),
        tid=fields.whole("tid"),
        policy=_text(fields, "policy"),
        priority=fields.whole("priority"),
        nice=fields.whole("nice", least=-20),
        cores=fields.wholes("cores", _MOST_CORE),
        asked_differs=fields.flag("asked_differs"),
        running=Running(_text(running, "callback"), running.whole("since_ns"))
        if fields.has("running")
        else None,
        on_cpu_ns=fields.whole("on_cpu_ns"),
        run_queue_delay_ns=fields.whole("run_queue_delay_ns"),
        voluntary_switches=fields.whole("voluntary_switches"),
        involuntary_switches=fields.whole("involuntary_switches"),
        minor_faults=fields.whole("minor_faults"),
        major_faults=fields.whole("major_faults"),
        migrations=fields.whole_or_none("migrations"),
    )


def _callback(fields: Fields) -> Callback:
    return Callback(
        id=printable(fields.name("id")),
        kind=_text(fields, "kind"),
        group=_text(fields, "group"),
        threads=_texts(fields, "threads"),
        chains=_texts(fields, "chains"),
        priority=fields.whole("priority"),
        effective_priority=fields.whole("effective_priority"),
        depth=fields.whole_or_none("depth"),
        waiting=fields.whole("waiting"),
        largest_waiting=fields.whole("largest_waiting"),
        oldest_age_ns=fields.whole_or_none("oldest_age_ns"),
        arrivals=fields.whole("arrivals"),
        starts=fields.whole("starts"),
        empty_takes=fields.whole("empty_takes"),
        overwritten=fields.whole_or_none("overwritten"),
        lost=fields.whole_or_none("lost"),
        stored=fields.whole_or_none("stored"),
        skipped_periods=fields.whole("skipped_periods"),
        exceptions=fields.whole("exceptions"),
        arrival_rate_hz=_number(fields, "arrival_rate_hz"),
        service_rate_hz=_number(fields, "service_rate_hz"),
        deadline=_deadline(fields),
        budget_ns=fields.whole_or_none("budget_ns"),
        overruns=fields.whole("overruns"),
        response=_distribution(fields.part("response")),
        execution=_distribution(fields.part("execution")),
        start_delay=_distribution(fields.part("start_delay")),
    )


def _chain(fields: Fields) -> Chain:
    return Chain(
        name=printable(fields.name("name")),
        path=_texts(fields, "path"),
        priority=fields.whole("priority"),
        activations=fields.whole("activations"),
        deadline=_deadline(fields),
        response=_distribution(fields.part("response")),
    )


def _deadline(fields: Fields) -> Deadline:
    window = fields.wholes("misses_in_window", _MOST_WINDOW) or (0, 0)
    if len(window) != 2:
        raise DamagedError(
            f"{fields.place}.misses_in_window has {len(window)} numbers in place of 2"
        )
    return Deadline(
        deadline_ns=fields.whole_or_none("deadline_ns"),
        misses=fields.whole("misses"),
        consecutive_misses=fields.whole("consecutive_misses"),
        largest_consecutive_misses=fields.whole("largest_consecutive_misses"),
        misses_in_window=(window[0], window[1]),
    )


def _distribution(fields: Fields) -> Distribution:
    names = ("min_ns", "mean_ns", "stddev_ns", "p50_ns", "p99_ns", "max_ns")
    return Distribution(fields.whole("count"), *(_duration(fields, name) for name in names))
