"""Asks one process for the changes of alarms, and for the earlier values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from takt_cli.base.printable import printable
from takt_cli.control import processes as asking
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.set_answer import SetAnswer, SetChange
from takt_cli.documents.document import DamagedError
from takt_cli.verbs.monitor.alarm import AlarmKey, Target, cause_of
from takt_cli.verbs.monitor.changes import Before, Changes, Step
from takt_cli.verbs.monitor.connection import Connection
from takt_cli.verbs.monitor.words import value_words


class Changer:
    """Keeps the changes of one process over all its connections."""

    def __init__(self, tell: Callable[[bool, str], None]) -> None:
        """Begin; `tell` takes whether a change succeeded, and a sentence."""
        self._tell = tell
        self._changes = Changes()
        self._wake = asyncio.Event()

    def __len__(self) -> int:
        """Give the number of attributes that differ from before, or soon will."""
        return len(self._changes)

    def hold(self, alarm: AlarmKey, target: Target, value: Any) -> None:
        """Change an attribute until the alarm is cleared."""
        if not self._changes.hold(alarm, target, value):
            self._tell(False, f"{target} was not changed: too many are changed already")
        self._wake.set()

    def release(self, alarm: AlarmKey) -> None:
        """Undo all changes that only this alarm holds."""
        self._changes.release(alarm)
        self._wake.set()

    def release_all(self) -> None:
        """Undo all changes."""
        self._changes.release_all()
        self._wake.set()

    def drop_all(self) -> None:
        """Forget all changes: the process has ended."""
        self._changes = Changes()

    async def run(self, connection: Connection) -> None:
        """Ask for the due changes, one after the other, until the connection ends."""
        while True:
            step = self._changes.next()
            if step is None:
                await self._wake.wait()
                self._wake.clear()
                continue
            answers = []
            try:
                for one in step.wanted:
                    request = one.target.request(one.value)
                    answers.append(await connection.ask(Message.set, request, asking.CHANGE_S))
            except Refused as error:
                self._changes.forget(step)
                self._changed(step, False, f"was refused: {error}")
            except NoAnswer as error:
                self._unanswered(step, str(error))
                raise
            except asyncio.CancelledError:
                self._unanswered(step, "gave no answer")
                raise
            else:
                self._note(step, answers)

    def _unanswered(self, step: Step, why: str) -> None:
        if self._changes.unanswered(step):
            self._changed(step, False, f"may be changed: the process {why}")

    def _note(self, step: Step, answers: list[dict[str, Any]]) -> None:
        """Read the result of a change."""
        attribute = step.target.attribute
        try:
            parts = [one for answer in answers for one in SetAnswer.read(answer).changed]
            faults = [fault for one in parts for fault in one.faults]
            before = [_before(one, step.target) for one in parts]
            now = [one.values(attribute)[1] for one in parts]
        except DamagedError as error:
            self._changes.forget(step)
            self._changed(step, False, f"may be changed: {printable(str(error))}")
            return
        values = [one.value for one in before]
        told = f"{_words(values)} → {_words(now)}"
        if step.gives_back:
            self._changes.done(step, ())
            self._changed(step, not faults, "; ".join([f"given back: {told}", *faults]))
        elif not parts:
            self._changes.forget(step)
            if step.target.what != "chain":  # the name of a chain goes to all processes
                self._changed(step, False, "was not changed: the process has no such name")
        elif values == now:
            self._changes.unchanged(step)
            why = "; ".join(faults) or f"it is {_words(values)}"
            self._changed(step, not faults, f"was not changed: {why}")
        else:
            self._changes.done(step, before)
            self._changed(step, not faults, "; ".join([told, *faults]))

    def _changed(self, step: Step, good: bool, words: str) -> None:
        cause = f" {cause_of(step.cause)}" if step.cause else ""
        self._tell(good, f"{step.target} {words}{cause}")


def _before(one: SetChange, target: Target) -> Before:
    """Give the earlier value, and the only object that had it."""
    own = Target(target.what, one.name_of(target.what), target.attribute, one.executor)
    return Before(own, one.values(target.attribute)[0])


def _words(values: Sequence[Any]) -> str:
    """Write values; if all are equal, only one."""
    return " and ".join(dict.fromkeys(map(value_words, values))) or "none"
