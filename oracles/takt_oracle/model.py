"""What is scheduled: callbacks, executors and the machine, as immutable values.

Times are integer nanoseconds. The position of a callback in `Scenario.callbacks` is its
registration order.
"""

from __future__ import annotations

from dataclasses import dataclass

# Position in this tuple is the class order of the wait set: timers first, waitables last.
KINDS = ("timer", "subscription", "service", "client", "waitable")
ORDERS = ("window", "stock", "fifo", "priority")
KERNELS = ("own", "fair", "fifo", "rr")
GROUP_TYPES = ("mutually_exclusive", "reentrant")
TIMER_MODES = ("snapshot", "immediate")
POLL_MODES = ("empty", "parked")
SKIP_RULES = ("after", "at_or_after")


class ScenarioError(ValueError):
    """All faults of a scenario in one message."""


@dataclass(frozen=True)
class Callback:
    """One schedulable unit. A non-timer gets one message per publication on `subscribes`."""

    id: str
    kind: str
    cost_ns: int
    group: str
    executor: int = 0
    group_type: str = "mutually_exclusive"
    period_ns: int | None = None
    offset_ns: int = 0
    publishes: tuple[str, ...] = ()
    subscribes: str | None = None
    priority: int = 0
    depth: int | None = None

    @property
    def is_timer(self) -> bool:
        """Released by time, not by a message."""
        return self.kind == "timer"

    @property
    def exclusive(self) -> bool:
        """Never runs together with another member of its group, or with itself."""
        return self.group_type == "mutually_exclusive"


@dataclass(frozen=True)
class Executor:
    """A set of callbacks (those that name its index) run by `threads` threads in one order."""

    order: str = "window"
    threads: int = 1
    timers: str = "snapshot"
    poll: str = "empty"


@dataclass(frozen=True)
class Scenario:
    """A closed system: everything that decides the schedule."""

    callbacks: tuple[Callback, ...]
    executors: tuple[Executor, ...]
    horizon_ns: int
    kernel: str = "own"
    cores: int | None = None
    quantum_ns: int = 100_000_000
    skip: str = "after"

    @property
    def total_threads(self) -> int:
        """Threads of all executors."""
        return sum(executor.threads for executor in self.executors)

    @property
    def effective_cores(self) -> int:
        """Cores that can be in use at once."""
        if self.kernel == "own" or self.cores is None:
            return self.total_threads
        return self.cores

    def validate(self) -> None:
        """Raise ScenarioError listing every fault found."""
        faults = [*_machine_faults(self), *_callback_faults(self), *_graph_faults(self)]
        if faults:
            raise ScenarioError("; ".join(faults))


def _machine_faults(scenario: Scenario) -> list[str]:
    faults = []
    if scenario.kernel not in KERNELS:
        faults.append(f"unknown kernel policy {scenario.kernel!r}")
    if scenario.kernel != "own" and (scenario.cores is None or scenario.cores < 1):
        faults.append(f"kernel {scenario.kernel!r} needs cores >= 1")
    if scenario.quantum_ns < 1:
        faults.append("quantum_ns must be positive")
    if scenario.skip not in SKIP_RULES:
        faults.append(f"unknown skip rule {scenario.skip!r}")
    if scenario.horizon_ns < 1:
        faults.append("horizon_ns must be positive")
    for index, executor in enumerate(scenario.executors):
        if executor.order not in ORDERS:
            faults.append(f"executor {index}: unknown order {executor.order!r}")
        if executor.timers not in TIMER_MODES:
            faults.append(f"executor {index}: unknown timers mode {executor.timers!r}")
        if executor.poll not in POLL_MODES:
            faults.append(f"executor {index}: unknown poll mode {executor.poll!r}")
        if executor.threads < 1:
            faults.append(f"executor {index}: needs at least one thread")
    return faults


def _callback_faults(scenario: Scenario) -> list[str]:
    faults = []
    seen: set[str] = set()
    groups: dict[str, tuple[int, str]] = {}
    for cb in scenario.callbacks:
        if cb.id in seen:
            faults.append(f"{cb.id}: duplicate id")
        seen.add(cb.id)
        if cb.kind not in KINDS:
            faults.append(f"{cb.id}: unknown kind {cb.kind!r}")
        if cb.group_type not in GROUP_TYPES:
            faults.append(f"{cb.id}: unknown group type {cb.group_type!r}")
        if not 0 <= cb.executor < len(scenario.executors):
            faults.append(f"{cb.id}: no executor {cb.executor}")
        if cb.cost_ns < 1:
            faults.append(f"{cb.id}: cost must be positive")
        if cb.is_timer and (cb.period_ns is None or cb.period_ns < 1 or cb.offset_ns < 0):
            faults.append(f"{cb.id}: a timer needs period >= 1 and offset >= 0")
        if cb.is_timer == (cb.subscribes is not None):
            faults.append(f"{cb.id}: timers have no `subscribes`, all others need one")
        if cb.depth is not None and cb.depth < 1:
            faults.append(f"{cb.id}: depth must be positive")
        home = groups.setdefault(cb.group, (cb.executor, cb.group_type))
        if home != (cb.executor, cb.group_type):
            faults.append(f"{cb.id}: group {cb.group!r} has one executor and one type")
    return faults


def _graph_faults(scenario: Scenario) -> list[str]:
    """Refuse cycles of topics: they would never come to rest and have no chains."""
    readers: dict[str, list[Callback]] = {}
    for cb in scenario.callbacks:
        if cb.subscribes is not None:
            readers.setdefault(cb.subscribes, []).append(cb)
    done: set[str] = set()
    on_path: set[str] = set()

    def has_cycle(cb: Callback) -> bool:
        if cb.id in on_path:
            return True
        if cb.id in done:
            return False
        on_path.add(cb.id)
        found = any(has_cycle(r) for topic in cb.publishes for r in readers.get(topic, []))
        on_path.discard(cb.id)
        done.add(cb.id)
        return found

    return [f"{cb.id}: topics form a cycle" for cb in scenario.callbacks if has_cycle(cb)][:1]
