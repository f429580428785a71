"""Compares the attributes of threads with the requested ones; tables and a sentence about it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any

from takt_cli.base.units import how_many
from takt_cli.control.attributes import Attributes, differences
from takt_cli.control.processes import Found, Process
from takt_cli.tables.table import Cell, Mood, Table

SCHEMA = 1
_NAMED = 3
_MORE_LOOKS = 2


class State(str, Enum):
    """The result of the comparison for one thread."""

    as_asked = "as asked"
    not_granted = "not granted"
    changed = "changed since by somebody else"
    not_running = "not running"
    other = ""  # no schedule says anything of it


_MOODS: dict[State, Mood] = {
    State.as_asked: "",
    State.not_granted: "bad",
    State.changed: "bad",
    State.not_running: "weak",
    State.other: "weak",
}


@dataclass(frozen=True)
class Judged:
    """One thread of a process, compared."""

    executor: str
    name: str
    tid: int
    group: str
    asked: Attributes | None
    now: Attributes
    state: State
    differs: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        """Tell whether a requested attribute is missing."""
        return bool(self.differs)


def judge(process: Process) -> list[Judged]:
    """Compare all threads of a process: executor threads first."""
    return [*_executor_threads(process), *_process_threads(process)]


def differs(process: Process) -> bool:
    """Tell whether any thread of the process lacks a requested attribute."""
    return any(thread.wrong for thread in judge(process))


def _executor_threads(process: Process) -> Iterator[Judged]:
    for executor in process.status.executors:
        for thread in executor.threads:
            state, found = State.not_running, ()
            if thread.runs:
                state, found = _compared(
                    thread.asked, thread.granted, thread.now, follows=thread.follow
                )
            yield Judged(
                executor.name, thread.name, thread.tid, thread.group, thread.asked, thread.now,
                state, found, thread.faults,
            )  # fmt: skip


def _process_threads(process: Process) -> Iterator[Judged]:
    for thread in process.status.process_threads:
        state, found = State.other, ()
        if thread.asked is not None:
            state, found = _compared(thread.asked, thread.granted or thread.now, thread.now)
        if thread.now.policy == "inherit":
            state, found = State.not_running, ()
        yield Judged(
            "", thread.name, thread.tid, "", thread.asked, thread.now, state, found, thread.faults
        )


def _compared(
    asked: Attributes, granted: Attributes, now: Attributes, *, follows: bool = False
) -> tuple[State, tuple[str, ...]]:
    found = differences(asked, now, follows=follows)
    since = differences(granted.only_what(asked), now, follows=follows)
    wrong = State.changed if since else State.not_granted
    return (wrong if found else State.as_asked), found


def settled(found: Found, again: Callable[[], Found], pause_s: float = 0.02) -> Found:
    """Read threads that differ again, and keep the reading without a difference.

    A thread raises itself to the middleware ceiling for some microseconds at each message. A
    lasting change shows in each reading.
    """
    for _ in range(_MORE_LOOKS):
        if not any(map(differs, found.processes)):
            break
        time.sleep(pause_s)
        looks = {process.socket: process for process in again().processes}
        better = (_better(one, looks.get(one.socket, one)) for one in found.processes)
        found = replace(found, processes=tuple(better))
    return found


def _better(first: Process, second: Process) -> Process:
    right = {
        (one.executor, one.name, one.tid): one.now
        for one in _executor_threads(second)
        if not one.wrong
    }
    executors = tuple(
        replace(
            executor,
            threads=tuple(
                replace(thread, now=right.get((executor.name, thread.name, thread.tid), thread.now))
                for thread in executor.threads
            ),
        )
        for executor in first.status.executors
    )
    return replace(first, status=replace(first.status, executors=executors))


def is_good(found: Found) -> bool:
    """Whether every process answered and every thread has what was asked."""
    return not found.silent and not any(map(differs, found.processes))


def headline(found: Found) -> str:
    """Write one sentence: '2 processes, 9 threads: 8 as asked, 1 not: hot of talk (pid 7)'."""
    counted = [
        (process, thread)
        for process in found.processes
        for thread in judge(process)
        if thread.asked is not None
    ]
    wrong = [(process, thread) for process, thread in counted if thread.wrong]
    idle = sum(thread.state == State.not_running for _, thread in counted)
    right = len(counted) - len(wrong) - idle
    parts = [f"{right} as asked" if wrong or idle else "all as asked"] if counted else []
    if idle:
        parts.append(f"{idle} not running")
    if wrong:
        names = [f"{thread.name} of {process.words}" for process, thread in wrong[:_NAMED]]
        more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        parts.append(f"{len(wrong)} not: {', '.join(names)}{more}")
    text = f"{how_many(len(found.processes), 'process')}, {how_many(len(counted), 'thread')}"
    if parts:
        text += f": {', '.join(parts)}"
    set_values = sum(
        len(executor.set_values)
        for process in found.processes
        for executor in process.status.executors
    )
    if set_values:
        text += f"; {how_many(set_values, 'value')} changed since the schedule"
    if found.silent:
        number = sum(1 + one.more for one in found.silent)
        text += f"; {how_many(number, 'process')} {'does' if number == 1 else 'do'} not answer"
    return text


def table_of(process: Process, everything: bool) -> Table:
    """Make the table of one process; `everything`: also threads without requested attributes."""
    status = process.status
    shown = [one for one in judge(process) if everything or one.asked is not None]
    grouped = any(one.group for one in shown)
    columns = [
        "executor",
        "thread",
        "tid",
        *(["group"] if grouped else []),
        "asked",
        "has",
        "state",
    ]
    table = Table(
        f"{status.name} (pid {status.pid}, user {status.user}): {status.program}",
        columns,
        words=len(columns),
    )
    for one in shown:
        table.add(
            one.executor or "–",
            one.name,
            str(one.tid) if one.tid else "–",
            *([one.group or "–"] if grouped else []),
            _asked_words(one.asked),
            Cell(str(one.now) if one.state != State.not_running else "–", _MOODS[one.state]),
            Cell(_mark(one), _MOODS[one.state]),
        )
    table.notes += [f"schedule of {name}: {file}" for name, file in _schedules(process)]
    table.notes += [
        f"phases of {executor.name}: {executor.phases}"
        for executor in status.executors
        if executor.phases is not None
    ]
    table.notes += _ways(process)
    table.notes += [
        f"changed since the schedule of {executor.name} by takt set or takt monitor: {one}"
        for executor in status.executors
        for one in executor.set_values
    ]
    table.notes += _fault_notes(shown)
    if not everything:
        hidden = sum(thread.asked is None for thread in status.process_threads)
        if hidden:
            table.notes.append(f"{how_many(hidden, 'other thread')}: --all lists them")
    return table


def _asked_words(asked: Attributes | None) -> str:
    return "–" if asked is None else str(asked)


def _mark(one: Judged) -> str:
    if not one.wrong:
        return one.state.value or "–"
    return f"{one.state.value}: {', '.join(one.differs)}"


def _schedules(process: Process) -> Iterator[tuple[str, str]]:
    for executor in process.status.executors:
        if executor.schedule:
            epoch = f", epoch {executor.epoch}" if executor.epoch not in ("", "start") else ""
            yield executor.name, executor.schedule + epoch


def _ways(process: Process) -> Iterator[str]:
    """Name the subscriptions whose messages do not come by the middleware alone."""
    words = {"shared_memory": "by shared memory", "pointer": "by pointer"}
    for way, by in words.items():
        named = [
            callback.id
            for executor in process.status.executors
            for callback in executor.callbacks
            if callback.transport == way
        ]
        if named:
            more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            yield f"messages {by}: {', '.join(named[:_NAMED])}{more}"


def _fault_notes(shown: Sequence[Judged]) -> list[str]:
    """Explain the kernel's refusals: each reason once, with the first thread that it concerns."""
    threads: dict[str, list[str]] = {}
    for one in shown:
        if one.wrong:
            for fault in one.faults:
                threads.setdefault(fault, []).append(one.name)
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {fault}"
        for fault, names in threads.items()
    ]


def as_json(found: Found, everything: bool) -> dict[str, Any]:
    """Give the whole comparison for programs."""
    states = Counter(
        thread.state.name
        for process in found.processes
        for thread in judge(process)
        if thread.asked is not None
    )
    return {
        "schema": SCHEMA,
        "ok": bool(found.processes) and is_good(found),
        "headline": headline(found),
        "counts": {
            state.name: states.get(state.name, 0) for state in State if state != State.other
        },
        "processes": [_process_json(process, everything) for process in found.processes],
        "silent": [one.as_json() for one in found.silent],
    }


def _process_json(process: Process, everything: bool) -> dict[str, Any]:
    status = process.status
    data = asdict(status)
    del data["process_threads"]
    judged = iter(list(_executor_threads(process)))  # in the same order
    for executor in data["executors"]:
        for thread in executor["threads"]:
            one = next(judged)
            thread |= {"state": one.state.name, "differs": list(one.differs)}
    data["process_threads"] = [
        {
            "tid": one.tid,
            "name": one.name,
            "asked": None if one.asked is None else one.asked.as_json(),
            "now": one.now.as_json(),
            "state": one.state.name,
            "differs": list(one.differs),
        }
        for one in _process_threads(process)
        if everything or one.asked is not None
    ]
    return data
