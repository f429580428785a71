"""Lets takt wait for stand-ins of processes by what they do, not by the clock.

A busy machine may keep a stand-in from its answer longer than any limit that a test can wait out.
"""

from __future__ import annotations

import select
import socket
import time
from pathlib import Path

from support.fake_control import FakeProcess
from takt_cli.control import client

PATIENCE_S = 60.0
_LOOK_MS = 5


class PatientLine(client.Line):
    """Gives up at once on a stand-in that hangs, and waits for the answer of each other one.

    For sockets without a stand-in takt's own limit holds.
    """

    _stand_in: FakeProcess | None = None
    _receives = False

    def connect(self, connection: socket.socket, path: Path) -> None:
        """Connect; raises Gone."""
        self._stand_in = FakeProcess.serving.get(path)
        super().connect(connection, path)

    def receive(self, connection: socket.socket) -> tuple[int, bytes]:
        """Give the type of the next message and its payload without the frames."""
        self._receives = True
        return super().receive(connection)

    def _wait(self, connection: socket.socket) -> None:
        if self._stand_in is None:
            super()._wait(connection)
            return
        connection.settimeout(PATIENCE_S)
        until = time.monotonic() + PATIENCE_S
        readable = select.poll()
        readable.register(connection, select.POLLIN)
        while self._receives and not readable.poll(_LOOK_MS):
            if self._stand_in.silent.is_set() or time.monotonic() > until:
                raise TimeoutError
