"""Reads all processes side by side: a process that answers late does not delay the others.

Each request has its own thread, which ends with the program at any time. The calling thread does
all other work.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from takt_cli.base.printable import printable, short
from takt_cli.control.client import Gone
from takt_cli.control.frames import NoAnswer, Refused
from takt_cli.control.processes import ANSWER_S, Silent, folders, in_brief, running_words, sockets
from takt_cli.control.read_statistics import ask_statistics
from takt_cli.control.side_by_side import AT_ONCE, AT_ONCE_OF_OTHERS, LATE, is_trusted
from takt_cli.control.statistics import ProcessStatistics
from takt_cli.verbs.top.rates import Pair

ENDED_S = 10.0
"""So long a line tells that a process has ended."""
_OWN = -1
_LONGEST_REST_S = 30.0
"""So rarely a process is asked that never answers; after each silence twice as rarely."""


@dataclass
class _Known:
    """A socket, with the last answers of its process."""

    socket: Path
    number: int
    uid: int = -1
    before: ProcessStatistics | None = None
    now: ProcessStatistics | None = None
    why: str = ""  # the reason for a missing or bad answer
    due: bool = False  # it is to be asked
    asked: bool = False  # its answer has not come yet
    rest_s: float = 0.0  # time for which it is not asked, because it was silent
    rests_until: float = 0.0


@dataclass(frozen=True)
class Answer:
    """One answer, or the reason for its absence; with neither of them the process has ended."""

    socket: Path
    number: int
    statistics: ProcessStatistics | None = None
    why: str = ""


@dataclass(frozen=True)
class View:
    """The last answers of all processes."""

    pairs: tuple[Pair, ...]
    silent: tuple[Silent, ...]
    ended: tuple[str, ...]
    absent: tuple[str, ...]  # wanted, but missing
    running: tuple[str, ...] = ()  # all processes that answered, wanted or not

    def troubles(self) -> list[str]:
        """Give a sentence for each wanted process that is missing, silent or damaged."""
        ended = [f"{one} has ended" for one in self.ended]
        return [*map(str, self.silent), *ended, *([self.absent_words()] if self.absent else [])]

    def absent_words(self) -> str:
        """Name the missing processes, and those that run."""
        names = " or ".join(f"'{printable(short(one))}'" for one in self.absent)
        absent = f"no process or container under takt has the number or the program name {names}"
        return f"{absent}; {running_words(self.running)}"


class Watch:
    """Asks processes on demand, and keeps the last two answers of each."""

    def __init__(
        self,
        wanted: Sequence[str] = (),
        wake: Callable[[], None] = lambda: None,
        timeout_s: float | None = None,
        places: Iterable[Path] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`wanted`: only these numbers and names; `wake`: called by any thread after an answer."""
        self._wanted = tuple(wanted)
        self._wake = wake
        self._timeout_s = ANSWER_S if timeout_s is None else timeout_s
        self._places = None if places is None else list(places)
        self._clock = clock
        self._known: dict[Path, _Known] = {}
        self._ended: dict[str, float] = {}
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._looked = False
        self._began = 0.0  # the latest reading
        self._absent: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Tell whether an answer is missing."""
        return any(one.asked or one.due for one in self._known.values())

    def ask(self) -> None:
        """Ask all processes without a missing answer; returns at once."""
        places = folders(os.environ, os.geteuid()) if self._places is None else self._places
        found = {one.path: one for one in sockets(places, os.geteuid())}
        for path in [path for path, one in self._known.items() if path not in found]:
            if not self._known[path].asked:
                self._forget(path)
        for path, socket in found.items():
            self._known.setdefault(path, _Known(path, socket.number, socket.uid))
        self._began = self._clock()
        for one in self._known.values():
            one.due = not one.asked and one.rests_until <= self._began
        self._looked = True
        self._ask_next()

    def collect(self) -> bool:
        """Take the new answers; returns whether there was one."""
        some = False
        while True:
            try:
                answer = self._answers.get_nowait()
            except queue.Empty:
                return some
            self.take(answer)
            some = True

    def settle(self) -> None:
        """Wait until all have answered, or their time is over."""
        while self.waits:
            self.take(self._answers.get())

    def take(self, answer: Answer) -> None:
        """Keep one answer."""
        one = self._known.setdefault(answer.socket, _Known(answer.socket, answer.number))
        one.asked = False
        one.why = answer.why
        one.rest_s = min(2 * one.rest_s + 1, _LONGEST_REST_S) if one.why and not one.now else 0.0
        one.rests_until = self._clock() + one.rest_s
        if answer.statistics is not None:
            same = one.now is not None and one.now.is_same_run(answer.statistics)
            if one.now is not None and not same:
                self._note_end(one.now)
            one.before, one.now = one.now if same else None, answer.statistics
        elif not answer.why:
            self._forget(answer.socket)
        self._ask_next()

    def view(self) -> View:
        """Give all wanted processes."""
        late = self._clock() - ENDED_S
        self._ended = {words: at for words, at in self._ended.items() if at > late}
        chosen = [one for one in self._known.values() if self._is_wanted(one)]
        pairs = [Pair(one.before, one.now) for one in chosen if one.now and not one.why]
        silent = [Silent(one.socket, one.number, one.why, one.uid) for one in chosen if one.why]
        if self._looked and not self.waits:
            self._absent = tuple(word for word in self._wanted if not self._is_there(word))
        return View(
            tuple(sorted(pairs, key=lambda pair: (pair.now.name, pair.now.pid))),
            in_brief(sorted(silent, key=lambda one: one.pid)),
            tuple(self._ended),
            self._absent,
            tuple(sorted(one.now.words for one in self._known.values() if one.now and not one.why)),
        )

    def _ask_next(self) -> None:
        """Ask as many processes of each user at once as allowed; drop late ones of other users."""
        asked = Counter(_whose(one) for one in self._known.values() if one.asked)
        late = self._clock() - self._began > self._timeout_s
        for one in [one for one in self._known.values() if one.due]:
            whose = _whose(one)
            if late and whose != _OWN:
                one.due, one.why = False, one.why or LATE
                continue
            if asked[whose] >= (AT_ONCE if whose == _OWN else AT_ONCE_OF_OTHERS):
                continue
            asked[whose] += 1
            one.due, one.asked = False, True
            threading.Thread(
                target=self._ask, args=(one.socket, one.number), name="asks", daemon=True
            ).start()

    def _ask(self, socket: Path, number: int) -> None:
        try:
            answer = Answer(socket, number, ask_statistics(socket, number, self._timeout_s))
        except Gone:
            answer = Answer(socket, number)
        except NoAnswer as error:
            answer = Answer(socket, number, why=str(error))
        except Refused as error:
            answer = Answer(socket, number, why=f"refuses to tell its figures: {error}")
        except Exception as error:  # takt continues without an answer that it cannot handle
            answer = Answer(socket, number, why=f"answered, and takt cannot read it: {error!r}")
        self._answers.put(answer)
        self._wake()

    def _forget(self, path: Path) -> None:
        one = self._known.pop(path)
        if one.now is not None and self._is_wanted(one):
            self._note_end(one.now)

    def _note_end(self, process: ProcessStatistics) -> None:
        self._ended[process.words] = self._clock()

    def _is_wanted(self, one: _Known) -> bool:
        return not self._wanted or any(_is(word, one) for word in self._wanted)

    def _is_there(self, word: str) -> bool:
        return any(_is(word, one) for one in self._known.values() if one.now or one.why)


def _whose(one: _Known) -> int:
    """Give the user for a limit of requests; own processes and root's count together."""
    return _OWN if is_trusted(one.uid) else one.uid


def _is(word: str, one: _Known) -> bool:
    if word.isdigit():
        return word == str(one.now.pid if one.now else one.number)
    # A process that never answered has not sent its name.
    return word in (one.now.name, one.now.program) if one.now else bool(one.why)
