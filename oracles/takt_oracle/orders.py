"""The orders: which callback an idle thread of an executor takes.

`pick` may change the order's own bookkeeping only, never the callbacks; the engine takes the
chosen callback at once. `save`/`restore` let a kernel ask without taking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence

from .model import Executor
from .state import CallbackState, Groups, by_rank


class Order(ABC):
    """Chooses among the members of one executor."""

    def __init__(self, members: Sequence[CallbackState], groups: Groups) -> None:
        self.members = list(members)
        self.groups = groups

    @abstractmethod
    def pick(self) -> CallbackState | None:
        """Choose the callback that an idle thread starts now, if any."""

    def on_completion(self) -> None:  # noqa: B027 (most orders need not know)
        """Hear that a callback of this executor has ended and left its group."""

    def save(self) -> object:
        """Copy the bookkeeping, for `restore`."""
        return None

    def restore(self, saved: object) -> None:
        """Undo all picks since `save`."""
        del saved

    def key(self) -> Hashable:
        """Return everything in this object that the future depends on."""
        return ()


class KeyedOrder(Order):
    """`priority`: highest level first, oldest release sequence within it; `fifo`: one level."""

    def __init__(
        self, members: Sequence[CallbackState], groups: Groups, use_priority: bool
    ) -> None:
        super().__init__(members, groups)
        self._use_priority = use_priority

    def pick(self) -> CallbackState | None:
        """Take the best callback whose group is free."""
        takeable = [cb for cb in self.members if cb.ready and self.groups.free(cb)]
        return min(takeable, key=self._sort_key, default=None)

    def _sort_key(self, cb: CallbackState) -> tuple[int, int]:
        return (-cb.spec.priority if self._use_priority else 0, cb.pending[0].seq)


class WindowOrder(Order):
    """Polling points: snapshot what is ready, run each member once, then snapshot again.

    A member of a busy group keeps its place. Poll mode `empty`: the next polling point waits until
    the last member has started. Poll mode `parked`: a polling point also comes when nothing in the
    window can be taken; blocked members stay in the window at their rank, and within a group the
    members of older windows go first.
    """

    def __init__(
        self,
        members: Sequence[CallbackState],
        groups: Groups,
        immediate_timers: bool,
        poll_while_parked: bool,
    ) -> None:
        super().__init__(members, groups)
        self._immediate = immediate_timers
        self._poll_while_parked = poll_while_parked
        self._window: list[CallbackState] = []  # older windows first, each in rank order

    def pick(self) -> CallbackState | None:
        """Walk the window in rank order; poll where the mode allows it."""
        if self._immediate:
            for cb in by_rank(self.members):
                if cb.spec.is_timer and cb.ready and self.groups.free(cb):
                    return cb
        chosen = self._best()
        if chosen is None and (self._poll_while_parked or not self._window):
            self._poll()
            chosen = self._best()
        if chosen is not None:
            self._window = [cb for cb in self._window if cb is not chosen]
        return chosen

    def _poll(self) -> None:
        fresh = [cb for cb in by_rank(self.members) if cb.ready and cb not in self._window]
        self._window += [cb for cb in fresh if not (self._immediate and cb.spec.is_timer)]

    def _best(self) -> CallbackState | None:
        heads: list[CallbackState] = []
        seen: set[str] = set()
        for (
            cb
        ) in self._window:  # the oldest of each exclusive group may run, all of a reentrant one
            if self.groups.free(cb) and not (cb.spec.exclusive and cb.spec.group in seen):
                heads.append(cb)
                seen.add(cb.spec.group)
        return min(heads, key=lambda cb: cb.rank, default=None)

    def save(self) -> object:
        """Copy the window."""
        return list(self._window)

    def restore(self, saved: object) -> None:
        """Undo a pick."""
        assert isinstance(saved, list)
        self._window = saved

    def key(self) -> Hashable:
        """Return the members from oldest to newest; their age beyond that does not matter."""
        return tuple(cb.index for cb in self._window)


class StockOrder(Order):
    """The literal rclcpp pool: one ready set, one thread at a time in the wait.

    `_ready` is what the last wait found. When nothing in it can be taken it is thrown away and
    rebuilt from the groups that are free now, which is how a waiting member gets lost. A thread
    that then finds nothing sleeps on `_collected`; the others queue behind it.
    """

    def __init__(self, members: Sequence[CallbackState], groups: Groups) -> None:
        super().__init__(members, groups)
        self._ready: list[CallbackState] = []
        self._collected: list[CallbackState] | None = None
        self._interrupted = False

    def on_completion(self) -> None:
        """Wake the waiting thread, as rclcpp's interrupt guard condition does."""
        if self._collected is not None:
            self._interrupted = True

    def pick(self) -> CallbackState | None:
        """Return from the wait if there is one, take from the ready set, rebuild it, or wait."""
        if self._collected is not None:
            woken_by = [cb for cb in self._collected if cb.ready]
            if not woken_by and not self._interrupted:
                return None
            self._ready = woken_by
            self._collected = None
        self._interrupted = False
        chosen = self._first_free()
        if chosen is None:
            collected = [cb for cb in by_rank(self.members) if self.groups.free(cb)]
            self._ready = [cb for cb in collected if cb.ready]
            chosen = self._first_free()
            if chosen is None:
                self._collected = collected
        if chosen is not None:
            self._ready = [cb for cb in self._ready if cb is not chosen]
        return chosen

    def _first_free(self) -> CallbackState | None:
        return next((cb for cb in self._ready if self.groups.free(cb)), None)

    def save(self) -> object:
        """Copy ready set and wait."""
        return (list(self._ready), self._collected, self._interrupted)

    def restore(self, saved: object) -> None:
        """Undo all picks since `save`."""
        assert isinstance(saved, tuple)
        self._ready, self._collected, self._interrupted = saved

    def key(self) -> Hashable:
        """Return ready set and wait."""
        collected = self._collected
        return (
            tuple(cb.index for cb in self._ready),
            None if collected is None else tuple(cb.index for cb in collected),
            self._interrupted,
        )


def make_order(spec: Executor, members: Sequence[CallbackState], groups: Groups) -> Order:
    """Build the order that an executor asks for."""
    if spec.order == "stock":
        return StockOrder(members, groups)
    if spec.order == "window":
        return WindowOrder(members, groups, spec.timers == "immediate", spec.poll == "parked")
    return KeyedOrder(members, groups, use_priority=spec.order == "priority")
