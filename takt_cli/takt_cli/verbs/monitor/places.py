"""The control sockets of this host, and the right to act on the processes of a folder.

Two monitors would carry out each action twice. So the first one locks the folder; at any end of
that monitor the kernel releases the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from takt_cli.control.processes import folders, sockets
from takt_cli.verbs.monitor.watched import Address, identity


def addresses() -> Iterator[Address]:
    """Give all control sockets that this user may ask."""
    uid = os.geteuid()
    for path, number, owner in sockets(folders(os.environ, uid), uid):
        with contextlib.suppress(OSError):
            yield Address(path, number, identity(path), owner)


class Locks:
    """The folders in which this monitor carries out actions."""

    def __init__(self) -> None:
        self._held: dict[Path, int] = {}

    def owns(self, folder: Path) -> bool:
        """Tell whether this monitor holds the folder's lock; takes a free one."""
        if folder in self._held:
            return True
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._held[folder] = descriptor
        return True

    def close(self) -> None:
        """Release all locks."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()
