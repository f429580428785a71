"""The loop of `takt monitor`: finds processes, watches each in a task, and ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from takt_cli.base.printable import printable
from takt_cli.base.units import how_many
from takt_cli.control.processes import running_words
from takt_cli.control.side_by_side import is_trusted
from takt_cli.control.status import ProcessStatus
from takt_cli.verbs.monitor.actions import Actions
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.diagnostics import View
from takt_cli.verbs.monitor.output import Output
from takt_cli.verbs.monitor.places import Locks, addresses
from takt_cli.verbs.monitor.programs import Programs
from takt_cli.verbs.monitor.questions import Questions
from takt_cli.verbs.monitor.ros_side import OMITTED, UNWANTED, RosSide
from takt_cli.verbs.monitor.snapshots import Snapshots
from takt_cli.verbs.monitor.watched import Address, Watched

MOST_PROCESSES = 1000
"""So many of the own user and of root are watched."""
MOST_OF_OTHERS = 100
"""So many of each other user: a socket costs that user nothing."""
SCAN_S = 0.25
GIVE_BACK_S = 5.0
_OWN = -1
_DESCRIPTORS = 1 << 16
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Settings:
    """The command line."""

    wanted: tuple[str, ...] = ()
    duration_s: float | None = None
    folder: Path = field(default_factory=Path)  # of snapshots
    most_snapshots: int = 100
    programs_at_once: int = 4
    program_timeout_s: float = 30.0
    log_only: bool = False


class Monitor:
    """Watches all processes of the host until `end`."""

    def __init__(self, settings: Settings, output: Output, ros: RosSide | str) -> None:
        """`ros`: the ROS side, or the reason why there is none."""
        self._settings = settings
        self._output = output
        self._ros = ros if isinstance(ros, RosSide) else None
        self._why_no_ros = "" if isinstance(ros, RosSide) else ros
        self._watched: dict[Path, tuple[Watched, asyncio.Task[None]]] = {}
        self._unwanted: set[Address] = set()
        self._locks = Locks()
        self._told_locked: set[Path] = set()
        self._counts: Counter[str] = Counter()
        self._full: set[int] = set()  # users with too many processes, of which some are not watched
        self._looks = ThreadPoolExecutor(1, "looks")  # for folders, which may be large
        # unwanted processes; None: the user was told about them
        self._others: dict[str, None] | None = {}

    async def run(self) -> bool:
        """Watch; returns whether all changes were undone and all lines written."""
        self._stop, self._hurry = asyncio.Event(), asyncio.Event()
        self._loop_of_run = asyncio.get_running_loop()
        self._output.on_broken = self.end
        self._actions = Actions(
            output=self._output,
            programs=Programs(self._settings.programs_at_once, self._settings.program_timeout_s),
            snapshots=Snapshots(self._settings.folder, self._settings.most_snapshots),
            questions=Questions(lambda words: self._output.say("question", words)),
            processes=lambda: [one for one, _ in self._watched.values()],
            ros=self._ros,
            why_no_ros=self._why_no_ros,
            log_only=self._settings.log_only,
        )
        with _signals(self._end_soon):
            self._begin()
            try:
                await self._loop()
            finally:
                good = await self._end()
        return good and not self._output.broken

    def end(self) -> None:
        """Ask the monitor to end soon; any thread may call it while the monitor runs."""
        _call(self._loop_of_run, self._end_soon)

    # As the processes see it.

    def wants(self, status: ProcessStatus) -> bool:
        """Tell whether the user wants to watch this process."""
        wanted = self._settings.wanted
        if not wanted or any(word in _names(status) for word in wanted):
            return True
        if self._others is not None:
            self._others[f"{status.name} (pid {status.pid})"] = None
        return False

    def process_event(self, process: Watched, state: str, words: str) -> None:
        """Report that a process came, ended or fell silent."""
        if state == "ended":
            self._actions.questions.withdraw(process)
            for alarm in list(process.active.values()):
                self._actions.over(process, alarm)
        self._output.say("process", words, {**process.as_json(), "state": state})
        if state == "watched":
            self._may_act(process)  # takes a free folder, or says that it is not free

    def change_event(self, process: Watched, good: bool, words: str) -> None:
        """Report the result of a change."""
        level = "" if good else "WARN "
        data = {**process.as_json(), "good": good}
        self._output.say("change", f"{process.words}: {words}", data, level=level)

    def alarm_event(self, process: Watched, alarm: Alarm, again: bool) -> None:
        """Carry out an alarm."""
        self._counts["alarms raised" if alarm.raised else "alarms cleared"] += 1
        self._actions.carry_out(process, alarm, again, self._may_act(process))

    def _may_act(self, process: Watched) -> bool:
        folder = process.address.path.parent
        if self._settings.log_only or self._locks.owns(folder):
            return not self._settings.log_only
        if folder not in self._told_locked:
            self._told_locked.add(folder)
            words = (
                f"another takt monitor carries out the actions of the processes in {folder}; this "
                "one only writes alarms until that one ends"
            )
            self._output.say("note", words)
        return False

    # The loop.

    def _begin(self) -> None:
        wanted = self._settings.wanted
        words = f"watches {', '.join(wanted) if wanted else 'all processes under takt'}"
        self._output.say("start", f"takt monitor {words}; Ctrl-C ends it", {"wanted": wanted})
        if self._why_no_ros not in ("", UNWANTED):
            self._output.say("note", f"without ROS: {self._why_no_ros}; omitted: {OMITTED}")

    async def _loop(self) -> None:
        duration_s = self._settings.duration_s
        until = float("inf") if duration_s is None else time.monotonic() + duration_s
        heard = False  # of a process; or the user was told that there is none
        while not self._stop.is_set() and (left := until - time.monotonic()) > 0:
            await self._scan()
            # A socket that a process left is there until the second look.
            heard = heard or self._others is None or bool(self._others)
            heard = heard or any(one.status for one, _ in self._watched.values())
            if not heard and not self._watched:
                self._tell_none()
                heard = True
            self._tell_absent()
            self._show_ros()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stop.wait(), min(SCAN_S, left))

    def _tell_none(self) -> None:
        """Report that no process runs, and for which ones the monitor waits."""
        wanted = " or ".join(map(printable, self._settings.wanted))
        words = "no process runs under takt yet; the monitor waits for one"
        if wanted:
            words = f"no process or container is named {wanted} yet; {running_words(())}, and the "
            words += "monitor waits"
        self._output.say("note", words)

    def _tell_absent(self) -> None:
        """Report once the wanted processes that are missing while others run."""
        known = [one.status for one, _ in self._watched.values()]
        if not self._others or None in known:  # one process has not sent its name yet
            return
        names = {name for status in known if status for name in _names(status)}
        if absent := [printable(one) for one in self._settings.wanted if one not in names]:
            named = f"no process or container is named {' or '.join(absent)} yet"
            words = f"{named}; {running_words([*self._others])}"
            self._output.say("note", words)
        self._others = None

    async def _scan(self) -> None:
        """Begin to watch new processes, and drop those that have ended."""
        looks = asyncio.get_running_loop().run_in_executor(self._looks, lambda: [*addresses()])
        found = {address.path: address for address in await looks}
        for path, (process, task) in list(self._watched.items()):
            there = found.get(path)
            if task.done():
                self._drop(process, task)
            elif there != process.address and process.status is None:
                task.cancel()  # no process has ever listened there
                del self._watched[path]
        self._unwanted &= set(found.values())
        numbers = Counter(_whose(process.address) for process, _ in self._watched.values())
        for path, address in found.items():
            if path in self._watched or address in self._unwanted:
                continue
            user = _whose(address)
            if numbers[user] >= (MOST_PROCESSES if user == _OWN else MOST_OF_OTHERS):
                self._note_full(user)
                continue
            numbers[user] += 1
            process = Watched(address, self)
            self._watched[path] = (process, asyncio.ensure_future(process.run()))

    def _note_full(self, user: int) -> None:
        """Report once that not all processes of a user are watched."""
        if user in self._full:
            return
        self._full.add(user)
        whose = f"{MOST_PROCESSES} processes"
        if user != _OWN:
            whose = f"{MOST_OF_OTHERS} processes of user {user}"
        self._output.say("note", f"more than {whose}; the rest is not watched")

    def _drop(self, process: Watched, task: asyncio.Task[None]) -> None:
        del self._watched[process.address.path]
        if not process.ended:  # another process may have the name and inode of its socket
            self._unwanted.add(process.address)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            if os.environ.get("TAKT_DEBUG"):
                traceback.print_exception(type(error), error, error.__traceback__)
            words = f"internal error while it was watched: {type(error).__name__}: {error}"
            self.process_event(process, "remark", f"{process.words}: {words}")

    def _show_ros(self) -> None:
        """Pass the present state to the ROS thread."""
        if self._ros is None:
            return
        own = [one for one, _ in self._watched.values() if one.status and one.wanted]
        if not self._settings.log_only:  # the monitor with the lock publishes the other processes
            own = [one for one in own if self._locks.owns(one.address.path.parent)]
        self._ros.views = tuple(map(_view, own))
        self._ros.numbers = (*self._counts.items(), ("lines dropped", self._output.dropped))

    # The end.

    def _end_soon(self) -> None:
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()

    async def _end(self) -> bool:
        """Undo all changes, and end all programs and tasks."""
        self._stop.set()  # a signal from now on makes the end faster
        self._actions.ending = True
        processes = [one for one, _ in self._watched.values()]
        held = sum(len(one.changer) for one in processes)
        if held:
            words = f"gives back {how_many(held, 'changed attribute')}; Ctrl-C ends at once"
            self._output.say("note", words)
        for one in processes:
            one.changer.release_all()
        until = time.monotonic() + GIVE_BACK_S
        while any(len(one.changer) and not one.ended for one in processes):
            if self._hurry.is_set() or time.monotonic() >= until:
                break
            await asyncio.sleep(0.02)
        left = {one.words: len(one.changer) for one in processes if len(one.changer)}
        self._actions.questions.close()
        await self._actions.programs.close()
        closing = asyncio.ensure_future(self._actions.snapshots.close())
        hurry = asyncio.ensure_future(self._hurry.wait())
        await asyncio.wait({closing, hurry}, return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        tasks = [task for _, task in self._watched.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1)
        self._looks.shutdown(wait=False)
        self._locks.close()
        if self._ros is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._ros.close)
        self._say_end(held, left)
        return not left

    def _say_end(self, held: int, left: dict[str, int]) -> None:
        missing = sum(left.values())
        words = ["takt monitor ends"]
        if held - missing > 0:
            words.append(f"gave back {how_many(held - missing, 'attribute')}")
        for name, number in left.items():
            words.append(f"{how_many(number, 'attribute')} of {name} could not be given back")
        data: dict[str, Any] = {"given_back": max(0, held - missing), "not_given_back": missing}
        self._output.say("end", "; ".join(words), {**data, **self._counts})


def _whose(address: Address) -> int:
    """Give the user for a limit of processes; own ones and root's count together."""
    return _OWN if is_trusted(address.uid) else address.uid


