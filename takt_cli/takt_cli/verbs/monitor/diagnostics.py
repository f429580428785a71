"""The statistics of all processes as diagnostics: a status per executor, thread and chain.

The module has neither ROS nor a clock. The names are those of diagnostic_updater, `<program>: chain
<name>`, so that aggregators can group them by program.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from takt_cli.base.cores import cores_words
from takt_cli.base.units import NS_PER_S, how_many, human
from takt_cli.control.attributes import Attributes
from takt_cli.control.statistics import Chain, Distribution, Executor, ProcessStatistics, Thread
from takt_cli.control.status import ProcessStatus
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.words import alarm_words

OK, WARN, ERROR, STALE = range(4)
_NS_PER_US = 1000
_WORST_CALLBACKS = 5
_SHOWN_ALARMS = 3


@dataclass(frozen=True)
class View:
    """One process at one time, for other threads than the monitor's loop."""

    name: str
    pid: int
    answers: bool
    why: str
    status: ProcessStatus | None
    figures: ProcessStatistics | None
    alarms: tuple[Alarm, ...]


@dataclass(frozen=True)
class Status:
    """One entry of a DiagnosticArray."""

    level: int
    name: str
    message: str
    hardware_id: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Limits:
    """Parameters of the node."""

    window_s: float = 10.0
    warn_ratio: float = 0.0  # of missed activations in the window
    error_ratio: float = 0.1


@dataclass
class _Window:
    """Totals of a chain at earlier times."""

    totals: deque[tuple[int, int, int]] = field(default_factory=lambda: deque(maxlen=1000))

    def add(self, time_ns: int, activations: int, misses: int, window_ns: int) -> tuple[int, int]:
        """Add totals; returns activations and misses within the window."""
        totals = self.totals
        if totals and activations < totals[-1][1]:  # watching began anew
            totals.clear()
        if not totals or totals[-1][0] != time_ns:
            totals.append((time_ns, activations, misses))
        while len(totals) > 2 and totals[1][0] <= time_ns - window_ns:
            totals.popleft()
        first = totals[0]
        return activations - first[1], max(0, misses - first[2])


