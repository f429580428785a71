"""Changes the threads of running processes by a schedule, in all or in none, and undoes it."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from takt_cli.base.errors import TaktError
from takt_cli.control import processes as asking
from takt_cli.control.answer import Answer, all_undone, asked, asked_side_by_side
from takt_cli.control.client import Peer
from takt_cli.control.frames import MOST_MESSAGE, Message
from takt_cli.control.processes import Process
from takt_cli.control.status import Change, Part, read_changes
from takt_cli.files.inputs import missing, refuse_irregular

OUTCOMES = ("applied", "failed", "skipped", "unchanged")
# No schedule is so deep, and the parser's time grows with the square of the depth.
_DEEPEST = 100
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

ScheduleAnswer = Answer[Change]
"""What a process said to a schedule: what became of each of its executors."""


def read_text(path: Path) -> str:
    """Read the text of a schedule; the processes find its faults."""
    refuse_irregular(path, "schedule")
    if not path.exists():
        raise missing(path)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_MESSAGE + 1)
    except OSError as error:  # Python does not know the file's name if a read fails
        raise TaktError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > MOST_MESSAGE:
        raise TaktError(f"{path} is longer than {MOST_MESSAGE >> 20} MiB, the most of a schedule")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TaktError(f"{path} is not UTF-8: byte {error.start} is not") from error


def executor_names(text: str) -> tuple[str, ...] | None:
    """Give the names of the executors in a schedule; None for an unreadable text.

    Reads the text event by event: the tree of a deeply nested text would end this program.
    """
    try:
        return _names(yaml.parse(text, Loader=_Loader))
    except (yaml.YAMLError, ValueError):
        return None


def _names(events: Iterable[yaml.Event]) -> tuple[str, ...] | None:
    names: dict[str, None] = {}
    depth = 0
    is_key = {1: True, 2: True}  # by depth: the next event is a key
    inside = found = False  # in the value of `executors`
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            inside = inside and depth > 1
            continue
        if isinstance(event, yaml.CollectionStartEvent):
            if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
                return None
            if depth == 1 and inside:
                found = isinstance(event, yaml.MappingStartEvent)
                is_key[2] = True
            is_key[depth] = not is_key.get(depth, True)
            depth += 1
            if depth > _DEEPEST:
                return None
            continue
        if not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent) or depth not in (1, 2):
            continue
        value = event.value if isinstance(event, yaml.ScalarEvent) else ""
        if depth == 1:
            inside = is_key[1] and value == "executors"
        elif inside and found and is_key[2] and value:
            names[value] = None
        is_key[depth] = not is_key[depth]
    return tuple(names) if found else None


def concerned(processes: Sequence[Process], names: Sequence[str] | None) -> list[Process]:
    """Give the processes that have an executor of these names, or registered threads.

    The rules of any executor of a file may be for a registered thread. Without names the result has
    all processes: one of them will report the schedule's fault.
    """
    if names is None:
        return list(processes)
    return [
        process
        for process in processes
        if any(executor.name in names for executor in process.status.executors)
        or any(thread.asked is not None for thread in process.status.process_threads)
    ]


def not_running(
    processes: Sequence[Process], answers: Sequence[ScheduleAnswer], names: Sequence[str] | None
) -> list[str]:
    """Give the names that no process has as an executor, or for registered threads."""
    running = {executor.name for process in processes for executor in process.status.executors}
    running |= {change.name for answer in answers for change in answer.parts}
    return [name for name in names or () if name not in running]


def unmatched_rules(answers: Sequence[ScheduleAnswer]) -> list[str]:
    """Give the rules that match nothing in any of the processes that have their executor."""
    return list(_unmatched(answers).values())


def agreeing(
    users: Sequence[Sequence[ScheduleAnswer]], allow_unmatched: bool
) -> list[Sequence[ScheduleAnswer]]:
    """Give the users whose processes all agree, and whose executors match all of their rules."""
    agreed = [those for those in users if all(one.good for one in those)]
    if allow_unmatched:
        return agreed
    lacking = {rule[0] for rule in _unmatched([one for those in agreed for one in those])}
    return [
        those
        for those in agreed
        if not any(change.name in lacking for one in those for change in one.parts)
    ]


def without_rules_of_others(answers: Sequence[ScheduleAnswer]) -> list[ScheduleAnswer]:
    """Omit rules that match in one process of several."""
    lacking = _unmatched(answers)

    def of(change: Change) -> Change:
        rules = ((part, _rule(change, part)) for part in change.parts)
        kept = (part for part, rule in rules if rule is None or rule in lacking)
        return replace(change, parts=tuple(kept))

    return [replace(one, parts=tuple(map(of, one.parts))) for one in answers]


_Rule = tuple[str, str]  # its executor and its place


def _rule(change: Change, part: Part) -> _Rule | None:
    """Find the rule without a match in a part of an answer; each process may add another guess."""
    if part.what != "rule":
        return None
    return change.name, part.why.partition(" matches no ")[0]


def _unmatched(answers: Sequence[ScheduleAnswer]) -> dict[_Rule, str]:
    changes = [change for answer in answers for change in answer.parts]
    processes = Counter(change.name for change in changes)
    words = {
        rule: part.why
        for change in changes
        for part in change.parts
        if (rule := _rule(change, part)) is not None
    }
    lacking = Counter(
        rule
        for change in changes
        for rule in {_rule(change, part) for part in change.parts}
        if rule is not None
    )
    return {rule: words[rule] for rule, n in lacking.items() if n == processes[rule[0]]}


def check_all(processes: Sequence[Process], file: str, text: str) -> list[ScheduleAnswer]:
    """Ask processes what they would do with a schedule."""
    request = {"file": file, "text": text, "check_only": True}
    return asked_side_by_side(
        processes, lambda one: _ask(one, Message.apply, request), asking.CHANGE_S
    )


def apply_at(process: Process, file: str, text: str, id_: str) -> ScheduleAnswer:
    """Ask a process to change its threads; `id_` names this change for `undo_at`."""
    request = {"file": file, "text": text, "check_only": False, "id": id_}
    return _ask(process, Message.apply, request)


def undo_at(process: Process, id_: str) -> ScheduleAnswer:
    """Ask a process to restore the values that its executors had before one `apply_at`."""
    return _ask(process, Message.reset, {"apply": id_})


def reset_all(processes: Sequence[Process]) -> list[ScheduleAnswer]:
    """Ask all processes to restore their values."""
    return asked_side_by_side(processes, reset_at, asking.CHANGE_S)


def reset_at(process: Process) -> ScheduleAnswer:
    """Ask a process to restore the values from before the first schedule was applied."""
    return _ask(process, Message.reset, {})


def _ask(process: Process, kind: Message, request: dict[str, Any]) -> ScheduleAnswer:
    return asked(process, kind, request, asking.CHANGE_S, _read)


def _read(process: Process, _: Peer, raw: Mapping[str, Any]) -> ScheduleAnswer:
    return Answer(process, read_changes(raw))


def apply_in_turn(
    processes: Sequence[Process], file: str, text: str
) -> tuple[list[ScheduleAnswer], list[ScheduleAnswer]]:
    """Apply the schedule in each process; after a failure undo it in the processes that have it.

    Returns the answers to both requests. All processes have agreed before. A process that has ended
    since does not stop the others.
    """
    id_ = secrets.token_hex(8)
    answers: list[ScheduleAnswer] = []
    for process in processes:
        answers.append(apply_at(process, file, text, id_))
        if not answers[-1].good:
            # A process without an answer may still change its threads; it handles the undo after
            # that.
            done = [one.process for one in answers if not one.faults and not one.gone]
            return answers, all_undone(done[::-1], lambda one: undo_at(one, id_))
    return answers, []


def counts(answers: Iterable[ScheduleAnswer]) -> Counter[str]:
    """Count the entries by outcome."""
    return Counter(part.outcome for one in answers for change in one.parts for part in change.parts)