def _allow_descriptors() -> None:
    """Raise the limit of open files to the system's: each watched process needs one."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if most == resource.RLIM_INFINITY else min(most, _DESCRIPTORS)
    if now != resource.RLIM_INFINITY and now < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _names(status: ProcessStatus) -> tuple[str, ...]:
    return str(status.pid), status.name, status.program


def _view(process: Watched) -> View:
    return View(
        name=process.name,
        pid=process.pid,
        answers=process.answers,
        why=process.why,
        status=process.status,
        figures=process.figures,
        alarms=tuple(process.active.values()),
    )


def _call(loop: asyncio.AbstractEventLoop, function: Any) -> None:
    with contextlib.suppress(RuntimeError):  # it has ended
        loop.call_soon_threadsafe(function)


@contextlib.contextmanager
def _signals(handler: Any) -> Iterator[None]:
    """Handle signals in the loop; ignored signals stay ignored."""
    loop = asyncio.get_running_loop()
    before: dict[signal.Signals, Any] = {}
    try:
        for number in _SIGNALS:
            old = signal.getsignal(number)
            if old is signal.SIG_IGN:
                continue
            with contextlib.suppress(ValueError, RuntimeError):  # not the main thread
                loop.add_signal_handler(number, handler)
                before[number] = old
        yield
    finally:
        for number, old in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, old)


def watch(settings: Settings, output: Output, ros: RosSide | str) -> bool:
    """Run a monitor to its end; returns whether all changes were undone and all lines written."""
    _allow_descriptors()
    try:
        return asyncio.run(Monitor(settings, output, ros).run())
    finally:
        output.close()


def split_ros_arguments(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the processes from the arguments for ROS, as in `a b --ros-args -p x:=1 -- c`."""
    own: list[str] = []
    for_ros: list[str] = []
    inside = False
    for word in words:
        if word == "--ros-args":
            inside = True
        elif inside and word == "--":
            inside = False
            for_ros.append(word)
            continue
        (for_ros if inside else own).append(word)
    return own, for_ros
