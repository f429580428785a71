"""Figures of the time between two readings of a process, from the differences of its totals.

A figure is None without an earlier reading, or if the earlier reading lacks the callback, chain or
thread. Percentiles and maxima have no differences: these are for the whole time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt_cli.base.units import NS_PER_S
from takt_cli.control.statistics import (
    Callback,
    Chain,
    Distribution,
    Executor,
    ProcessStatistics,
    Thread,
)


@dataclass(frozen=True)
class Pair:
    """Two readings of one process; `before` is None at the first reading."""

    before: ProcessStatistics | None
    now: ProcessStatistics

    @property
    def ns(self) -> int | None:
        """The time between both, of the process's own clock."""
        return None if self.before is None else _more(self.now.time_ns, self.before.time_ns)


@dataclass(frozen=True)
class ChainFigures:
    """A chain, with the figures of the last interval."""

    process: ProcessStatistics
    executor: str
    total: Chain
    rate_hz: float | None
    response_mean_ns: float | None
    misses: int | None


@dataclass(frozen=True)
class CallbackFigures:
    """A callback, with the figures of the last interval."""

    process: ProcessStatistics
    executor: str
    total: Callback
    rate_hz: float | None
    arrivals_hz: float | None
    busy: float | None  # execution time in each second
    response_mean_ns: float | None
    execution_mean_ns: float | None
    misses: int | None
    overruns: int | None
    lost: int | None
    overwritten: int | None
    skipped_periods: int | None


@dataclass(frozen=True)
class ThreadFigures:
    """A thread, with the figures of the last interval."""

    process: ProcessStatistics
    executor: str
    total: Thread
    cpu: float | None  # of one core
    run_queue_delay: float | None  # ready, but without a core
    voluntary_hz: float | None
    involuntary_hz: float | None
    faults_hz: float | None
    migrations_hz: float | None
    running_ns: int | None  # duration of the present run


def chains(pair: Pair) -> Iterator[ChainFigures]:
    """Give all chains of a process."""
    for executor, old in _executors(pair):
        known = {} if old is None else {one.name: one for one in old.chains}
        for now in executor.chains:
            before = known.get(now.name) if now.counted else None
            yield ChainFigures(
                pair.now, executor.name, now,
                rate_hz=_rate(_since(now, before, "activations"), pair.ns),
                response_mean_ns=_mean(now.response, before and before.response),
                misses=_since(now, before, "misses"),
            )  # fmt: skip


def callbacks(pair: Pair) -> Iterator[CallbackFigures]:
    """Give all callbacks of a process."""
    for executor, old in _executors(pair):
        known = {} if old is None else {one.id: one for one in old.callbacks}
        for now in executor.callbacks:
            before = known.get(now.id)
            execution = _sum(now.execution, before and before.execution)
            yield CallbackFigures(
                pair.now, executor.name, now,
                rate_hz=_rate(_since(now, before, "starts"), pair.ns),
                arrivals_hz=_rate(_since(now, before, "arrivals"), pair.ns),
                busy=_share(execution, pair.ns),
                response_mean_ns=_mean(now.response, before and before.response),
                execution_mean_ns=_mean(now.execution, before and before.execution),
                misses=_since(now, before, "misses"),
                overruns=_since(now, before, "overruns"),
                lost=_since(now, before, "lost"),
                overwritten=_since(now, before, "overwritten"),
                skipped_periods=_since(now, before, "skipped_periods"),
            )  # fmt: skip


def threads(pair: Pair) -> Iterator[ThreadFigures]:
    """Give all executor threads of a process."""
    for executor, old in _executors(pair):
        # The kernel gives the number of a thread that has ended to another one.
        known = {} if old is None else {(one.number, one.name, one.tid): one for one in old.threads}
        for now in executor.threads:
            before = known.get((now.number, now.name, now.tid))

            def rate(
                *names: str, now: Thread = now, before: Thread | None = before
            ) -> float | None:
                each = [_since(now, before, name) for name in names]
                return _rate(None if None in each else sum(filter(None, each)), pair.ns)

            yield ThreadFigures(
                pair.now, executor.name, now,
                cpu=_share(_since(now, before, "on_cpu_ns"), pair.ns),
                run_queue_delay=_share(_since(now, before, "run_queue_delay_ns"), pair.ns),
                voluntary_hz=rate("voluntary_switches"),
                involuntary_hz=rate("involuntary_switches"),
                faults_hz=rate("minor_faults", "major_faults"),
                migrations_hz=rate("migrations"),
                running_ns=None if now.running is None
                else max(0, pair.now.time_ns - now.running.since_ns),
            )  # fmt: skip


def _executors(pair: Pair) -> Iterator[tuple[Executor, Executor | None]]:
    known = {} if pair.before is None else {one.name: one for one in pair.before.executors}
    for executor in pair.now.executors:
        yield executor, known.get(executor.name)


def _more(now: int | None, before: int | None) -> int | None:
    """Give the difference; None if the counter began again in between."""
    return None if now is None or before is None or now < before else now - before


def _since(now: object, before: object | None, name: str) -> int | None:
    return None if before is None else _more(getattr(now, name), getattr(before, name))


def _rate(count: int | None, ns: int | None) -> float | None:
    return None if count is None or not ns else count * NS_PER_S / ns


def _share(used_ns: float | None, ns: int | None) -> float | None:
    return None if used_ns is None or not ns else used_ns / ns


def _sum(now: Distribution, before: Distribution | None) -> float | None:
    """Give the sum of the durations in between."""
    count = None if before is None else _more(now.count, before.count)
    if count is None or before is None:
        return None
    if count == 0:
        return 0.0
    whole = (now.mean_ns or 0) * now.count - (before.mean_ns or 0) * before.count
    return max(0.0, whole)


def _mean(now: Distribution, before: Distribution | None) -> float | None:
    """Give the mean of the durations in between; None without one."""
    total = _sum(now, before)
    if total is None or before is None or now.count == before.count:
        return None
    return total / (now.count - before.count)
