"""What changes while callbacks run: pending timers and messages, and busy groups."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from .exact import Num
from .model import KINDS, Callback


@dataclass(frozen=True)
class Root:
    """Where an activation began and the callbacks it has been through."""

    release: Num
    start: Num
    path: tuple[str, ...]


@dataclass(frozen=True)
class Pending:
    """One instance of due work: a timer expiry (root is None) or a message."""

    release: Num
    seq: int
    root: Root | None = None


class CallbackState:
    """Pending work of one callback. A timer never has more than one pending expiry."""

    def __init__(self, spec: Callback, index: int) -> None:
        self.spec = spec
        self.index = index
        self.rank = (KINDS.index(spec.kind), index)
        self.pending: deque[Pending] = deque()
        self.next_expiry: Num = spec.offset_ns
        self.skipped = 0
        self.overwritten = 0
        self.started = 0
        self.most_pending = 0

    @property
    def ready(self) -> bool:
        """Something is due."""
        return bool(self.pending)

    def push(self, item: Pending) -> None:
        """Queue one instance; a full KEEP_LAST history loses its oldest message."""
        if self.spec.depth is not None and len(self.pending) >= self.spec.depth:
            self.pending.popleft()
            self.overwritten += 1
        self.pending.append(item)
        self.most_pending = max(self.most_pending, len(self.pending))

    def timer_due(self, now: Num) -> bool:
        """Whether an expiry is to be released now."""
        return self.spec.is_timer and not self.pending and self.next_expiry <= now

    def take(self, now: Num, skip: str) -> Pending:
        """Remove the oldest instance because it starts now; a timer also sets its next expiry."""
        item = self.pending.popleft()
        self.started += 1
        if self.spec.period_ns is not None:
            period = self.spec.period_ns
            late = now - item.release
            steps = late // period + 1
            if skip == "at_or_after" and late > 0 and late % period == 0:
                steps -= 1
            self.next_expiry = item.release + steps * period
            self.skipped += int(steps) - 1
        return item


class Groups:
    """Which mutually exclusive groups have a callback running."""

    def __init__(self) -> None:
        self._busy: set[str] = set()

    def free(self, cb: CallbackState) -> bool:
        """Whether the callback's group lets it start."""
        return not cb.spec.exclusive or cb.spec.group not in self._busy

    def enter(self, cb: CallbackState) -> None:
        """Mark the group busy."""
        if cb.spec.exclusive:
            assert cb.spec.group not in self._busy, "picked a callback of a busy group"
            self._busy.add(cb.spec.group)

    def leave(self, cb: CallbackState) -> None:
        """Mark the group free."""
        self._busy.discard(cb.spec.group)


def by_rank(callbacks: Sequence[CallbackState]) -> list[CallbackState]:
    """Kind first, then registration order."""
    return sorted(callbacks, key=lambda cb: cb.rank)
