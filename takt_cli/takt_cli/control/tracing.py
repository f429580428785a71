"""Begins and ends traces in running processes, and finds the files that these write."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from takt_cli.control import processes as asking
from takt_cli.control.client import Gone, Message, NoAnswer, Peer, Refused, ask
from takt_cli.control.processes import Process
from takt_cli.control.status import damaged
from takt_cli.importing.not_carried_over import printable
from takt_cli.results.fields import DamagedError, Fields

WRITE_S = 30.0
"""So long a process may take to write its trace."""


@dataclass(frozen=True)
class RawTrace:
    """The file that a process wrote: beside its control socket, and of its user."""

    path: Path
    uid: int

    def remove(self) -> None:
        """Remove the file if it can be removed.

        Root asks processes of other users, who may replace files and folders at any time: the
        folder is opened once, and a file that is not (or no longer) of that user stays.
        """
        with contextlib.suppress(OSError):
            folder = os.open(self.path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                about = os.stat(self.path.name, dir_fd=folder, follow_symlinks=False)
                if _is_trace(about, self.uid):
                    os.unlink(self.path.name, dir_fd=folder)
            finally:
                os.close(folder)


@dataclass(frozen=True)
class Answer:
    """What one process said: how many threads it traces, or which file it wrote, or why not."""

    process: Process
    threads: int = 0
    raw: RawTrace | None = None
    faults: tuple[str, ...] = ()  # it refuses, and has changed nothing
    failure: str = ""  # it did not answer, and may have changed something; or wrote only a part
    gone: bool = False  # it has ended

    @property
    def good(self) -> bool:
        """Whether it did as it was told."""
        return not (self.faults or self.failure or self.gone)

    def why(self) -> str:
        """Say why it did not do as it was told, without its name."""
        if self.gone:
            return "has ended"
        return self.failure or f"refuses: {'; '.join(self.faults)}"

    def __str__(self) -> str:
        return f"{self.process.words} {self.why()}"


@dataclass(frozen=True)
class Recording:
    """What a process shall record."""

    last_ns: int | None = None  # keep only so much
    records: int | None = None  # for each thread
    cpu_times: bool = False  # of each run
    kernel: bool = False  # how long each run waited for a core

    def request(self) -> dict[str, Any]:
        """Spell it for the process."""
        wanted = {"cpu_times": self.cpu_times, "kernel": self.kernel}
        numbers = {"last_ns": self.last_ns, "records": self.records}
        return numbers | {name: True for name, value in wanted.items() if value}


def begin(processes: Sequence[Process], recording: Recording) -> list[Answer]:
    """Let processes trace."""

    def one(process: Process) -> Answer:
        return _ask(process, Message.trace_start, recording.request(), asking.CHANGE_S)

    return _side_by_side(processes, one)


def end(processes: Sequence[Process]) -> list[Answer]:
    """Let processes end their traces and write them."""
    return _side_by_side(processes, lambda one: _ask(one, Message.trace_stop, {}, WRITE_S))


def snapshot(processes: Sequence[Process]) -> list[Answer]:
    """Let processes write what they have traced, and go on."""
    return _side_by_side(processes, lambda one: _ask(one, Message.trace_snapshot, {}, WRITE_S))


def undo(begun: Sequence[Answer]) -> list[Answer]:
    """End the traces that have begun and remove their files; gives those that did not end.

    A process that gave no answer may have begun; one that refuses to end its trace then has none.
    """
    silent = {one.process.socket for one in begun if one.failure}
    ended = end([one.process for one in begun if one.good or one.failure])
    for one in ended:
        if one.raw is not None:
            one.raw.remove()
    return [
        one for one in ended if one.failure or (one.faults and one.process.socket not in silent)
    ]


def _side_by_side(processes: Sequence[Process], one: Callable[[Process], Answer]) -> list[Answer]:
    """Ask all at once: their traces shall be of the same time."""
    with ThreadPoolExecutor(asking.AT_ONCE) as pool:
        return list(pool.map(one, processes))


def _ask(process: Process, kind: Message, request: Mapping[str, Any], timeout_s: float) -> Answer:
    try:
        peer, data = ask(process.socket, kind, request, timeout_s)
        if kind == Message.trace_start:
            return Answer(process, threads=Fields(data).whole("threads"))
        return _written(process, peer, Fields(data))
    except Gone:
        return Answer(process, gone=True)
    except Refused as error:
        return Answer(process, faults=error.faults)
    except NoAnswer as error:
        return Answer(process, failure=str(error))
    except DamagedError as error:
        return Answer(process, failure=str(damaged(error)))


def _written(process: Process, peer: Peer, fields: Fields) -> Answer:
    """Read what became of the file; a full disk, for example, is told in `faults`."""
    faults = "; ".join(map(printable, fields.texts("faults")))
    raw = None
    if not faults or fields.has("file"):
        raw = _raw_trace(process.socket, peer, fields.name("file"))
    return Answer(process, raw=raw, failure=f"did not write all: {faults}" if faults else "")


def _raw_trace(socket: Path, peer: Peer, told: str) -> RawTrace:
    """Find the file that a process named.

    takt reads and removes it, so that it must be of the process's user. Only the last part of the
    name counts: in a container the folder of the socket has another name.
    """
    path = socket.parent / PurePath(told).name
    try:
        if _is_trace(path.lstat(), peer.uid):
            return RawTrace(path, peer.uid)
        why = "is no file of its user"
    except (OSError, ValueError) as error:
        why = f"cannot be read: {getattr(error, 'strerror', None) or 'it is no name of a file'}"
    raise NoAnswer(f"named {printable(str(path))} as its trace, which {why}")


def _is_trace(about: os.stat_result, uid: int) -> bool:
    return stat.S_ISREG(about.st_mode) and about.st_uid == uid
