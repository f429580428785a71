"""Reads a machine's files below a root folder: the real machine's or a fake tree of a test.

A file that cannot be read, or has other content than expected, raises Unreadable with the reason.
Nothing here writes but `write`, which only fixes and their undoing call.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path

from takt_cli.base.printable import short
from takt_cli.base.units import parse_whole

_MOST_BYTES = 16 << 20
# Files of /proc/sys refuse a read of megabytes for want of memory.
_CHUNK = 1 << 16
MOST_CORE = 65535
"""No kernel numbers its cores beyond this; a larger number is garbage."""


class Unreadable(Exception):
    """A fact that cannot be known here, with the reason; `absent`: the file does not exist."""

    def __init__(self, why: str, *, absent: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.absent = absent


@dataclass(frozen=True)
class Space:
    """Size of a file system, in bytes."""

    total: int
    free: int


@dataclass(frozen=True)
class FileFacts:
    """Which file it is, as /proc/locks names files, and its size in bytes."""

    device: tuple[int, int]
    inode: int
    size: int


@dataclass(frozen=True)
class Machine:
    """Everything that a check may look at."""

    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    # Whether the kernel grants a real-time policy to this process; None: it was not tried.
    realtime_allowed: Callable[[], bool | None] = lambda: None
    user: str = "USER"  # who runs the command, as a file of limits names users
    sleep: Callable[[float], None] = time.sleep
    # Size of the file system of a path; None: as the system says.
    space_of: Callable[[Path], Space] | None = None

    def path(self, name: str) -> Path:
        """Give the place of an absolute name below the root."""
        return self.root / name.lstrip("/")

    def read_bytes(self, name: str) -> bytes:
        """Read a regular file, but not more than 16 MiB of it."""
        try:
            path = self.path(name)
            # Not a pipe or a terminal, for which reading could wait.
            if not stat.S_ISREG(path.stat().st_mode):
                raise Unreadable(f"{name} is not a regular file")
            with path.open("rb", buffering=0) as file:
                return _read_all(file)
        except (OSError, ValueError) as error:  # the latter: a name with a NUL
            raise _unreadable(name, error) from error

    def read(self, name: str) -> str:
        """Read a text file, without blanks around it."""
        return self.read_bytes(name).decode("utf-8", "replace").strip()

    def read_if_there(self, name: str) -> str | None:
        """Read a text file; None where it does not exist, but its file system is mounted."""
        try:
            return self.read(name)
        except Unreadable as missing:
            if not missing.absent:
                raise
        top = f"/{name.split('/')[1]}"
        if not self.names(top):
            raise Unreadable(f"{top} is empty, and so probably not mounted")
        return None

    def number(self, name: str) -> int:
        """Read a whole number."""
        text = self.read(name)
        value = parse_whole(text)
        if value is None:
            raise Unreadable(f"{name} says '{shown(text)}', which is not a whole number")
        return value

    def cores(self, name: str) -> tuple[int, ...]:
        """Read a list of cores, as in 0-3,8; an empty one has none."""
        return parse_core_list(self.read(name), name)

    def names(self, folder: str) -> list[str]:
        """List a folder."""
        try:
            return sorted(os.listdir(self.path(folder)))  # noqa: PTH208  # names are all we want
        except (OSError, ValueError) as error:
            raise _unreadable(folder, error) from error

    def names_if_there(self, folder: str) -> list[str]:
        """List a folder; nothing where it does not exist."""
        try:
            return self.names(folder)
        except Unreadable as missing:
            if missing.absent:
                return []
            raise

    def link(self, name: str) -> str:
        """Read where a symbolic link leads."""
        try:
            return str(self.path(name).readlink())
        except (OSError, ValueError) as error:
            raise _unreadable(name, error) from error

    def facts(self, name: str) -> FileFacts:
        """Give device, inode and size of a file."""
        try:
            found = self.path(name).stat()
        except (OSError, ValueError) as error:
            raise _unreadable(name, error) from error
        device = (os.major(found.st_dev), os.minor(found.st_dev))
        return FileFacts(device, found.st_ino, found.st_size)

    def eight_bytes(self, name: str, offset: int) -> int:
        """Read a register of 64 bits, as /dev/cpu/0/msr has them."""
        try:
            descriptor = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK)
            try:
                data = os.pread(descriptor, 8, offset)
            finally:
                os.close(descriptor)
        except (OSError, ValueError) as error:
            raise _unreadable(name, error) from error
        if len(data) != 8:
            raise Unreadable(f"{name} has no 8 bytes at {offset:#x}")
        return int.from_bytes(data, "little")

    def space(self, name: str) -> Space:
        """Size of the file system that holds a path."""
        try:
            self.path(name).stat()
            if self.space_of is not None:
                return self.space_of(self.path(name))
            found = os.statvfs(self.path(name))
        except (OSError, ValueError) as error:
            raise _unreadable(name, error) from error
        return Space(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)

    def write(self, name: str, text: str) -> None:
        """Write one of the kernel's files; raises OSError."""
        descriptor = os.open(self.path(name), os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(descriptor, f"{text}\n".encode())
        finally:
            os.close(descriptor)

    def may_write(self, name: str) -> bool:
        """Whether this user has the right to write a file."""
        return os.access(self.path(name), os.W_OK)

    def online_cores(self) -> tuple[int, ...]:
        """Give the cores that run threads now."""
        cores = self.cores("/sys/devices/system/cpu/online")
        if not cores:
            raise Unreadable("/sys/devices/system/cpu/online names no core")
        return cores

    def processes(self) -> list[int]:
        """Numbers of all processes that are visible from here."""
        return [int(name) for name in self.names("/proc") if re.fullmatch("[0-9]{1,10}", name)]


def _read_all(file: FileIO) -> bytes:
    parts = []
    left = _MOST_BYTES
    while left > 0 and (part := file.read(min(_CHUNK, left))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def parse_core_list(text: str, name: str) -> tuple[int, ...]:
    """Read a list of cores, as in 0-3,8, in ascending order; `name` is where it stands."""
    cores: set[int] = set()
    for word in text.split(",") if text else []:
        first_word, dash, last_word = word.strip().partition("-")
        first = parse_whole(first_word)
        last = parse_whole(last_word) if dash else first
        if first is None or last is None or not 0 <= first <= last <= MOST_CORE:
            raise Unreadable(f"{name} says '{shown(text)}', which is not a list of cores")
        cores.update(range(first, last + 1))
    return tuple(sorted(cores))


def shown(text: str) -> str:
    """Quote the content of a file: its beginning, without characters that move the cursor."""
    return short("".join(c if c.isprintable() else "?" for c in text[:100]))


def _unreadable(name: str, error: Exception) -> Unreadable:
    code = getattr(error, "errno", None)
    if code in (errno.ENOENT, errno.ENOTDIR):
        return Unreadable(f"{shown_path(name)} does not exist", absent=True)
    if code in (errno.EACCES, errno.EPERM):
        return Unreadable(f"{shown_path(name)} cannot be read by this user; root can read it")
    words = getattr(error, "strerror", None) or str(error)
    return Unreadable(f"{shown_path(name)} cannot be read: {words}")


def shown_path(name: str) -> str:
    """Quote a path, which may be a garbled one."""
    return "".join(c if c.isprintable() else "?" for c in name[:200])
