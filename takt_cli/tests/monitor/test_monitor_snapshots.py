"""Snapshots that are under way when the monitor ends."""

import asyncio
import os
import threading
from types import SimpleNamespace

import pytest
from support.fake_alarms import alarm, wait_for
from takt_cli.verbs.monitor import snapshots
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.watched import Address

GIVEN_UP = (False, "was given up, because the monitor ends")
KEYS = ("one", "other", "late")


class Process:
    """Stands in for Watched: its trace is there, and it answers when it is told to."""

    name, pid, uid = "fusion", 1, os.geteuid()

    def __init__(self, folder):
        self.address = Address(folder / "1.sock", 1, (1, 1))
        self.trace = folder / "1.trace"
        self.trace.write_text("records")
        self.asked, self.answers = asyncio.Event(), asyncio.Event()
        self.connection = SimpleNamespace(ask=self._ask)

    async def _ask(self, *_):
        self.asked.set()
        await self.answers.wait()
        return {"file": str(self.trace), "faults": []}


@pytest.fixture
def closed_when(tmp_path):
    """Close while a snapshot is under way; gives what each alarm was told, and the process."""

    async def run(under_way):
        told = {key: [] for key in KEYS}
        process = Process(tmp_path)
        taking = snapshots.Snapshots(tmp_path / "moved", 100)

        def take(key):
            tell = lambda good, words: told[key].append((good, words))  # noqa: E731
            taking.take(process, Alarm.read(alarm(1)), tell)

        take("one")
        take("other")
        await process.asked.wait()
        goes_on = await under_way(process)
        closing = asyncio.ensure_future(taking.close())
        await asyncio.sleep(0)  # it has begun
        take("late")
        goes_on()
        await closing
        return told, process

    return lambda under_way: asyncio.run(run(under_way))


def check_moved(told, process):
    """Check that the file is where the alarm was told that it is."""
    (file,) = (process.trace.parent / "moved").iterdir()
    assert told["one"] == [(True, f"is in {file}")]
    assert file.read_text() == "records"
    assert not process.trace.exists()
    assert [len(told[key]) for key in KEYS] == [1, 1, 1]


def test_a_process_that_has_not_answered_at_the_end_is_given_up(closed_when):
    async def nothing_happens(_):
        return lambda: None

    told, process = closed_when(nothing_happens)
    assert told == {key: [GIVEN_UP] for key in KEYS}
    assert process.trace.exists()


def test_a_file_that_is_being_moved_at_the_end_is_told(closed_when, monkeypatch):
    moves, goes_on = threading.Event(), threading.Event()
    move = snapshots._move

    def slow(*arguments):
        moves.set()
        goes_on.wait(30)
        return move(*arguments)

    async def moving(process):
        process.answers.set()
        await asyncio.to_thread(wait_for, moves.is_set)
        return goes_on.set

    monkeypatch.setattr(snapshots, "_move", slow)
    told, process = closed_when(moving)
    check_moved(told, process)


def test_a_file_whose_process_has_just_answered_at_the_end_is_moved(closed_when):
    async def answering(process):
        process.answers.set()
        return lambda: None

    told, process = closed_when(answering)
    check_moved(told, process)


def test_the_end_of_the_monitor_tells_each_alarm_of_its_snapshot(start, monitor):
    one = start()
    one.raw = {15: b""}  # it never answers
    watching = monitor()
    snapshot = {"actions": [{"log": True}, {"snapshot": True}]}
    one.push(alarm(1, **snapshot), alarm(2, kind="lost", **snapshot))
    watching.heard("lost of chain")
    wait_for(lambda: one.counts.get(15))
    told = [line for line in watching.end() if f"snapshot {GIVEN_UP[1]}" in line]
    assert len(told) == 2
