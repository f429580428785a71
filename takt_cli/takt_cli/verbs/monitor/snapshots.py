"""The action `snapshot`: a process writes its trace, and the monitor moves the file to the user."""

from __future__ import annotations

import asyncio
import enum
import os
import re
import stat
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePath
from typing import Any

from takt_cli.base.printable import printable
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.side_by_side import is_trusted
from takt_cli.control.tracing import WRITE_S, RawTrace, Told
from takt_cli.documents.document import DamagedError
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.connection import Connection
from takt_cli.verbs.monitor.sparse import copy_data, size_words
from takt_cli.verbs.monitor.watched import Address, Watched

PAUSE_S = 10.0
"""A process writes no other snapshot for so long: the next one would have the same records."""

_LEFT_OUT = f"is left out: there is one of the last {PAUSE_S:g} s"
_FAILED = f"is left out: the last one, {PAUSE_S:g} s ago at most, failed"
_GIVEN_UP = "was given up, because the monitor ends"

_OWN = -1
_BLOCK = 512  # of st_blocks
_MOST_BYTES = 1 << 30
"""Of one file of another user, who fills the disk of the monitor's user with it."""
_MOST_BYTES_OF_USER = 4 << 30
"""Of all files of another user."""


class _Outcome(enum.Enum):
    written = "written"
    failed = "failed"  # the next one would also fail, at the same cost
    refused = "refused"  # refused at once, or given up


Tell = Callable[[bool, str], None]


class Snapshots:
    """Asks processes for snapshots: one at a time for each, and a limited number together."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._files: Counter[int] = Counter()  # number of written files for each user
        self._bytes: Counter[int] = Counter()
        # time of the latest snapshot, and whether it succeeded
        self._latest: dict[Path, tuple[float, bool]] = {}
        self._awaiting: dict[Path, list[Tell]] = {}  # alarms that wait for the present snapshot
        self._refusals: dict[Address, str] = {}  # the reported reason
        self._movers: dict[int, ThreadPoolExecutor] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    def take(self, process: Watched, alarm: Alarm, tell: Tell) -> None:
        """Take a snapshot soon; `tell` gets the file or the reason why there is none."""
        if self._closing.is_set():
            tell(False, _GIVEN_UP)
            return
        now = time.monotonic()
        self._latest = {
            path: last for path, last in self._latest.items() if now - last[0] < PAUSE_S
        }
        if (others := self._awaiting.get(process.address.path)) is not None:
            others.append(tell)
            return
        if (last := self._latest.get(process.address.path)) is not None:
            tell(last[1], _LEFT_OUT if last[1] else _FAILED)
            return
        if self._files[_whose(process)] >= self._most:
            tell(False, f"is left out: {self._most} files were written; --snapshots allows more")
            return
        self._awaiting[process.address.path] = []
        self._files[_whose(process)] += 1
        task = asyncio.ensure_future(self._take(process, alarm.kind, tell))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give up unwritten snapshots; existing files are moved."""
        self._closing.set()
        if self._tasks:
            # The end of the loop waits for the threads that move files.
            await asyncio.wait(list(self._tasks))
        for mover in self._movers.values():
            mover.shutdown(wait=False)

    async def _take(self, process: Watched, kind: str, tell: Tell) -> None:
        path, began = process.address.path, time.monotonic()
        outcome = _Outcome.failed
        try:
            outcome = await self._write(process, kind, tell)
        finally:
            others = self._awaiting.pop(path)
            if outcome != _Outcome.written:
                self._files[_whose(process)] -= 1
            if outcome != _Outcome.refused:
                self._latest[path] = (began, outcome == _Outcome.written)
        if outcome != _Outcome.written:
            failed = "was not written: the one that was under way for another alarm failed"
            for other in others:
                other(False, _GIVEN_UP if self._closing.is_set() else failed)
        else:
            self._refusals.pop(process.address, None)
            for other in others:
                other(True, _LEFT_OUT)

    async def _write(self, process: Watched, kind: str, tell: Tell) -> _Outcome:
        """Let the process write, and move its file."""
        connection = process.connection
        try:
            if connection is None:
                tell(False, "was not written: the process does not answer")
                return _Outcome.refused
            data = await self._ask(connection)
            if data is None:
                tell(False, _GIVEN_UP)
                return _Outcome.refused
            told = Told.read(data)
            raw = RawTrace(process.address.path.parent / PurePath(told.path).name, process.uid)
            file = await asyncio.get_running_loop().run_in_executor(
                self._mover(raw), self._move, raw, f"{process.name}.{process.pid}.{kind}"
            )
        except Refused as error:
            words = f"was refused: {error}; `takt trace start --last 10s` lets the process trace"
            if self._refusals.get(process.address) != words:
                self._refusals[process.address] = words
                tell(False, words)
            return _Outcome.refused
        except (NoAnswer, DamagedError) as error:
            tell(False, f"was not written: the process {printable(str(error))}")
        except OSError as error:
            where = printable(str(error.filename or self._folder))
            tell(False, f"was not moved: {where}: {error.strerror or error}")
        else:
            tell(not told.faults, "; ".join([f"is in {file}", *told.faults]))
            return _Outcome.written
        return _Outcome.failed

    def _mover(self, raw: RawTrace) -> ThreadPoolExecutor | None:
        """Give the object that moves files: for each other user only one at a time."""
        whose = _whose(raw)
        if whose == _OWN:
            return None
        return self._movers.setdefault(whose, ThreadPoolExecutor(1, "moves"))

    def _move(self, raw: RawTrace, name: str) -> Path:
        """Move a file, for another user up to a limit of bytes; remove it if that fails."""
        whose = _whose(raw)
        most = None if whose == _OWN else min(_MOST_BYTES, _MOST_BYTES_OF_USER - self._bytes[whose])
        try:
            file, number = _move(raw, self._folder, name, most)
        except OSError:
            # Otherwise failing snapshots would fill the folder of the sockets, which is in memory.
            raw.remove()
            raise
        self._bytes[whose] += number
        return file

    async def _ask(self, connection: Connection) -> dict[str, Any] | None:
        """Return the answer; None: the monitor ends before the answer comes."""
        asked = asyncio.ensure_future(connection.ask(Message.trace_snapshot, {}, WRITE_S))
        closing = asyncio.ensure_future(self._closing.wait())
        await asyncio.wait({asked, closing}, return_when=asyncio.FIRST_COMPLETED)
        closing.cancel()
        await asyncio.sleep(0)
        asked.cancel()  # an answer that has come stays
        await asyncio.wait({asked})
        return None if asked.cancelled() else asked.result()


