"""The discrete-event loop: zero overhead, exact time.

At one instant: completions in thread index order (each publishes and frees its group), then due
timers in registration order, then idle threads pick (see kernel.py for who may).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from .exact import Num, divide, exact
from .kernel import Kernel, make_kernel
from .model import Scenario
from .orders import Order, make_order
from .state import CallbackState, Groups, Pending, Root
from .timeline import ChainRun, Start, Timeline


@dataclass
class Job:
    """A callback that a thread is in."""

    cb: CallbackState
    root: Root
    remaining: Num
    record: Start


@dataclass
class Thread:
    """One executor thread; the index counts over all executors in order."""

    index: int
    executor: int
    job: Job | None = None


class Engine:
    """Runs one scenario forward from time zero, instant by instant."""

    def __init__(self, scenario: Scenario) -> None:
        scenario.validate()
        self.scenario = scenario
        self.now: Num = 0
        self.work: Num = 0
        self.timeline = Timeline()
        self.callbacks = [CallbackState(spec, i) for i, spec in enumerate(scenario.callbacks)]
        self.groups = Groups()
        self.orders: list[Order] = []
        self.threads: list[Thread] = []
        for index, spec in enumerate(scenario.executors):
            members = [cb for cb in self.callbacks if cb.spec.executor == index]
            self.orders.append(make_order(spec, members, self.groups))
            for _ in range(spec.threads):
                self.threads.append(Thread(len(self.threads), index))
        self._readers: dict[str, list[CallbackState]] = {}
        for cb in self.callbacks:
            if cb.spec.subscribes is not None:
                self._readers.setdefault(cb.spec.subscribes, []).append(cb)
        self._seq = 0
        self.kernel: Kernel = make_kernel(scenario)
        self._process_instant()

    def step(self) -> bool:
        """Go to the next instant at which something happens; False if there is none."""
        upcoming = self._next_instant()
        if upcoming is None:
            return False
        elapsed = upcoming - self.now
        for thread in self.threads:
            rate = self.kernel.rate(thread, self.threads)
            if thread.job is not None and rate:
                thread.job.remaining = exact(thread.job.remaining - rate * elapsed)
                self.work = exact(self.work + rate * elapsed)
        self.kernel.advance(elapsed)
        self.now = upcoming
        self._process_instant()
        return True

    def run(self, until: Num) -> Timeline:
        """Process every instant before `until`."""
        while (upcoming := self._next_instant()) is not None and upcoming < until:
            self.step()
        return self.timeline

    def try_pick(self, thread: Thread) -> bool:
        """Let an idle thread take a callback; False if there is nothing for it."""
        cb = self.orders[thread.executor].pick()
        if cb is None:
            return False
        item = cb.take(self.now, self.scenario.skip)
        self.groups.enter(cb)
        origin = item.root or Root(item.release, self.now, ())
        root = Root(origin.release, origin.start, (*origin.path, cb.spec.id))
        record = Start(self.now, cb.spec.id, item.release, thread.index)
        self.timeline.starts.append(record)
        thread.job = Job(cb, root, cb.spec.cost_ns, record)
        self._release_timers()
        return True

    def can_pick(self, executor: int) -> bool:
        """Whether a thread of this executor would find something; a failed look is kept."""
        order = self.orders[executor]
        saved = order.save()
        if order.pick() is None:
            return False
        order.restore(saved)
        return True

    def _next_instant(self) -> Num | None:
        times = [cb.next_expiry for cb in self.callbacks if cb.spec.is_timer and not cb.pending]
        for thread in self.threads:
            rate = self.kernel.rate(thread, self.threads)
            if thread.job is not None and rate:
                times.append(exact(self.now + divide(thread.job.remaining, rate)))
        quantum_end = self.kernel.next_event()
        if quantum_end is not None:
            times.append(self.now + quantum_end)
        return min(times, default=None)

    def _process_instant(self) -> None:
        for thread in self.threads:
            if thread.job is not None and thread.job.remaining == 0:
                self._complete(thread, thread.job)
        self._release_timers()
        self.kernel.dispatch(self)

    def _complete(self, thread: Thread, job: Job) -> None:
        thread.job = None
        job.record.end = self.now
        self.groups.leave(job.cb)
        self.orders[thread.executor].on_completion()
        readers = [r for topic in job.cb.spec.publishes for r in self._readers.get(topic, [])]
        for reader in readers:
            reader.push(Pending(self.now, self._next_seq(), job.root))
        if not readers:
            root = job.root
            self.timeline.chain_runs.append(ChainRun(root.path, root.release, root.start, self.now))

    def _release_timers(self) -> None:
        for cb in self.callbacks:
            if cb.timer_due(self.now):
                cb.push(Pending(cb.next_expiry, self._next_seq()))

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def state_key(self, ages_of: frozenset[int] | None) -> Hashable:
        """Return the state relative to now. Equal keys mean equal futures, shifted in time.

        Without `ages_of` only what decides start times counts. With it, so do the ages that
        decide latencies, for the callbacks whose index is in it and for running ones.
        """
        order_of = {
            seq: rank
            for rank, seq in enumerate(
                sorted(item.seq for cb in self.callbacks for item in cb.pending)
            )
        }

        def age(root: Root) -> Hashable:
            return (self.now - root.release, self.now - root.start, root.path)

        def item_key(cb: CallbackState, item: Pending) -> Hashable:
            if ages_of is None or cb.index not in ages_of:
                # A pending timer's lateness modulo its period decides where it goes on.
                period = cb.spec.period_ns
                phase = (self.now - item.release) % period if period is not None else None
                return (order_of[item.seq], phase)
            root_age = None if item.root is None else age(item.root)
            return (order_of[item.seq], self.now - item.release, root_age)

        callbacks = tuple(
            (
                None if not cb.spec.is_timer or cb.pending else cb.next_expiry - self.now,
                tuple(item_key(cb, item) for item in cb.pending),
            )
            for cb in self.callbacks
        )
        threads = tuple(
            None
            if t.job is None
            else (t.job.cb.index, t.job.remaining, None if ages_of is None else age(t.job.root))
            for t in self.threads
        )
        return (callbacks, threads, tuple(o.key() for o in self.orders), self.kernel.key())