class Diagnostics:
    """Makes statuses; remembers totals for the window."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._windows: dict[tuple[int, str, str], _Window] = {}

    def statuses(self, views: Sequence[View], limits: Limits) -> list[Status]:
        """Give the statuses of all processes."""
        programs = Counter(view.name for view in views)
        found: list[Status] = []
        used: set[tuple[int, str, str]] = set()
        for view in views:
            # Dashboards know a status by its name: two processes of one program need two names.
            shared = programs[view.name] > 1
            program = f"{view.name} (pid {view.pid})" if shared else view.name
            found.append(self._process(view, program))
            if view.answers and view.figures is not None:
                found += self._parts(view, view.figures, program, limits, used)
        self._windows = {key: one for key, one in self._windows.items() if key in used}
        return found

    def _process(self, view: View, program: str) -> Status:
        host = view.figures.host if view.figures and view.figures.host else self._host
        values = (("pid", str(view.pid)),)
        if not view.answers:
            return Status(STALE, f"{program}: process", view.why or "silent", host, values)
        return Status(OK, f"{program}: process", "watched", host, values)

    def _parts(
        self,
        view: View,
        figures: ProcessStatistics,
        program: str,
        limits: Limits,
        used: set[tuple[int, str, str]],
    ) -> Iterable[Status]:
        host = figures.host or self._host
        chains = Counter(chain.name for one in figures.executors for chain in one.chains)
        threads = Counter(thread.name for one in figures.executors for thread in one.threads)
        asked = _asked(view.status)
        for one in figures.executors:
            yield executor_status(one, view.alarms, f"{program}: executor {one.name}", host)
            for thread in one.threads:
                qualified = _qualified(one, thread.name, threads, str(thread.tid))
                name = f"{program}: thread {qualified}"
                yield thread_status(thread, asked.get(thread.tid), name, host)
            for chain in one.chains:
                key = (view.pid, one.name, chain.name)
                used.add(key)
                window = self._windows.setdefault(key, _Window())
                recent = window.add(
                    figures.time_ns,
                    chain.activations,
                    chain.misses,
                    round(limits.window_s * NS_PER_S),
                )
                name = f"{program}: chain {_qualified(one, chain.name, chains)}"
                yield chain_status(chain, recent, limits, name, host)


def _asked(status: ProcessStatus | None) -> dict[int, Attributes]:
    executors = status.executors if status else ()
    return {thread.tid: thread.asked for one in executors for thread in one.threads}


def _qualified(executor: Executor, name: str, names: Counter[str], more: str = "") -> str:
    """Name a part; if another part has the same name, add its executor and `more`."""
    if names[name] == 1:
        return name
    own = f"{executor.name}/{name}"
    within = sum(one.name == name for one in executor.threads)
    return f"{own} ({more})" if more and within > 1 else own


def chain_status(
    chain: Chain, recent: tuple[int, int], limits: Limits, name: str, host: str
) -> Status:
    """Give the status of a chain; `recent`: activations and misses within the window."""
    if not chain.counted:
        words = "crosses processes, and this one cannot count it; `takt trace` joins it"
        known = (
            ("elsewhere", " ".join(chain.elsewhere)),
            ("deadline_us", _us(chain.deadline_ns)),
            ("priority", str(chain.priority)),
        )
        return Status(OK, name, words, host, known)
    activations, misses = recent
    ratio = misses / max(activations, misses, 1)
    window = f"the last {limits.window_s:g} s"
    level = OK
    if chain.elsewhere or chain.from_arrival:
        window += ", from the arrival in this process"
    if chain.deadline_ns is None:
        message = f"{how_many(activations, 'activation')} in {window}; no deadline"
    elif misses == 0:
        message = f"no missed deadline in {window}"
    else:
        within = human(chain.deadline_ns)
        message = (
            f"{misses:,} of {how_many(activations, 'activation')} missed the deadline of {within} "
            f"in {window}"
        )
        level = ERROR if ratio > limits.error_ratio else WARN if ratio > limits.warn_ratio else OK
    values = [
        *_spread("response_time_us", chain.response),
        ("deadline_us", _us(chain.deadline_ns)),
        ("activations (window)", str(activations)),
        ("activations (total)", str(chain.activations)),
        ("misses (window)", str(misses)),
        ("misses (total)", str(chain.misses)),
        ("misses (consecutive)", str(chain.consecutive_misses)),
        ("miss ratio (window)", f"{ratio:.4f}"),
        ("priority", str(chain.priority)),
    ]
    if chain.elsewhere:
        values.append(("elsewhere", " ".join(chain.elsewhere)))
    return Status(level, name, message, host, tuple(values))


def thread_status(thread: Thread, asked: Attributes | None, name: str, host: str) -> Status:
    """Give the status of a thread."""
    wanted = str(asked) if asked is not None else "–"
    granted = f"{thread.policy}, nice {thread.nice}"
    if thread.policy in ("fifo", "rr"):
        granted = f"{thread.policy} {thread.priority}"
    message = f"has {granted}, {cores_words(thread.cores)}"
    if thread.asked_differs:
        message = f"was asked {wanted}; it {message}"
    values = (
        ("policy asked", wanted),
        ("policy granted", granted),
        ("priority", str(thread.priority)),
        ("nice", str(thread.nice)),
        ("cpus", ",".join(map(str, thread.cores))),
        ("tid", str(thread.tid)),
        ("page faults", str(thread.minor_faults + thread.major_faults)),
        ("page faults (major)", str(thread.major_faults)),
        ("involuntary switches", str(thread.involuntary_switches)),
        ("migrations", str(thread.migrations)),
        ("cpu_time_us", _us(thread.on_cpu_ns)),
        ("run_queue_delay_us", _us(thread.run_queue_delay_ns)),
    )
    return Status(WARN if thread.asked_differs else OK, name, message, host, values)


def executor_status(executor: Executor, alarms: Sequence[Alarm], name: str, host: str) -> Status:
    """Give the status of an executor: its alarms, and the sums of its callbacks."""
    own = [alarm for alarm in alarms if alarm.executor == executor.name]
    callbacks = executor.callbacks
    level = ERROR if any(one.error for one in own) else WARN if own else OK
    message = "; ".join(alarm_words(one) for one in own[:_SHOWN_ALARMS])
    if len(own) > _SHOWN_ALARMS:
        message += f"; {how_many(len(own) - _SHOWN_ALARMS, 'other alarm')}"
    if not own:
        message = "no alarm" if executor.spinning else "does not spin"

    def total(name: str) -> str:
        return str(sum(getattr(one, name) for one in callbacks))

    values: list[tuple[str, str]] = [
        ("alarms", str(len(own))),
        ("callbacks", str(len(callbacks))),
        ("queue depth", str(max((one.waiting for one in callbacks), default=0))),
        ("queue depth max", str(max((one.largest_waiting for one in callbacks), default=0))),
        ("drops", str(sum((one.overwritten or 0) + (one.lost or 0) for one in callbacks))),
        ("overruns", total("overruns")),
        ("skipped periods", total("skipped_periods")),
        ("exceptions", total("exceptions")),
        ("runs", total("starts")),
        ("spinning", str(executor.spinning)),
    ]
    longest = sorted(callbacks, key=lambda one: one.execution.max_ns or 0.0, reverse=True)
    for one in longest[:_WORST_CALLBACKS]:
        values += _spread(f"execution_time_us {one.id}", one.execution)
    return Status(level, name, message, host, tuple(values))


def alarms_status(
    views: Sequence[View], numbers: Iterable[tuple[str, Any]], node: str, host: str
) -> Status:
    """Give the status of the monitor itself, the node of this name; `numbers`: its counters."""
    alarms = [alarm for view in views for alarm in view.alarms]
    level = ERROR if any(one.error for one in alarms) else WARN if alarms else OK
    message = how_many(len(alarms), "active alarm") if alarms else "no active alarm"
    values = (("processes", str(len(views))), *((name, str(value)) for name, value in numbers))
    return Status(level, f"{node}: alarms", message, host, values)


def _spread(name: str, spread: Distribution) -> list[tuple[str, str]]:
    figures = (("mean", spread.mean_ns), ("p99", spread.p99_ns), ("max", spread.max_ns))
    return [(f"{name} {figure}", _us(value)) for figure, value in figures]


def _us(value_ns: float | None) -> str:
    return "–" if value_ns is None else f"{value_ns / _NS_PER_US:.1f}"