def _whose(one: Watched | RawTrace) -> int:
    """Give the user for a limit of files; own ones and root's count together."""
    return _OWN if is_trusted(one.uid) else one.uid


def _move(raw: RawTrace, folder: Path, name: str, most: int | None) -> tuple[Path, int]:
    """Move a file of a process; the process may replace it by a link or a device at any time.

    Returns its place, and its number of bytes without holes.
    """
    source = os.open(raw.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(source)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != raw.uid:
            raise OSError(0, "it is not a file of the user of the process", str(raw.path))
        if most is not None and about.st_blocks * _BLOCK > most:
            raise OSError(0, f"it has more than {size_words(most)}", str(raw.path))
        folder.mkdir(parents=True, exist_ok=True)
        # A name from the process must not lead out of the folder.
        safe = re.sub(r"[^\w.+-]", "_", name).lstrip(".")
        when = time.strftime("%Y%m%d-%H%M%S")
        for number in range(1, 1000):
            more = "" if number == 1 else f".{number}"
            target = folder / f"{safe}.{when}{more}.takttrace"
            try:
                copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            except FileExistsError:
                continue
            try:
                copied = copy_data(source, copy, about.st_size, most)
            except OSError as error:
                target.unlink(missing_ok=True)
                raise OSError(error.errno, error.strerror or str(error), str(target)) from error
            except BaseException:
                target.unlink(missing_ok=True)
                raise
            finally:
                os.close(copy)
            raw.remove()
            return target, copied
    finally:
        os.close(source)
    raise OSError(0, "too many files of this second", str(folder))
