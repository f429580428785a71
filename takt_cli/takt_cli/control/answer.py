"""The answer of one process to a request that changes it, and the function that asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from takt_cli.control.client import Gone, Peer, ask
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.processes import Process
from takt_cli.control.side_by_side import LATE, is_trusted, side_by_side
from takt_cli.control.told import damaged
from takt_cli.documents.document import DamagedError

Part = TypeVar("Part")
Done = TypeVar("Done")
Item = TypeVar("Item")
_USERS_AT_ONCE = 8
_UNDONE_AT_ONCE = 32
_MOST_WHYS = 3
"""So many reasons of one user, who may have many processes, are told."""


class JsonPart(Protocol):
    """A part of an answer that documents show."""

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""


@dataclass(frozen=True)
class Answer(Generic[Part]):
    """A process's list of parts, such as its changed threads; or the reason why it has none."""

    process: Process
    parts: tuple[Part, ...] = ()
    faults: tuple[str, ...] = ()  # the process refuses, and has changed nothing
    failure: str = ""  # it did not answer and may have changed something, or it did only a part
    gone: bool = False  # the process has ended

    @property
    def good(self) -> bool:
        """Tell whether the process agrees or has ended; the kernel may refuse single parts."""
        return not (self.faults or self.failure)

    @property
    def done(self) -> bool:
        """Tell whether the process did all that was asked."""
        return self.good and not self.gone

    def why(self) -> str:
        """Give the reason why it did not, without the process's name."""
        if self.gone:
            return "has ended"
        return self.failure or f"refuses: {'; '.join(self.faults)}"

    def __str__(self) -> str:
        return f"{self.process.words} {self.why()}"

    def as_json(self: Answer[JsonPart], name: str) -> dict[str, Any]:
        """Make JSON; `name`: of the list of parts."""
        return {
            "pid": self.process.status.pid,
            "program": self.process.status.program,
            name: [part.as_json() for part in self.parts],
            "faults": list(self.faults),
            "failure": self.failure,
            "ended": self.gone,
        }


Reader = Callable[[Process, Peer, Mapping[str, Any]], Answer[Part]]
"""Reads a process's answer; it raises NoAnswer or DamagedError where that is unusable."""


def asked(
    process: Process,
    kind: Message,
    request: Mapping[str, Any],
    timeout_s: float,
    read: Reader[Part],
) -> Answer[Part]:
    """Ask a process and read its answer; each failure becomes an answer, too."""
    try:
        peer, data = ask(process.socket, kind, request, timeout_s)
        return read(process, peer, data)
    except Gone:
        return Answer(process, gone=True)
    except Refused as error:
        return Answer(process, faults=error.faults)
    except NoAnswer as error:
        return Answer(process, failure=str(error))
    except DamagedError as error:
        return Answer(process, failure=str(damaged(error)))


def asked_side_by_side(
    processes: Sequence[Process], one: Callable[[Process], Answer[Part]], longest_s: float
) -> list[Answer[Part]]:
    """Ask all processes at once; `longest_s`: the longest time for one of them."""
    return side_by_side(
        processes,
        lambda process: process.uid,
        one,
        longest_s,
        lambda process: Answer(process, failure=LATE),
    )


def by_user(answers: Sequence[Answer[Part]]) -> list[list[Answer[Part]]]:
    """Group the answers by user; those of the own user and of root come first."""
    users: dict[int, list[Answer[Part]]] = {}
    for one in answers:
        uid = one.process.uid
        users.setdefault(-1 if is_trusted(uid) else uid, []).append(one)
    return [users[uid] for uid in sorted(users)]


def for_users(
    users: Sequence[Sequence[Answer[Part]]], change: Callable[[Sequence[Answer[Part]]], Done]
) -> list[Done]:
    """Call `change` for each user's processes; those of the first user come before all others.

    The other users' processes do not wait for each other.
    """
    first = [change(those) for those in users[:1]]
    with ThreadPoolExecutor(_USERS_AT_ONCE) as pool:
        return first + list(pool.map(change, users[1:]))


def all_undone(items: Sequence[Item], undo: Callable[[Item], Done]) -> list[Done]:
    """Call `undo` for all items; a process that does not answer delays none of the first 32.

    It does not give up any item, even if this takes long.
    """
    with ThreadPoolExecutor(_UNDONE_AT_ONCE) as pool:
        return list(pool.map(undo, items))


def left_out(those: Sequence[Answer[Any]], why: Sequence[str]) -> str:
    """Write that one user's processes stay unchanged while those of others are changed."""
    number = "1 process" if len(those) == 1 else f"{len(those):,} processes"
    more = f" and {len(why) - _MOST_WHYS} more" if len(why) > _MOST_WHYS else ""
    verb = "was" if len(those) == 1 else "were"
    reasons = "; ".join(why[:_MOST_WHYS])
    return f"{number} of user {those[0].process.uid} {verb} not changed: {reasons}{more}"


def trouble(one: Answer[Any], what: str, more: str = "") -> str:
    """Explain why a process that had agreed to a change did not make it; empty: it has made it.

    `what`: the object of the change; `more`: text after the reason why it did not answer.
    """
    if one.gone:
        return f"{one.process.words} has ended"
    if one.faults:
        return f"{one.process.words} refused {what}, although it had agreed"
    return f"{one.process.words} {one.failure}{more}" if one.failure else ""


def taken_back(one: Answer[Any], now: str, what: str) -> str:
    """Write the result of an undo in one process; `now`: the text if the undo succeeded."""
    if one.gone:
        now = "has ended"
    elif not one.good:
        now = f"keeps {what}: {one.failure or '; '.join(one.faults)}"
    return f"{one.process.words} {now}"


def joined_faults(answers: Sequence[Answer[Any]]) -> list[str]:
    """Join equal faults, with the names of the processes that reported them, unless all did."""
    told: dict[str, list[str]] = {}
    for one in answers:
        for fault in dict.fromkeys(one.faults):
            told.setdefault(fault, []).append(one.process.words)
    return [
        fault if len(names) == len(answers) else f"{fault} [in {', '.join(names)}]"
        for fault, names in told.items()
    ]


def refusal(answers: Sequence[Answer[Any]]) -> tuple[list[str], list[str]]:
    """Give the faults and the failures for which no process was changed."""
    return joined_faults([one for one in answers if not one.failure]), [
        f"{one.process.words} {one.failure}; no process was changed"
        for one in answers
        if one.failure
    ]
