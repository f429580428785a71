"""The attributes that alarms changed in one process, and their values from before.

Pure bookkeeping without clock or socket. Several alarms may hold one attribute: the value of the
latest one counts, and the values from before the first one return after the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from takt_cli.verbs.monitor.alarm import AlarmKey, Target

MOST_TARGETS = 500
_NONE: Any = object()  # the value is not known


@dataclass(frozen=True)
class Before:
    """A value from before; a chain may be in several executors, and a thread one of several."""

    target: Target
    value: Any


@dataclass
class _Held:
    before: tuple[Before, ...] = ()  # empty until the first answer of the process
    now: Any = _NONE
    holders: dict[AlarmKey, Any] = field(default_factory=dict)
    asked: bool = False  # the process may have changed it, and its answer is not here yet

    @property
    def wanted(self) -> Any:
        """The value of the alarm that came last."""
        return next(reversed(self.holders.values()))

    @property
    def restored(self) -> bool:
        """Whether no value from before is missing."""
        as_before = all(one.value == self.now for one in self.before)
        return as_before and not self.holders and not self.asked


@dataclass(frozen=True)
class Step:
    """Changes to ask the process for, one after the other."""

    target: Target
    wanted: tuple[Before, ...]
    gives_back: bool
    cause: AlarmKey | None = None  # the alarm that wants the value


class Changes:
    """The attributes that alarms hold in one process."""

    def __init__(self) -> None:
        self._held: dict[Target, _Held] = {}

    def __len__(self) -> int:
        """Give the number of attributes that differ from before, or will."""
        return len(self._held)

    def hold(self, alarm: AlarmKey, target: Target, value: Any) -> bool:
        """Let an alarm hold an attribute; False: there are too many, and nothing was done."""
        if target not in self._held and len(self._held) >= MOST_TARGETS:
            return False
        holders = self._held.setdefault(target, _Held()).holders
        if holders.get(alarm, _NONE) != value:
            holders.pop(alarm, None)
            holders[alarm] = value
        return True

    def release(self, alarm: AlarmKey) -> None:
        """Let an alarm hold nothing any more."""
        for target, one in list(self._held.items()):
            if one.holders.pop(alarm, _NONE) is not _NONE:
                self._drop_if_restored(target, one)

    def release_all(self) -> None:
        """Let no alarm hold anything."""
        for alarm in {alarm for one in self._held.values() for alarm in one.holders}:
            self.release(alarm)

    def next(self) -> Step | None:
        """Give a change that is due, for the process to be asked for; tell what became of it."""
        for target, one in self._held.items():
            if not one.holders:
                one.asked = True
                return Step(target, one.before, gives_back=True)
            if one.wanted != one.now:
                one.asked = True
                wanted = (Before(target, one.wanted),)
                return Step(target, wanted, gives_back=False, cause=next(reversed(one.holders)))
        return None

    def done(self, step: Step, before: Sequence[Before]) -> None:
        """Note that the process changed it."""
        one = self._answered(step)
        if one is None:
            return
        if step.gives_back:
            one.now = _NONE  # another alarm may hold it again
            if not one.holders:
                del self._held[step.target]
            return
        one.before = one.before or tuple(before)
        one.now = step.wanted[0].value
        self._drop_if_restored(step.target, one)

    def unchanged(self, step: Step) -> None:
        """Note that the attribute had the value already."""
        one = self._answered(step)
        if one is not None and one.before:
            self.done(step, one.before)  # of a change whose answer was lost
        else:
            self.forget(step)

    def forget(self, step: Step) -> None:
        """Note that the process did not change it, and that trying again makes no sense."""
        one = self._answered(step)
        if one is None:
            return
        if step.gives_back:
            one.before = ()
        else:
            value = step.wanted[0].value
            one.holders = {alarm: own for alarm, own in one.holders.items() if own != value}
        self._drop_if_restored(step.target, one)

    def unanswered(self, step: Step) -> bool:
        """Note that the process gave no answer; True: the value from before is not known.

        A change whose value from before is known is tried again: it does no harm twice.
        """
        one = self._answered(step)
        if one is not None and one.before:
            one.now = _NONE
            return False
        self.forget(step)
        return True

    def _answered(self, step: Step) -> _Held | None:
        one = self._held.get(step.target)
        if one is not None:
            one.asked = False
        return one

    def _drop_if_restored(self, target: Target, one: _Held) -> None:
        if one.restored:
            self._held.pop(target, None)
