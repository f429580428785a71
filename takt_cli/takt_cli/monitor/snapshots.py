"""The action `snapshot`: a process writes what it has traced, and the file moves to the user."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.tracing import WRITE_S, RawTrace
from takt_cli.importing.not_carried_over import printable
from takt_cli.monitor.alarm import Alarm
from takt_cli.monitor.connection import Connection
from takt_cli.monitor.watched import Address, Watched
from takt_cli.results.fields import DamagedError, Fields

PAUSE_S = 10.0
"""A process writes no other snapshot for so long: the next one would have the same records."""

_LEFT_OUT = f"is left out: there is one of the last {PAUSE_S:g} s"
_GIVEN_UP = "was given up, because the monitor ends"

Tell = Callable[[bool, str], None]


class Snapshots:
    """Lets processes write snapshots, each at most one at a time and all together so many."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._left = self._most = most
        self._latest: dict[Path, float] = {}  # when it was asked for; only those that were written
        self._awaiting: dict[Path, list[Tell]] = {}  # alarms that came while one is being written
        self._refusals: dict[Address, str] = {}  # the reason that was told
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    def take(self, process: Watched, alarm: Alarm, tell: Tell) -> None:
        """Take a snapshot soon; `tell` gets the file or the reason why there is none."""
        if self._closing.is_set():
            tell(False, _GIVEN_UP)
            return
        now = time.monotonic()
        self._latest = {path: then for path, then in self._latest.items() if now - then < PAUSE_S}
        if (others := self._awaiting.get(process.address.path)) is not None:
            others.append(tell)
            return
        if process.address.path in self._latest:
            tell(True, _LEFT_OUT)
            return
        if self._left <= 0:
            tell(False, f"is left out: {self._most} files were written; --snapshots allows more")
            return
        self._awaiting[process.address.path] = []
        self._left -= 1
        task = asyncio.ensure_future(self._take(process, alarm.kind, tell))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give up the snapshots that are not written yet; files that are there are moved."""
        self._closing.set()
        if self._tasks:
            # The end of the loop waits for the threads that move files anyway.
            await asyncio.wait(list(self._tasks))

    async def _take(self, process: Watched, kind: str, tell: Tell) -> None:
        path, began = process.address.path, time.monotonic()
        written = False
        try:
            written = await self._write(process, kind, tell)
        finally:
            others = self._awaiting.pop(path)
            if not written:
                self._left += 1
        if not written:
            failed = "was not written: the one that was under way for another alarm failed"
            for other in others:
                other(False, _GIVEN_UP if self._closing.is_set() else failed)
        if written:
            self._latest[path] = began
            self._refusals.pop(process.address, None)
            for other in others:
                other(True, _LEFT_OUT)

    async def _write(self, process: Watched, kind: str, tell: Tell) -> bool:
        """Give whether there is a file."""
        connection = process.connection
        try:
            if connection is None:
                raise NoAnswer("does not answer")
            data = await self._ask(connection)
            if data is None:
                tell(False, _GIVEN_UP)
                return False
            answer = Fields(data)
            faults = [printable(one) for one in answer.texts("faults")]
            raw = RawTrace(
                process.address.path.parent / PurePath(answer.name("file")).name, process.uid
            )
            file = await asyncio.get_running_loop().run_in_executor(
                None, _move, raw, self._folder, f"{process.name}.{process.pid}.{kind}"
            )
        except Refused as error:
            words = f"was refused: {error}; `takt trace start --last 10s` lets the process trace"
            if self._refusals.get(process.address) != words:
                self._refusals[process.address] = words
                tell(False, words)
        except (NoAnswer, DamagedError) as error:
            tell(False, f"was not written: the process {printable(str(error))}")
        except OSError as error:
            tell(False, f"was not moved: {printable(str(error.filename))}: {error.strerror}")
        else:
            tell(not faults, "; ".join([f"is in {file}", *faults]))
            return True
        return False

    async def _ask(self, connection: Connection) -> dict[str, Any] | None:
        """Give the answer; None: the monitor ends, and the answer is not here."""
        asked = asyncio.ensure_future(connection.ask(Message.trace_snapshot, {}, WRITE_S))
        closing = asyncio.ensure_future(self._closing.wait())
        await asyncio.wait({asked, closing}, return_when=asyncio.FIRST_COMPLETED)
        closing.cancel()
        await asyncio.sleep(0)
        asked.cancel()  # an answer that is here stays
        await asyncio.wait({asked})
        return None if asked.cancelled() else asked.result()


def _move(raw: RawTrace, folder: Path, name: str) -> Path:
    """Move a file of a process; the process may replace it by a link or a device at any time."""
    source = os.open(raw.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(source, "rb") as content:
        about = os.fstat(content.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_uid != raw.uid:
            raise OSError(0, "it is not a file of the user of the process", str(raw.path))
        folder.mkdir(parents=True, exist_ok=True)
        # No word of the process may lead out of the folder.
        safe = re.sub(r"[^\w.+-]", "_", name).lstrip(".")
        when = time.strftime("%Y%m%d-%H%M%S")
        for number in range(1, 1000):
            more = "" if number == 1 else f".{number}"
            target = folder / f"{safe}.{when}{more}.takttrace"
            try:
                with target.open("xb") as copy:
                    left = about.st_size  # a file that grows meanwhile ends, too
                    while left > 0 and (data := content.read(min(left, 1 << 20))):
                        left -= copy.write(data)
            except FileExistsError:
                continue
            raw.remove()
            return target
    raise OSError(0, "too many files of this second", str(folder))
