"""Which threads have a core, and how fast they go.

`own`: every thread has a core. `fair`: k running threads share m cores fluidly, each at rate
min(1, m/k). `fifo`: equal fixed priority, a thread keeps its core until its executor has nothing
for it. `rr`: the same with a quantum, after which the thread goes to the tail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from .exact import Num, divide
from .model import Scenario

if TYPE_CHECKING:
    from .engine import Engine, Thread


class Kernel(ABC):
    """A policy for sharing the cores among the threads."""

    @abstractmethod
    def dispatch(self, engine: Engine) -> None:
        """Give cores and let threads that have one pick."""

    @abstractmethod
    def rate(self, thread: Thread, threads: Sequence[Thread]) -> Num:
        """Return the work per unit of time that this thread does now."""

    def next_event(self) -> Num | None:
        """Return the time until the kernel itself changes something."""
        return None

    def advance(self, elapsed: Num) -> None:
        """Let time pass."""
        del elapsed

    def key(self) -> Hashable:
        """Return everything in this object that the future depends on."""
        return ()


class SharedKernel(Kernel):
    """`own` and `fair`: every thread that wants to run does, so idle threads pick at once."""

    def __init__(self, cores: int) -> None:
        self._cores = cores

    def dispatch(self, engine: Engine) -> None:
        """Give cores and let threads pick."""
        progress = True
        while progress:
            progress = False
            for thread in engine.threads:
                if thread.job is None and engine.try_pick(thread):
                    progress = True

    def rate(self, thread: Thread, threads: Sequence[Thread]) -> Num:
        """Return 0 without a core or a callback."""
        if thread.job is None:
            return 0
        running = sum(1 for t in threads if t.job is not None)
        return 1 if running <= self._cores else divide(self._cores, running)


class QueueKernel(Kernel):
    """`fifo` and `rr`: one run queue, all threads at the same priority.

    A thread picks only once it has a core. Of each executor at most one thread is woken at a
    time; when it has picked it wakes the next if there is more.
    """

    def __init__(self, cores: int, quantum: int | None) -> None:
        self._cores = cores
        self._quantum = quantum
        self._on_core: dict[int, Num] = {}
        self._queue: deque[int] = deque()

    def dispatch(self, engine: Engine) -> None:
        """Give cores and let threads pick."""
        for index in sorted(self._on_core):
            thread = engine.threads[index]
            if thread.job is None and not self._expired(index) and not engine.try_pick(thread):
                del self._on_core[index]
        self._wake(engine)
        for index in sorted(i for i in self._on_core if self._expired(i)):
            self._rotate(engine, index)
        progress = True
        while progress:
            progress = self._fill(engine)
            progress = self._wake(engine) or progress

    def _expired(self, index: int) -> bool:
        return self._quantum is not None and self._on_core[index] >= self._quantum

    def _rotate(self, engine: Engine, index: int) -> None:
        """End a used-up quantum: to the tail if anybody waits, else another quantum."""
        thread = engine.threads[index]
        if self._queue:
            del self._on_core[index]
            if thread.job is not None:
                self._queue.append(index)
        elif thread.job is not None or engine.try_pick(thread):
            self._on_core[index] = 0
        else:
            del self._on_core[index]

    def _fill(self, engine: Engine) -> bool:
        """Give free cores to the head of the queue; a thread that finds nothing sleeps."""
        changed = False
        while self._queue and len(self._on_core) < self._cores:
            index = self._queue.popleft()
            thread = engine.threads[index]
            if thread.job is not None or engine.try_pick(thread):
                self._on_core[index] = 0
            changed = True
        return changed

    def _wake(self, engine: Engine) -> bool:
        """Queue an idle thread of each executor that has something for one more."""
        changed = False
        for thread in engine.threads:
            index = thread.index
            if thread.job is not None or index in self._on_core or index in self._queue:
                continue
            woken = any(
                engine.threads[i].job is None and engine.threads[i].executor == thread.executor
                for i in self._queue
            )
            if not woken and engine.can_pick(thread.executor):
                self._queue.append(index)
                changed = True
        return changed

    def rate(self, thread: Thread, threads: Sequence[Thread]) -> Num:
        """Return 0 without a core or a callback."""
        del threads
        return 1 if thread.job is not None and thread.index in self._on_core else 0

    def next_event(self) -> Num | None:
        """Return the time until the first quantum ends that anybody waits for."""
        if self._quantum is None or not self._queue or not self._on_core:
            return None
        return max(0, self._quantum - max(self._on_core.values()))

    def advance(self, elapsed: Num) -> None:
        """Use up quanta."""
        for index in self._on_core:
            self._on_core[index] += elapsed
            if self._quantum is not None and not self._queue:
                self._on_core[index] %= self._quantum  # nobody waited: another quantum

    def key(self) -> Hashable:
        """Return everything in this object that the future depends on."""
        used = tuple(sorted(self._on_core.items())) if self._quantum is not None else ()
        return (tuple(sorted(self._on_core)), used, tuple(self._queue))


def make_kernel(scenario: Scenario) -> Kernel:
    """Build the policy that a scenario asks for."""
    cores = scenario.effective_cores
    if scenario.kernel in ("own", "fair"):
        return SharedKernel(cores)
    return QueueKernel(cores, scenario.quantum_ns if scenario.kernel == "rr" else None)
