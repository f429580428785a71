"""The action `run`: programs of the user, without a shell, with the alarm on standard input."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

MOST_WAITING = 64
_PATIENCE_S = 1.0
_TOO_LATE = "was not started, because the monitor ends"

Process = asyncio.subprocess.Process
Tell = Callable[[bool, str], None]
"""Takes whether it went well, and a sentence."""


class Programs:
    """Runs a limited number of programs at once; some more wait."""

    def __init__(self, at_once: int, timeout_s: float) -> None:
        self._at_once = at_once
        self._timeout_s = timeout_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(at_once)
        self._closing = asyncio.Event()

    def start(self, command: Sequence[str], alarm: dict[str, Any], tell: Tell) -> None:
        """Run a program soon; `tell` gets its result."""
        if self._closing.is_set():
            tell(False, _TOO_LATE)
            return
        if len(self._tasks) >= self._at_once + MOST_WAITING:
            tell(False, f"was not started: {MOST_WAITING} programs wait already")
            return
        payload = json.dumps(alarm, ensure_ascii=False).encode("utf-8", "backslashreplace")
        task = asyncio.ensure_future(self._run(list(command), payload + b"\n", tell))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End the running programs; waiting and later ones are not started."""
        self._closing.set()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=3 * _PATIENCE_S)

    async def _run(self, command: list[str], payload: bytes, tell: Tell) -> None:
        async with self._slots:
            if self._closing.is_set():
                tell(False, _TOO_LATE)
                return
            # The end of the monitor cancels no start, because the program may run before its start
            # returns.
            try:
                process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.PIPE,
                    # The monitor writes its lines to standard output.
                    stdout=sys.stderr.fileno(),
                    stderr=sys.stderr.fileno(),
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                tell(False, f"cannot be started: {getattr(error, 'strerror', None) or error}")
                return
            tell(*await self._finish(process, payload))

    async def _finish(self, process: Process, payload: bytes) -> tuple[bool, str]:
        """Wait for a program, or end it; returns whether it succeeded, and its result in words."""
        ended = asyncio.ensure_future(process.communicate(payload))
        closing = asyncio.ensure_future(self._closing.wait())
        await asyncio.wait(
            {ended, closing}, timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        closing.cancel()
        if not ended.done():
            ended.cancel()
            await _end(process)
            if self._closing.is_set():
                return False, "was ended, because the monitor ends"
            return False, f"did not end within {self._timeout_s:g} s and was ended"
        code = process.returncode or 0
        return code == 0, f"ended by signal {-code}" if code < 0 else f"exit code {code}"


async def _end(process: Process) -> None:
    """End a program and its child programs: first with a request, then at once."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), _PATIENCE_S)
            return
