"""Carries out the actions of alarms, and reports the result of each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from takt_cli.control.statistics import ProcessStatistics
from takt_cli.verbs.monitor.alarm import (
    Action,
    Alarm,
    Change,
    Plain,
    Run,
    SetParameter,
    Target,
    cause_of,
)
from takt_cli.verbs.monitor.output import Output
from takt_cli.verbs.monitor.programs import Programs
from takt_cli.verbs.monitor.questions import Choice, Question, Questions
from takt_cli.verbs.monitor.snapshots import Snapshots
from takt_cli.verbs.monitor.watched import Watched
from takt_cli.verbs.monitor.words import alarm_words, clock, value_words

_LEVELS = {"error": "ERROR", "warn": "WARN ", "info": "OK   "}
_RAISE_BY = 10
_MOST_PRIORITY = 255


class Ros(Protocol):
    """The ROS side for actions. No method waits: full queues drop and count."""

    def log(self, level: str, words: str) -> None:
        """Write a line to /rosout; `level`: error, warn or info."""

    def publish(self, document: dict[str, Any]) -> None:
        """Publish an alarm."""

    def set_parameter(self, action: SetParameter, tell: Callable[[bool, str], None]) -> bool:
        """Set a parameter soon; False: too many wait."""


@dataclass
class Actions:
    """The objects that actions need."""

    output: Output
    programs: Programs
    snapshots: Snapshots
    questions: Questions
    processes: Callable[[], Iterable[Watched]]
    ros: Ros | None = None
    why_no_ros: str = ""
    log_only: bool = False  # the user wants only lines
    ending: bool = False  # the monitor ends, so it begins no action that it would have to undo
    began_ns: int = field(default_factory=time.time_ns)  # start of the monitor
    told: set[str] = field(default_factory=set)  # remarks that were written; each is written once

    def carry_out(self, process: Watched, alarm: Alarm, again: bool, may_act: bool) -> None:
        """Carry out an alarm; `again`: a raised alarm has changed, so it is only written.

        Without `may_act` the alarm is only written: another monitor acts, or the user wants no
        action.
        """
        words = f"{process.words}: {alarm_words(alarm)}"
        document = {**process.as_json(), **alarm.as_json()}
        level = ("error" if alarm.error else "warn") if alarm.raised else "info"
        if self.output.as_json or alarm.has("log"):
            shown = _LEVELS[level]
            at_ns: int | None = alarm.realtime_ns
            began = ""
            if alarm.raised and not again and at_ns < self.began_ns and not self.output.as_json:
                # The times of lines must not go backwards.
                began, at_ns = f"; active since {clock(at_ns)}", None
            self.output.say("alarm", words + began, document, level=shown, realtime_ns=at_ns)
        if self.ros is not None and (may_act or self.log_only):
            if alarm.has("log") or alarm.has("publish"):
                self.ros.log(level, words)
            if alarm.has("publish"):
                self.ros.publish({**document, "words": words})
        if not alarm.raised:
            self.over(process, alarm)
        elif not again and may_act and not self.ending:
            for action in alarm.actions:
                self._act(process, alarm, action, document)

    def over(self, process: Watched, alarm: Alarm) -> None:
        """Undo all changes of an alarm."""
        self.questions.withdraw(process, alarm.key)
        for one in self._concerned(process, alarm):
            one.changer.release(holder(process, alarm))

    def _act(
        self, process: Watched, alarm: Alarm, action: Action, document: dict[str, Any]
    ) -> None:
        if isinstance(action, Plain):
            self._plain(process, alarm, action.kind)
        elif isinstance(action, Run):
            self._run(process, alarm, action, document)
        elif isinstance(action, SetParameter):
            self._set_parameter(process, alarm, action)
        elif isinstance(action, Change):
            target = action.target(alarm)
            if target is None:
                words = f"{action.attribute}: the alarm names no callback and no chain"
                self.tell(process, action.attribute, False, words, alarm)
            else:
                self._change(process, alarm, target, action.value)
        else:
            self._once(
                process, action.name, f"{action.name}: this monitor does not know the action"
            )

    def _plain(self, process: Watched, alarm: Alarm, kind: str) -> None:
        if kind == "snapshot":
            self.snapshots.take(
                process,
                alarm,
                lambda good, words: self.tell(process, kind, good, f"snapshot {words}", alarm),
            )
        elif kind == "ask":
            self._ask(process, alarm)
        elif kind == "publish" and self.ros is None:
            self._once(process, kind, f"publish: not without ROS: {self.why_no_ros}")

    def _run(self, process: Watched, alarm: Alarm, action: Run, document: dict[str, Any]) -> None:
        # The schedule of another user must not choose programs of this user.
        if process.uid != os.geteuid():
            words = "run: not carried out, because the process belongs to another user"
            self._once(process, "run", words)
            return
        name = Path(action.command[0]).name
        self.programs.start(
            action.command,
            document,
            lambda good, words: self.tell(process, "run", good, f"run {name}: {words}", alarm),
        )

    def _set_parameter(self, process: Watched, alarm: Alarm, action: SetParameter) -> None:
        def tell(good: bool, words: str) -> None:
            what = f"parameter {action.name} of {action.node} to {value_words(action.value)}"
            self.tell(process, "set_parameter", good, f"{what}: {words}", alarm)

        if self.ros is None:
            self._once(
                process, "set_parameter", f"set_parameter: not without ROS: {self.why_no_ros}"
            )
        elif not self.ros.set_parameter(action, tell):
            tell(False, "not set: too many parameters wait")

    def _change(self, process: Watched, alarm: Alarm, target: Target, value: Any) -> None:
        concerned = self._concerned(process, alarm) if target.what == "chain" else [process]
        for one in concerned:
            one.changer.hold(holder(process, alarm), target, value)

    def _concerned(self, process: Watched, alarm: Alarm) -> list[Watched]:
        """Give the processes that may have a part of the alarm's chain, of the same user."""
        if not alarm.chain:
            return [process]
        return [one for one in self.processes() if one is process or one.uid == process.uid]

    def _ask(self, process: Watched, alarm: Alarm) -> None:
        if self.output.as_json or not self.questions.possible():
            self._once(process, "ask", "ask: there is no terminal to ask at")
            return
        choices = [Choice("acknowledge", lambda: None), *self._raising(process, alarm)]
        choices.append(Choice("trace snapshot", lambda: self._plain(process, alarm, "snapshot")))
        words = f"{process.words}: {alarm_words(alarm)}"
        if not self.questions.ask(Question(process, alarm.key, words, tuple(choices))):
            self.tell(
                process, "ask", False, "ask: too many questions are open, or no terminal", alarm
            )

    def _raising(self, process: Watched, alarm: Alarm) -> list[Choice]:
        """Offer to raise the priority, if the statistics have the present one."""
        target = Change("priority", 0).target(alarm)
        now = None if target is None else _priority(process.figures, target)
        if target is None or now is None or now >= _MOST_PRIORITY:
            return []
        value = min(now + _RAISE_BY, _MOST_PRIORITY)
        of = f"priority of {target.what} {target.name}"
        words = f"raise the {of} from {now} to {value} until it is over"
        return [Choice(words, lambda: self._change(process, alarm, target, value))]

    def tell(
        self, process: Watched, action: str, good: bool, words: str, alarm: Alarm | None = None
    ) -> None:
        """Report the result of an action; `alarm`: the alarm of the action."""
        data = {**process.as_json(), "action": action, "good": good}
        level = "" if good else "WARN "
        cause = f" {cause_of(alarm.key)}" if alarm else ""
        self.output.say("action", f"{process.words}: {words}{cause}", data, level=level)

    def _once(self, process: Watched, action: str, words: str) -> None:
        key = f"{process.words} {words}"
        if key not in self.told and len(self.told) < 1000:
            self.told.add(key)
            self.tell(process, action, False, words)


def _priority(figures: ProcessStatistics | None, target: Target) -> int | None:
    """Give the present priority of a chain or a callback."""
    for one in figures.executors if figures else ():
        for chain in one.chains if target.what == "chain" else ():
            if chain.name == target.name:
                return chain.priority
        for callback in one.callbacks if target.what == "callback" else ():
            if callback.id == target.name:
                return callback.effective_priority
    return None


def holder(process: Watched, alarm: Alarm) -> tuple[str, str, str, str, str]:
    """Name the alarm among those of all processes that may hold an attribute."""
    executor, *rest = alarm.key
    return (f"{process.pid} {executor}", *rest)  # type: ignore[return-value]
