"""The attributes that alarms changed in one process, and their earlier values.

The module only keeps records; it has no clock or socket. Several alarms may hold one attribute: the
value of the latest alarm counts. When the last alarm ends, the value from before the first one
returns.
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
    """An earlier value; several executors may have a chain, and several threads one name."""

    target: Target
    value: Any


@dataclass
class _Held:
    before: tuple[Before, ...] = ()  # empty until the first answer of the process
    now: Any = _NONE
    holders: dict[AlarmKey, Any] = field(default_factory=dict)
    asked: bool = False  # the process may have changed it; its answer has not come yet

    @property
    def wanted(self) -> Any:
        """The value of the alarm that came last."""
        return next(reversed(self.holders.values()))

    @property
    def restored(self) -> bool:
        """Tell whether all earlier values are restored."""
        as_before = all(one.value == self.now for one in self.before)
        return as_before and not self.holders and not self.asked


@dataclass(frozen=True)
class Step:
    """One change for the process."""

    target: Target
    wanted: tuple[Before, ...]
    gives_back: bool
    cause: AlarmKey | None = None  # the alarm that asks for the value


class Changes:
    """The attributes that alarms hold in one process."""

    def __init__(self) -> None:
        self._held: dict[Target, _Held] = {}

    def __len__(self) -> int:
        """Give the number of attributes that differ from before, or soon will."""
        return len(self._held)

    def hold(self, alarm: AlarmKey, target: Target, value: Any) -> bool:
        """Let an alarm hold an attribute; False: there are too many, and the call had no effect."""
        if target not in self._held and len(self._held) >= MOST_TARGETS:
            return False
        holders = self._held.setdefault(target, _Held()).holders
        if holders.get(alarm, _NONE) != value:
            holders.pop(alarm, None)
            holders[alarm] = value
        return True

    def release(self, alarm: AlarmKey) -> None:
        """End all holds of an alarm."""
        for target, one in list(self._held.items()):
            if one.holders.pop(alarm, _NONE) is not _NONE:
                self._drop_if_restored(target, one)

    def release_all(self) -> None:
        """End all holds of all alarms."""
        for alarm in {alarm for one in self._held.values() for alarm in one.holders}:
            self.release(alarm)

    def next(self) -> Step | None:
        """Give a due change for the process; call a method below with its result."""
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
            self.done(step, one.before)  # its answer was lost, and the process had made the change
        else:
            self.forget(step)

    def forget(self, step: Step) -> None:
        """Note that the process did not change it, and that another attempt is useless."""
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
        """Note that the process gave no answer; True: the earlier value is unknown.

        A change with a known earlier value is tried again, because it may be made twice.
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
