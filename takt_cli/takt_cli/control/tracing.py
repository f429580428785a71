"""Begins and ends traces in running processes, and finds their files."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from takt_cli.base.printable import printable
from takt_cli.control import processes as asking
from takt_cli.control.answer import Answer, asked, asked_side_by_side
from takt_cli.control.client import Peer
from takt_cli.control.frames import Message, NoAnswer
from takt_cli.control.processes import Process
from takt_cli.documents.document import DamagedError, Document

WRITE_S = 30.0
"""So long a process may take to write its trace."""


@dataclass(frozen=True)
class RawTrace:
    """The file that a process wrote: beside its control socket, and owned by its user."""

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


class Traced(Document, at="trace_begun"):
    """What a process traces."""


class Told(Document, at="trace_written"):
    """A process's answer about the file that it wrote."""

    @property
    def failure(self) -> str:
        """Describe the missing part; empty: the file is complete."""
        return f"did not write all: {'; '.join(self.faults)}" if self.faults else ""

    @property
    def path(self) -> str:
        """Return the name of the file; raises NoAnswer if it was not written."""
        if self.file:
            return str(self.file)
        if self.faults:
            raise NoAnswer(self.failure)
        raise DamagedError(f"file is {self.file!r} where a name belongs")


Begun = Answer[Traced]
"""What a process said to the begin of a trace."""
Written = Answer[RawTrace]
"""What a process said to the end of a trace, or to a snapshot: the file that it wrote."""


@dataclass(frozen=True)
class Recording:
    """The options of a recording in a process."""

    last_ns: int | None = None  # keep only this last time
    records: int | None = None  # per thread
    cpu_times: bool = False  # for each run
    kernel: bool = False  # for each run, how long it waited for a core
    stalls: bool = False  # stalls of the host

    def request(self, *, first: bool = True) -> dict[str, Any]:
        """Spell it for the process; one process, the first, watches the host for all."""
        wanted = {"cpu_times": self.cpu_times, "kernel": self.kernel}
        wanted["stalls"] = self.stalls and first
        numbers = {"last_ns": self.last_ns, "records": self.records}
        return numbers | {name: True for name, value in wanted.items() if value}


def begin(processes: Sequence[Process], recording: Recording) -> list[Begun]:
    """Begin traces in these processes."""

    def one(process: Process) -> Begun:
        kind, request = Message.trace_start, recording.request(first=process is processes[0])
        return asked(process, kind, request, asking.CHANGE_S, _begun)

    # Begin all at once, so that the traces cover the same time.
    return asked_side_by_side(processes, one, asking.CHANGE_S)


def end(processes: Sequence[Process]) -> list[Written]:
    """Ask processes to end their traces and write them."""
    return _write(processes, Message.trace_stop)


def snapshot(processes: Sequence[Process]) -> list[Written]:
    """Ask processes to write their traces so far, and to go on."""
    return _write(processes, Message.trace_snapshot)


def _write(processes: Sequence[Process], kind: Message) -> list[Written]:
    return asked_side_by_side(
        processes, lambda one: asked(one, kind, {}, WRITE_S, _written), WRITE_S
    )


def undo(begun: Sequence[Begun]) -> list[Written]:
    """End the traces that have begun and remove their files; returns those that did not end.

    A process without an answer may have begun. A process that refuses to end its trace then has
    none.
    """
    silent = {one.process.socket for one in begun if one.failure}
    ended = end([one.process for one in begun if one.done or one.failure])
    for one in ended:
        for raw in one.parts:
            raw.remove()
    return [
        one for one in ended if one.failure or (one.faults and one.process.socket not in silent)
    ]


def _begun(process: Process, _: Peer, raw: Mapping[str, Any]) -> Begun:
    return Answer(process, (Traced.read(raw),))


def _written(process: Process, peer: Peer, raw: Mapping[str, Any]) -> Written:
    told = Told.read(raw)
    file = _raw_trace(process.socket, peer, told.path)
    return Answer(process, (file,), failure=told.failure)


def _raw_trace(socket: Path, peer: Peer, told: str) -> RawTrace:
    """Find the file that a process named.

    takt reads and removes it, so it must belong to the process's user. Only the last part of the
    name counts, because in a container the folder of the socket has another name.
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
