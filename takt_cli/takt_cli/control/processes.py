"""Finds the processes whose executors run under takt, and asks them for their status."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.control.client import Gone, ask
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.status import ProcessStatus, read_process
from takt_cli.errors import EXIT_FAILED, TaktError
from takt_cli.importing.not_carried_over import printable

ANSWER_S = 2.0
"""So long a process may take to tell its status."""
CHANGE_S = 10.0
"""So long a process may take to change its threads."""
AT_ONCE = 32
"""So many processes are asked side by side."""
_SOCKET = re.compile(r"([1-9][0-9]{0,9})\.sock")
_MOST_SOCKETS = 100_000
_HOW = (
    "start one with `takt exec --schedule FILE -- PROGRAM`, or write it against takt_rcl; only "
    "root sees the processes of other users"
)


@dataclass(frozen=True)
class Process:
    """A process that answered."""

    socket: Path
    status: ProcessStatus

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.status.name} (pid {self.status.pid})"


@dataclass(frozen=True)
class Silent:
    """A process that did not answer as it should."""

    socket: Path
    pid: int
    why: str

    def __str__(self) -> str:
        return f"process {self.pid} {self.why} ({printable(str(self.socket))})"

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {"pid": self.pid, "socket": str(self.socket), "why": self.why}


@dataclass(frozen=True)
class Found:
    """All processes, or those that were asked for."""

    processes: tuple[Process, ...]
    silent: tuple[Silent, ...]


def folders(environ: Mapping[str, str], uid: int, root: Path = Path("/")) -> Iterator[Path]:
    """Give the folders of control sockets that this user may ask.

    TAKT_RUNTIME_DIR names the only one. Otherwise root also sees the folders of all users.
    """
    chosen = environ.get("TAKT_RUNTIME_DIR")
    if chosen:
        yield Path(chosen)
        return
    session = environ.get("XDG_RUNTIME_DIR")
    yield Path(session, "takt") if session else root / "tmp" / f"takt-{uid}"
    if uid == 0:
        yield from sorted((root / "run" / "user").glob("*/takt"))
        yield from sorted((root / "tmp").glob("takt-*"))


def sockets(places: Iterable[Path], uid: int) -> Iterator[tuple[Path, int]]:
    """Give each control socket with the number in its name.

    Below /tmp everybody may make a folder of any name: one that belongs to another user than its
    sockets shall is passed over, and so is a link.
    """
    seen: set[tuple[int, int]] = set()
    for place in places:
        with contextlib.suppress(OSError):
            about = place.lstat()
            if not stat.S_ISDIR(about.st_mode) and not place.is_dir():
                continue
            if stat.S_ISLNK(about.st_mode) and about.st_uid not in (uid, 0):
                continue
            inner = place.stat()
            if uid != 0 and inner.st_uid not in (uid, 0):
                continue
            if (inner.st_dev, inner.st_ino) in seen:
                continue
            seen.add((inner.st_dev, inner.st_ino))
            with os.scandir(place) as entries:
                yield from sorted(_sockets_in(entries), key=lambda found: found[1])


def _sockets_in(entries: Iterator[os.DirEntry[str]]) -> list[tuple[Path, int]]:
    found = []
    for entry, _ in zip(entries, range(_MOST_SOCKETS), strict=False):
        match = _SOCKET.fullmatch(entry.name)
        if match and stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
            found.append((Path(entry.path), int(match.group(1))))
    return found


def find(
    wanted: Sequence[str] = (),
    *,
    absent_ok: bool = False,
    timeout_s: float | None = None,
    places: Iterable[Path] | None = None,
) -> Found:
    """Ask all processes, side by side; with numbers or names of programs give only these.

    A wanted process that is not there is an error unless it is `absent_ok`.
    """
    uid = os.geteuid()
    limit_s = ANSWER_S if timeout_s is None else timeout_s
    where = folders(os.environ, uid) if places is None else places
    known = list(sockets(where, uid))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = pool.map(lambda one: _ask_status(*one, limit_s), known)
        found = [answer for answer in answers if answer is not None]
    processes = [one for one in found if isinstance(one, Process)]
    silent = [one for one in found if isinstance(one, Silent)]
    processes.sort(key=lambda process: (process.status.name, process.status.pid))
    if not wanted:
        return Found(tuple(processes), tuple(silent))
    return _chosen(wanted, processes, silent, absent_ok)


def _chosen(
    wanted: Sequence[str],
    processes: Sequence[Process],
    silent: Sequence[Silent],
    absent_ok: bool,
) -> Found:
    for word in () if absent_ok else wanted:
        if any(_is(word, one) for one in processes) or any(_may_be(word, one) for one in silent):
            continue
        names = ", ".join(process.words for process in processes)
        raise TaktError(
            f"no process under takt has the number or the program name '{printable(word)}'",
            hint=f"processes under takt: {names}" if names else f"there is none; {_HOW}",
        )
    # A process that is silent does not tell its name.
    by_name = any(not word.isdigit() for word in wanted)
    return Found(
        tuple(one for one in processes if any(_is(word, one) for word in wanted)),
        tuple(one for one in silent if by_name or any(_may_be(word, one) for word in wanted)),
    )


def _is(word: str, process: Process) -> bool:
    status = process.status
    if word.isdigit():
        return word == str(status.pid)
    return word in (status.name, status.program)


def _may_be(word: str, silent: Silent) -> bool:
    return word == str(silent.pid)


def no_process() -> TaktError:
    """Say that there is none, and how to start one."""
    return TaktError(f"no process runs under takt; {_HOW}", code=EXIT_FAILED)


def _ask_status(socket: Path, number: int, timeout_s: float) -> Process | Silent | None:
    try:
        peer, data = ask(socket, Message.status, {}, timeout_s)
        return Process(socket, read_process(data, peer, number))
    except Gone:
        remove_stale(socket, number)
        return None
    except NoAnswer as error:
        return Silent(socket, number, str(error))
    except Refused as error:
        return Silent(socket, number, f"refuses to tell its status: {error}")


def remove_stale(socket: Path, number: int) -> None:
    """Remove the socket of a process that is gone, if the file is this user's.

    A process with this number may be about to listen: then the file stays.
    """
    with contextlib.suppress(OSError):
        if socket.lstat().st_uid == os.geteuid() and not Path(f"/proc/{number}").exists():
            socket.unlink()
