"""One watched process: its connection, its active alarms, and the attributes that these changed.

Each process has its own task, so that no process waits for another one. A process that is silent,
or sends garbage, loses its connection, and gets another one after a growing pause.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from takt_cli.base.printable import printable, short
from takt_cli.control.client import Gone
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.processes import remove_stale
from takt_cli.control.read_statistics import read_statistics
from takt_cli.control.side_by_side import is_trusted
from takt_cli.control.statistics import ProcessStatistics
from takt_cli.control.status import ProcessStatus, read_process
from takt_cli.documents.document import DamagedError, Document
from takt_cli.verbs.monitor.alarm import Alarm, AlarmKey
from takt_cli.verbs.monitor.changer import Changer
from takt_cli.verbs.monitor.connection import Connection

MOST_ACTIVE = 2000
POLL_S = 1.0
ANSWER_S = 5.0
"""So long a process may take to answer: while it writes a trace for somebody, it answers nobody."""
RETRY_S = 0.2
_SLOWEST_RETRY_S = 10.0
_RAREST_RETRY_S = 60.0
"""So rarely a process of another user is asked that never answered."""
_STATUS_EACH = 10  # polls


@dataclass(frozen=True)
class Address:
    """A control socket; after a restart of the process it has another `identity`."""

    path: Path
    number: int
    identity: tuple[int, int]
    uid: int = -1  # its owner


def identity(path: Path) -> tuple[int, int]:
    """Identify the socket, also beside those of earlier or later processes."""
    about = path.lstat()
    return about.st_ino, about.st_mtime_ns


class Keeper(Protocol):
    """The monitor, as a watched process sees it."""

    def wants(self, status: ProcessStatus) -> bool:
        """Tell whether the user wants to watch this process."""

    def process_event(self, process: Watched, state: str, words: str) -> None:
        """Report that a process came, ended or fell silent."""

    def change_event(self, process: Watched, good: bool, words: str) -> None:
        """Report the result of a change."""

    def alarm_event(self, process: Watched, alarm: Alarm, again: bool) -> None:
        """Carry out an alarm; `again`: it was raised before, and is not cleared yet."""


class Subscribed(Document, at="subscribed"):
    """With what a subscription begins: the alarms that are active."""


class Watched:
    """A process under takt."""

    def __init__(self, address: Address, keeper: Keeper) -> None:
        self.address = address
        self.pid = address.number
        self.uid = -1
        self.status: ProcessStatus | None = None
        self.figures: ProcessStatistics | None = None
        self.active: dict[AlarmKey, Alarm] = {}
        self.changer = Changer(lambda good, words: keeper.change_event(self, good, words))
        self.connection: Connection | None = None
        self.answers = False
        self.ended = False  # no process listens at its socket any more
        self.wanted = True
        self._keeper = keeper
        self.why = ""  # the latest failure
        self._told = ""  # the latest reported failure
        self._said: set[str] = set()  # remarks that were written; each is written once
        self._subscribe_again = False

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.name} (pid {self.pid})" if self.status else f"process {self.pid}"

    @property
    def name(self) -> str:
        """The name of its program."""
        return self.status.name if self.status else str(self.pid)

    def as_json(self) -> dict[str, Any]:
        """Name it for programs."""
        return {"pid": self.pid, "program": self.status.program if self.status else None}

    async def run(self) -> None:
        """Watch it until it has ended."""
        wait_s = RETRY_S
        while self.wanted and not self.ended:
            began = time.monotonic()
            try:
                await self._watch()
            except Gone:
                remove_stale(self.address.path, self.address.number)
                self.ended = self.status is not None
                # A process may be about to listen at an existing socket.
                wait_s = RETRY_S / 2
            except NoAnswer as error:
                self.why = str(error)
            except Refused as error:
                self.why = f"refuses to be watched: {error}"
            except DamagedError as error:
                self.why = f"answered with damaged data: {printable(str(error))}"
            self.answers = False
            if time.monotonic() - began > _SLOWEST_RETRY_S:
                wait_s = RETRY_S
            if self.wanted and not self.ended:
                await asyncio.sleep(wait_s)
            rare = self.status is None and not is_trusted(self.address.uid)
            wait_s = min(2 * wait_s, _RAREST_RETRY_S if rare else _SLOWEST_RETRY_S)
        if self.ended:
            self._keeper.process_event(self, "ended", f"{self.words} has ended")
        self.active.clear()
        self.changer.drop_all()

    async def _watch(self) -> None:
        try:
            if identity(self.address.path) != self.address.identity:
                raise Gone  # another process has its number, and has its own task
        except FileNotFoundError as error:
            raise Gone from error
        connection = await Connection.open(self.address.path)
        connection.on_alarm = self._alarm
        if self.why and self.why != self._told:
            self._told = self.why
            self._keeper.process_event(self, "silent", f"{self.words} {self.why}")
        try:
            await self._meet(connection)
            if not self.wanted:
                return
            self.connection = connection
            await self._serve(connection)
        finally:
            self.connection = None
            await connection.close()

    async def _serve(self, connection: Connection) -> None:
        tasks = [
            asyncio.ensure_future(self._poll(connection)),
            asyncio.ensure_future(self.changer.run(connection)),
            asyncio.ensure_future(connection.ended()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks[:2]:
                if task.done():
                    task.result()
            raise NoAnswer(await connection.ended())
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    async def _meet(self, connection: Connection) -> None:
        """Read the name of the process, and subscribe to its alarms."""
        first = self.status is None
        await self._ask_status(connection)
        assert self.status is not None
        if not self._keeper.wants(self.status):
            self.wanted = False
            return
        if first or self._told:
            again = "" if first else " again"
            self._keeper.process_event(self, "watched", f"{self.words} is watched{again}")
        self._subscribe_again = False
        try:
            await self._subscribe(connection)
        except Refused as error:
            self._once("alarms", f"gives no alarms: {error}")
        self.answers = True
        self.why = self._told = ""

    async def _ask_status(self, connection: Connection) -> None:
        data = await connection.ask(Message.status, {}, ANSWER_S)
        status = read_process(data, connection.peer, self.address.number)
        if self.status is not None and self.status.started != status.started:
            raise Gone  # another process, with the socket of the same name
        self.status = status
        self.pid, self.uid = self.status.pid, connection.peer.uid

    async def _subscribe(self, connection: Connection) -> None:
        data = await connection.ask(Message.subscribe, {}, ANSWER_S)
        answer = Subscribed.read(data)
        seen: set[AlarmKey] = set()
        for one in answer.active:
            alarm = Alarm.read(one)
            seen.add(alarm.key)
            if alarm.key not in self.active or self.active[alarm.key].sequence < alarm.sequence:
                self._take(alarm)
        # Alarms that were cleared while there was no connection.
        for key, alarm in list(self.active.items()):
            if key not in seen and alarm.sequence < answer.alarms:
                self._take(replace(alarm, state="cleared", realtime_ns=time.time_ns()))

    async def _poll(self, connection: Connection) -> None:
        asked = True
        polls = 0
        while True:
            began = time.monotonic()
            polls += 1
            if self._subscribe_again:
                self._subscribe_again = False
                await self._subscribe(connection)
            if asked:
                try:
                    data = await connection.ask(Message.statistics, {}, ANSWER_S)
                except Refused as error:
                    asked = False
                    self._once("statistics", f"gives no statistics: {error}")
                else:
                    self._read_figures(data, connection)
            if polls % _STATUS_EACH == 0:
                await self._ask_status(connection)
            await asyncio.sleep(max(0.0, began + POLL_S - time.monotonic()))

    def _read_figures(self, data: dict[str, Any], connection: Connection) -> None:
        try:
            self.figures = read_statistics(data, connection.peer, self.address.number)
        except NoAnswer as error:
            self.figures = None
            self._once("figures", f"{error}, for its statistics")

    def _alarm(self, data: dict[str, Any]) -> None:
        try:
            alarm = Alarm.read(data)
        except DamagedError as error:
            self._once("alarm", f"sent a damaged alarm: {short(printable(str(error)))}")
            return
        # The dropped alarms may include the end of one.
        self._subscribe_again = self._subscribe_again or alarm.dropped_before > 0
        self._take(alarm)

    def _take(self, alarm: Alarm) -> None:
        known = self.active.get(alarm.key)
        if alarm.raised:
            if known is not None and known.sequence >= alarm.sequence:
                return
            if known is None and len(self.active) >= MOST_ACTIVE:
                self._once("many", f"has more than {MOST_ACTIVE} alarms; the rest is passed over")
                return
            self.active[alarm.key] = alarm
            self._keeper.alarm_event(self, alarm, known is not None)
        elif known is not None:
            del self.active[alarm.key]
            # The end of an alarm concerns the actions that its beginning had.
            ended = replace(alarm, actions=known.actions, told=known.told)
            self._keeper.alarm_event(self, ended, False)

    def _once(self, kind: str, words: str) -> None:
        """Write a remark; of each kind only the first one."""
        if kind not in self._said:
            self._said.add(kind)
            self._keeper.process_event(self, "remark", f"{self.words} {words}")
