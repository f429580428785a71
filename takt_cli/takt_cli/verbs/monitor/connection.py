"""One connection to a process that pushes its alarms, within the monitor's loop.

The process is not trusted: bytes of reads, times of answers and numbers of alarms are limited. A
process that exceeds a limit loses its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from takt_cli.control import client
from takt_cli.control.client import connect
from takt_cli.control.frames import HEADER, Incoming, Message, NoAnswer, parsed, spelled
from takt_cli.control.side_by_side import is_trusted
from takt_cli.control.told import result_of

MOST_MESSAGE = 4 << 20
MOST_PER_SECOND = 500
"""Of a process that sends more alarms, the monitor reads the rest later; the process drops some.

Of another user all processes together.
"""
# for each other user: begin of the second, and number of alarms
_SECONDS: dict[int, tuple[float, int]] = {}
_READ = 64 << 10

OnAlarm = Callable[[dict[str, Any]], None]


class Connection:
    """Asks one question at a time, and gives each alarm to a function."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: client.Peer
    ) -> None:
        self.peer = peer
        self.on_alarm: OnAlarm = lambda data: None
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()
        self._answer: asyncio.Future[tuple[int, dict[str, Any]]] | None = None
        self._why = ""
        self._ended = asyncio.Event()
        self._second: dict[int, tuple[float, int]] = {}  # when it began, and how many alarms
        self._task = asyncio.ensure_future(self._read())

    @classmethod
    async def open(cls, path: Path) -> Connection:
        """Connect at once; raises Gone or NoAnswer."""
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.setblocking(False)
            connect(line, path)
            peer = client.peer_of(line)
            reader, writer = await asyncio.open_unix_connection(sock=line, limit=_READ)
        except BlockingIOError:
            line.close()
            raise NoAnswer("does not accept the connection") from None
        except OSError as error:
            line.close()
            raise NoAnswer(f"cannot be asked: {error.strerror or error}") from error
        except BaseException:
            line.close()
            raise
        return cls(reader, writer, peer)

    async def ask(
        self, kind: Message, request: Mapping[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        """Ask, and wait for the answer; raises NoAnswer or Refused.

        Answers come in the order of the questions, so a late answer ends the connection.
        """
        async with self._turn:
            if self._why:
                raise NoAnswer(self._why)
            question = list(spelled(kind, request))
            self._answer = asyncio.get_running_loop().create_future()
            try:
                self._writer.writelines(question)
                answered, data = await asyncio.wait_for(self._answer, timeout_s)
            except asyncio.TimeoutError:
                self._fail(f"does not answer within {timeout_s:g} s")
                raise NoAnswer(self._why) from None
            except asyncio.CancelledError:
                self._fail("was asked, and the question was given up")
                raise
            finally:
                self._answer = None
        return result_of(answered, data)

    async def ended(self) -> str:
        """Wait for the end of the connection, and give the reason."""
        await self._ended.wait()
        return self._why

    def end(self, why: str) -> None:
        """Let the connection end."""
        self._fail(why)

    async def close(self) -> None:
        """End the connection and its tasks."""
        self._fail("was left")
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await self._task

    def _fail(self, why: str) -> None:
        if not self._why:
            self._why = why
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(NoAnswer(self._why))
        self._ended.set()
        self._writer.transport.abort()

    async def _read(self) -> None:
        try:
            while True:
                kind, payload = await self._message()
                data = parsed(payload)
                if kind == Message.alarm:
                    self.on_alarm(data)
                    await self._pause()
                elif kind in (Message.result, Message.error) and self._answer is not None:
                    if not self._answer.done():
                        self._answer.set_result((kind, data))
                    await asyncio.sleep(0)
                else:
                    raise NoAnswer(f"sent a message of type {kind} that nobody asked for")
        except NoAnswer as error:
            self._fail(str(error))
        except asyncio.IncompleteReadError as error:
            half = " in the middle of a message" if error.partial else ""
            self._fail(f"closed the connection{half}")
        except OSError as error:
            self._fail(f"closed the connection: {error.strerror or error}")

    async def _pause(self) -> None:
        """Let other tasks run, and wait if alarms come too fast."""
        now = time.monotonic()
        whose = id(self) if is_trusted(self.peer.uid) else self.peer.uid
        seconds = self._second if is_trusted(self.peer.uid) else _SECONDS
        began, count = seconds.get(whose, (0.0, 0))
        if now - began >= 1:
            began, count = now, 0
        seconds[whose] = (began, count + 1)
        await asyncio.sleep(began + 1 - now if count + 1 >= MOST_PER_SECOND else 0)

    async def _message(self) -> tuple[int, bytes]:
        message = Incoming("sent", MOST_MESSAGE)
        while True:
            length = message.take_header(await self._reader.readexactly(HEADER.size))
            if message.take_payload(await self._reader.readexactly(length)):
                return message.kind, bytes(message.payload)
