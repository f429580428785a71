"""Changes the threads of running processes: by a schedule in all of them or in none, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from takt_cli.control import processes as asking
from takt_cli.control.client import MOST_MESSAGE, Gone, Message, NoAnswer, Refused, ask
from takt_cli.control.processes import Process
from takt_cli.control.status import Change, read_changes
from takt_cli.errors import TaktError
from takt_cli.files.inputs import refuse_irregular

OUTCOMES = ("applied", "failed", "skipped", "unchanged")
# No schedule is so deep, and the parser's time grows with the square of the depth.
_DEEPEST = 100
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Answer:
    """What one process said to a change: what became of its executors, or why nothing did."""

    process: Process
    changes: tuple[Change, ...] = ()
    faults: tuple[str, ...] = ()  # it refuses the schedule, and has changed nothing
    failure: str = ""  # it did not answer, and may have changed something
    gone: bool = False  # it has ended

    @property
    def good(self) -> bool:
        """Whether it took the change; single entries may have failed."""
        return not (self.faults or self.failure)

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "pid": self.process.status.pid,
            "program": self.process.status.program,
            "executors": [change.as_json() for change in self.changes],
            "faults": list(self.faults),
            "failure": self.failure,
            "ended": self.gone,
        }


def read_text(path: Path) -> str:
    """Read a schedule; the processes find its faults."""
    refuse_irregular(path, "schedule")
    if not path.exists():
        raise TaktError(f"{path} does not exist; name a schedule file")
    with path.open("rb") as file:
        content = file.read(MOST_MESSAGE + 1)
    if len(content) > MOST_MESSAGE:
        raise TaktError(f"{path} is longer than {MOST_MESSAGE >> 20} MiB, the most of a schedule")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TaktError(f"{path} is not UTF-8: byte {error.start} is not") from error


def executor_names(text: str) -> tuple[str, ...] | None:
    """Give the names of the executors in a schedule; None for a text that has none to read.

    Reads the text event by event: of a deep nest a tree would end this program.
    """
    try:
        return _names(yaml.parse(text, Loader=_Loader))
    except (yaml.YAMLError, ValueError):
        return None


def _names(events: Iterable[yaml.Event]) -> tuple[str, ...] | None:
    names: dict[str, None] = {}
    depth = 0
    is_key = {1: True, 2: True}  # by depth: whether a key comes next
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
    """Give the processes that have an executor of these names, or threads that registered.

    The rules of any executor of a file may be for a thread that registered. Without names all
    processes are concerned: one of them will say what is wrong with the schedule.
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
    processes: Sequence[Process], answers: Sequence[Answer], names: Sequence[str] | None
) -> list[str]:
    """Give those of the names that no process has an executor of, or threads for."""
    running = {executor.name for process in processes for executor in process.status.executors}
    running |= {change.executor for answer in answers for change in answer.changes}
    return [name for name in names or () if name not in running]


def check_at(process: Process, file: str, text: str) -> Answer:
    """Ask a process what it would do with a schedule."""
    return _ask(process, Message.apply, {"file": file, "text": text, "check_only": True})


def apply_at(process: Process, file: str, text: str) -> Answer:
    """Let a process change its threads."""
    return _ask(process, Message.apply, {"file": file, "text": text, "check_only": False})


def reset_at(process: Process) -> Answer:
    """Let a process restore what its executors had before the first schedule was applied."""
    return _ask(process, Message.reset, {})


def _ask(process: Process, kind: Message, request: dict[str, Any]) -> Answer:
    try:
        _, data = ask(process.socket, kind, request, asking.CHANGE_S)
        return Answer(process, read_changes(data))
    except Gone:
        return Answer(process, gone=True)
    except Refused as error:
        return Answer(process, faults=error.faults)
    except NoAnswer as error:
        return Answer(process, failure=str(error))


def apply_in_turn(
    processes: Sequence[Process], file: str, text: str
) -> tuple[list[Answer], list[Answer]]:
    """Apply in each process; after a failure reset those that have it, and give their answers.

    All of them have agreed before. One that has ended since does not hold up the others.
    """
    answers: list[Answer] = []
    for process in processes:
        answers.append(apply_at(process, file, text))
        if not answers[-1].good:
            # One that gave no answer may change its threads yet; it takes the reset after that.
            done = [one.process for one in answers if not one.faults and not one.gone]
            return answers, [reset_at(one) for one in reversed(done)]
    return answers, []


def counts(answers: Iterable[Answer]) -> Counter[str]:
    """Count the entries by outcome."""
    return Counter(
        part.outcome for one in answers for change in one.changes for part in change.parts
    )


def joined_faults(answers: Sequence[Answer]) -> list[str]:
    """Give all faults, each once: with the processes that told it, unless all of them did."""
    told: dict[str, list[str]] = {}
    for one in answers:
        for fault in dict.fromkeys(one.faults):
            told.setdefault(fault, []).append(one.process.words)
    return [
        fault if len(names) == len(answers) else f"{fault} [in {', '.join(names)}]"
        for fault, names in told.items()
    ]
