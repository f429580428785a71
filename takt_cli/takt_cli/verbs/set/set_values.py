"""Changes one chain, callback or thread in running processes: in all that have it, or in none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from takt_cli.base.callback_ids import kind_of, node_of
from takt_cli.base.printable import printable
from takt_cli.control import processes as asking
from takt_cli.control import set_answer
from takt_cli.control.answer import Answer, all_undone, asked, asked_side_by_side
from takt_cli.control.client import Peer
from takt_cli.control.frames import Message
from takt_cli.control.processes import Process

Value = int | tuple[str, ...] | None
"""A priority or nice level, names of threads, or no priority of its own."""


@dataclass(frozen=True)
class Wish:
    """One value of one chain, callback or thread."""

    kind: str  # chain, callback or thread
    name: str
    attribute: str  # priority, threads or nice
    value: Value
    executor: str | None = None  # for threads; None: all executors

    def __str__(self) -> str:
        of = "" if self.executor is None else f" of executor {printable(self.executor)}"
        return f"{self.kind} {printable(self.name)}{of}"

    def request(self) -> dict[str, Any]:
        """Spell it as a process reads it."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        request: dict[str, Any] = {self.kind: self.name, self.attribute: value}
        if self.kind == "thread":
            request["executor"] = self.executor
        return request


@dataclass(frozen=True)
class Changed:
    """The value of one object of one executor, before and now."""

    executor: str
    kind: str
    name: str  # as a request names it
    attribute: str
    before: Value
    now: Value
    faults: tuple[str, ...]  # of the kernel

    @property
    def what(self) -> str:
        """Name it in a table."""
        return f"{self.kind} {printable(self.name)}"

    def back(self) -> Wish:
        """Give the change that undoes this one."""
        executor = self.executor if self.kind == "thread" else None
        return Wish(self.kind, self.name, self.attribute, self.before, executor)

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "executor": printable(self.executor),
            "what": self.what,
            "before": {self.attribute: self.before},
            "now": {self.attribute: self.now},
            "faults": list(self.faults),
        }


SetAnswer = Answer[Changed]
"""What a process said to a wish: all that it changed."""


def names(processes: Sequence[Process], wish: Wish) -> list[str]:
    """Give all names of objects of this kind, each once."""
    found: dict[str, None] = {}
    for process in processes:
        for name in _names_of(process, wish):
            found[name] = None
    return list(found)


def _names_of(process: Process, wish: Wish) -> Iterator[str]:
    for executor in process.status.executors:
        if wish.kind == "chain":
            yield from (chain.name for chain in executor.chains)
        elif wish.kind == "callback":
            yield from (callback.id for callback in executor.callbacks)
        elif wish.executor is None or printable(wish.executor) == executor.name:
            for thread in executor.threads:
                entry, dot, number = thread.name.rpartition(".")
                if not thread.group and dot and number.isdigit():
                    yield entry
                yield thread.name
                if thread.group:
                    yield thread.group


def having(processes: Sequence[Process], wish: Wish) -> list[Process]:
    """Give the processes that have the object, or may have it by another spelling of its name."""
    name = printable(wish.name)
    if wish.kind == "callback" and kind_of(name) == "timer":
        # A process knows all spellings of a period: a process with timers of the node decides.
        return [
            process
            for process in processes
            if any(
                (node_of(one), kind_of(one)) == (node_of(name), "timer")
                for one in _names_of(process, wish)
            )
        ]
    return [process for process in processes if name in _names_of(process, wish)]


def closest(processes: Sequence[Process], wish: Wish) -> list[str]:
    """Give the known names that are most similar to the unknown one."""
    return get_close_matches(printable(wish.name), names(processes, wish), n=3)


def executor_names(processes: Sequence[Process]) -> list[str]:
    """Give the names of all executors, each once."""
    return list(
        dict.fromkeys(
            executor.name for process in processes for executor in process.status.executors
        )
    )


def without_executor(processes: Sequence[Process], wish: Wish) -> bool:
    """Tell whether a thread outside of executors has the name, and requested attributes."""
    return wish.kind == "thread" and any(
        thread.name == printable(wish.name) and thread.asked is not None
        for process in processes
        for thread in process.status.process_threads
    )


def check_all(processes: Sequence[Process], wish: Wish) -> list[SetAnswer]:
    """Ask processes whether they would make the change."""
    request = {**wish.request(), "check_only": True}
    return asked_side_by_side(processes, lambda one: _ask(one, wish, request), asking.CHANGE_S)


def set_at(process: Process, wish: Wish) -> SetAnswer:
    """Ask a process to make the change."""
    return _ask(process, wish, wish.request())


def set_in_turn(agreed: Sequence[SetAnswer], wish: Wish) -> tuple[list[SetAnswer], list[SetAnswer]]:
    """Make the change in each process; after a failure undo it, and return the answers to that.

    `agreed`: the earlier answers. A process that has ended since does not stop the others.
    """
    answers: list[SetAnswer] = []
    for before in agreed:
        answers.append(set_at(before.process, wish))
        if answers[-1].good:
            continue
        # A process without an answer may still make the change; it handles the undo after that.
        done = [
            (one.process, one.parts or old.parts)
            for one, old in zip(answers, agreed, strict=False)
            if not one.faults and not one.gone
        ]
        undone = all_undone(
            done[::-1],
            lambda of: [set_at(of[0], one.back()) for one in of[1]],
        )
        return answers, [one for of_one in undone for one in of_one]
    return answers, []


def _ask(process: Process, wish: Wish, request: dict[str, Any]) -> SetAnswer:
    def read(process: Process, _: Peer, raw: Mapping[str, Any]) -> SetAnswer:
        changed = set_answer.SetAnswer.read(raw).changed
        return Answer(process, tuple(_changed(one, wish) for one in changed))

    return asked(process, Message.set, request, asking.CHANGE_S, read)


def _changed(one: set_answer.SetChange, wish: Wish) -> Changed:
    before, now = one.values(wish.attribute)
    name = one.name_of(wish.kind)
    return Changed(one.executor, wish.kind, name, wish.attribute, before, now, one.faults)
