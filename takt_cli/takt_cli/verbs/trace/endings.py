"""Notices the ends of processes, and finds the traces that they left."""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Sequence
from pathlib import Path

from takt_cli.control.processes import Process

_WITHOUT_RECORDS = 8
"""So many bytes has a file into which the process has not written records yet."""


class Endings:
    """Watches processes without requests, which a thread of the process would have to answer."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._sockets = [process.socket for process in processes]
        self._left: set[int] = set()  # descriptors of running processes
        self._poll = select.poll()
        self._known = bool(processes)
        for process in processes:
            try:
                descriptor = os.pidfd_open(process.status.pid)
            except (AttributeError, OSError, OverflowError):
                # For a process of a container, or without this function in Python, the end is
                # unknown.
                self._known = False
                continue
            self._left.add(descriptor)
            self._poll.register(descriptor, select.POLLIN)

    def all(self) -> bool:
        """Tell whether all have ended; False if the end of one is unknown."""
        for descriptor, _ in self._poll.poll(0):
            self._forget(descriptor)
        return self._known and not self._left and not any(map(_listens, self._sockets))

    def close(self) -> None:
        """Watch no longer."""
        for descriptor in list(self._left):
            self._forget(descriptor)

    def _forget(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        self._left.discard(descriptor)
        os.close(descriptor)


def _listens(path: Path) -> bool:
    """Tell whether a process listens: a container's number may be that of another process here."""
    with socket.socket(socket.AF_UNIX) as one, contextlib.suppress(OSError):
        one.setblocking(False)
        one.connect(str(path))
        return True
    return False


def left_behind(process: Process) -> Path | None:
    """Give the newest file with records of a process that has ended."""
    with contextlib.suppress(OSError):
        found = process.socket.parent.glob(f"{process.socket.stem}-*.takttrace")
        file = max(found, key=lambda path: path.stat().st_mtime_ns, default=None)
        return file if file and file.stat().st_size > _WITHOUT_RECORDS else None
    return None
