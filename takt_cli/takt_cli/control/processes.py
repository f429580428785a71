"""Finds the processes whose executors run under takt, and asks them for their status."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.printable import printable
from takt_cli.control.client import Gone, ask
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.side_by_side import LATE, is_trusted, side_by_side
from takt_cli.control.status import ProcessStatus, read_process

ANSWER_S = 2.0
"""So long a process may take to tell its status."""
CHANGE_S = 10.0
"""So long a process may take to change its threads."""
_MOST_TOLD = 5
"""Of so many silent processes of another user each is told of; of the others their number."""
_SOCKET = re.compile(r"([1-9][0-9]{0,9})\.sock")
_MOST_ENTRIES = 100_000
"""So many files are looked at in the folders of the own user and of root."""
_MOST_OF_OTHERS = 1000
"""So many in the folders of each other user, who may make as many as a disk holds."""
_HOW = (
    "`takt exec -- PROGRAM` starts one, and a program of takt_rcl is one where it has a schedule "
    "(TAKT_SCHEDULE=FILE); only root sees the processes of other users"
)


@dataclass(frozen=True)
class Process:
    """A process that answered."""

    socket: Path
    status: ProcessStatus
    uid: int = -1  # the owner of the socket

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.status.name} (pid {self.status.pid})"


@dataclass(frozen=True)
class Silent:
    """A process without a proper answer."""

    socket: Path
    pid: int
    why: str
    uid: int = -1  # the owner of the socket
    more: int = 0  # further processes of the same user that this entry replaces

    def __str__(self) -> str:
        if self.more:
            who = f"process {self.pid} and {self.more} more of user {self.uid}"
            return f"{who} do not answer ({printable(str(self.socket.parent))})"
        return f"process {self.pid} {self.why} ({printable(str(self.socket))})"

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        told = {"pid": self.pid, "socket": str(self.socket), "why": self.why}
        return told | ({"more": self.more} if self.more else {})


@dataclass(frozen=True)
class Found:
    """All processes, or the requested ones."""

    processes: tuple[Process, ...]
    silent: tuple[Silent, ...]


def folders(environ: Mapping[str, str], uid: int, root: Path = Path("/")) -> Iterator[Path]:
    """Give the folders of control sockets that this user may read.

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
        yield from sorted((root / "tmp").glob("takt-[0-9]*"))


class Socket(NamedTuple):
    """A control socket."""

    path: Path
    number: int  # the number in its name
    uid: int  # the owner of the folder, who controls its content


def sockets(places: Iterable[Path], uid: int) -> list[Socket]:
    """Give all control sockets, those of this user and of root first.

    Each user may make a folder of any name below /tmp. Links are omitted, and so are folders with
    another owner than their name says. For each other user, the number of files is limited.
    """
    owners: dict[tuple[int, int], tuple[int, Path]] = {}
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
            owners.setdefault((inner.st_dev, inner.st_ino), (inner.st_uid, place))
    found: list[Socket] = []
    looked: Counter[int] = Counter()
    for owner, place in sorted(owners.values(), key=lambda one: one[0] not in (uid, 0)):
        most = _MOST_ENTRIES if owner in (uid, 0) else _MOST_OF_OTHERS
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            inside = []
            for entry in itertools.islice(entries, most - looked[owner]):
                looked[owner] += 1
                match = _SOCKET.fullmatch(entry.name)
                if match and stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                    inside.append(Socket(Path(entry.path), int(match.group(1)), owner))
            found += sorted(inside, key=lambda socket: socket.number)
    return found


def find(
    wanted: Sequence[str] = (),
    *,
    absent_ok: bool = False,
    timeout_s: float | None = None,
    places: Iterable[Path] | None = None,
) -> Found:
    """Ask all processes, side by side; with numbers or names of programs, return only these.

    A missing process is an error unless it is `absent_ok`.
    """
    uid = os.geteuid()
    limit_s = ANSWER_S if timeout_s is None else timeout_s
    where = folders(os.environ, uid) if places is None else places
    known = sorted(sockets(where, uid), key=lambda one: str(one.number) not in wanted)
    answers = side_by_side(
        known,
        lambda one: one.uid,
        lambda one: _ask_status(one, limit_s),
        limit_s,
        lambda one: Silent(one.path, one.number, LATE, one.uid),
    )
    found = [answer for answer in answers if answer is not None]
    processes = [one for one in found if isinstance(one, Process)]
    silent = [one for one in found if isinstance(one, Silent)]
    processes.sort(key=lambda process: (process.status.name, process.status.pid))
    silent.sort(key=lambda one: one.pid)
    if not wanted:
        return Found(tuple(processes), in_brief(silent))
    return _chosen(wanted, processes, silent, absent_ok)


def in_brief(silent: Sequence[Silent]) -> tuple[Silent, ...]:
    """Replace many silent processes of another user by one entry, to keep logs short."""
    brief: list[Silent] = []
    of_user: dict[int, list[Silent]] = defaultdict(list)
    for one in silent:
        of_user[one.uid].append(one)
    for uid, those in of_user.items():
        told = len(those) if is_trusted(uid) or len(those) <= _MOST_TOLD + 1 else _MOST_TOLD
        brief += those[:told]
        brief += [replace(one, more=len(those) - told - 1) for one in those[told : told + 1]]
    return tuple(brief)


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
            "no process or container under takt has the number or the program name "
            f"'{printable(word)}'",
            hint=f"processes under takt: {names}" if names else f"there is none; {_HOW}",
        )
    # A silent process does not tell its name.
    by_name = any(not word.isdigit() for word in wanted)
    return Found(
        tuple(one for one in processes if any(_is(word, one) for word in wanted)),
        in_brief([one for one in silent if by_name or any(_may_be(word, one) for word in wanted)]),
    )


def _is(word: str, process: Process) -> bool:
    status = process.status
    if word.isdigit():
        return word == str(status.pid)
    return word in (status.name, status.program)


def _may_be(word: str, silent: Silent) -> bool:
    return word == str(silent.pid)


def running_words(names: Sequence[str]) -> str:
    """List the processes that run, for a sentence on one that does not."""
    if not names:
        return "none runs under takt"
    more = len(names) - _MOST_TOLD
    return f"running: {', '.join(names[:_MOST_TOLD])}" + (f" and {more} more" if more > 0 else "")


def no_process() -> TaktError:
    """Write that no process runs under takt, and how to start one."""
    return TaktError(f"no process runs under takt; {_HOW}", code=EXIT_FAILED)


def _ask_status(socket: Socket, timeout_s: float) -> Process | Silent | None:
    path, number, uid = socket
    try:
        peer, data = ask(path, Message.status, {}, timeout_s)
        return Process(path, read_process(data, peer, number), uid)
    except Gone:
        remove_stale(path, number)
        return None
    except NoAnswer as error:
        return Silent(path, number, str(error), uid)
    except Refused as error:
        return Silent(path, number, f"refuses to tell its status: {error}", uid)


def remove_stale(socket: Path, number: int) -> None:
    """Remove the socket of a process that has ended, if the file belongs to this user.

    A process with this number may be about to listen: then the file stays.
    """
    with contextlib.suppress(OSError):
        if socket.lstat().st_uid == os.geteuid() and not Path(f"/proc/{number}").exists():
            socket.unlink()
