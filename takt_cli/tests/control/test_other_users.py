"""What another user puts beside the control sockets holds up nobody."""

import contextlib
import os
import socket
import threading
import time

import pytest
from support import fake_statistics
from support.fake_control import RESULT, FakeProcess, executor, process, thread
from support.fake_statistics import statistics
from takt_cli.control import processes, side_by_side
from takt_cli.control.side_by_side import AT_ONCE_OF_OTHERS, LATE
from takt_cli.top import watch

STRANGER = 4242
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root sees other users' folders")


@pytest.fixture
def mute(tmp_path):
    """Make a folder of another user with sockets that accept and never answer."""
    place = tmp_path / "stranger"
    place.mkdir()
    listening = []

    def make(number):
        for index in range(number):
            one = socket.socket(socket.AF_UNIX)
            one.bind(str(place / f"{5_000_000 + index}.sock"))
            one.listen(8)
            listening.append(one)
        os.chown(place, STRANGER, STRANGER)
        return place

    yield make
    for one in listening:
        one.close()


@pytest.fixture
def own(folder):
    status = process("/opt/own", executor("main", [thread("hot")]))
    with contextlib.closing(FakeProcess(folder, 4_000_001, status)) as one:
        one.others = lambda *_: (RESULT, statistics("/opt/own", [fake_statistics.thread("hot")]))
        yield folder


def test_what_another_user_is_late_for_is_given_up():
    began, lock = [], threading.Lock()

    def do(item):
        with lock:
            began.append(item)
        if item >= 100:
            time.sleep(0.2)
        return item

    items = [*range(100, 400), *range(10)]
    uid_of = lambda item: STRANGER if item >= 100 else -1  # noqa: E731
    results = side_by_side.side_by_side(items, uid_of, do, 0.1, lambda item: -item)
    assert [abs(one) for one in results] == items
    assert results[-10:] == [*range(10)]
    assert len([item for item in began if item >= 100]) <= 2 * AT_ONCE_OF_OTHERS
    assert min(results) < 0


@needs_root
def test_silent_sockets_of_another_user_are_told_in_brief(own, mute, monkeypatch):
    asked = []
    ask = processes.ask
    monkeypatch.setattr(
        processes, "ask", lambda path, *more: (asked.append(path), ask(path, *more))[1]
    )
    found = processes.find(places=[mute(200), own], timeout_s=0.2)
    assert [one.status.name for one in found.processes] == ["own"]
    assert sum(1 + one.more for one in found.silent) == 200
    assert len(found.silent) == 6
    assert str(found.silent[-1]).startswith(
        f"process 5000005 and 194 more of user {STRANGER} do not answer ("
    )
    assert found.silent[-1].as_json()["more"] == 194
    assert len(asked) <= 1 + 2 * AT_ONCE_OF_OTHERS


@needs_root
def test_files_of_another_user_are_looked_at_up_to_a_number(own, mute, monkeypatch):
    monkeypatch.setattr(processes, "_MOST_OF_OTHERS", 50)
    place = mute(60)
    found = processes.sockets([place, own], 0)
    assert len(found) == 51
    assert found[0].path.parent == own
    assert {one.uid for one in found[1:]} == {STRANGER}


@needs_root
def test_top_asks_silent_processes_rarely(own, mute):
    now = [100.0]
    looks = watch.Watch(places=[mute(100), own], timeout_s=0.2, clock=lambda: now[0])
    looks.ask()
    assert sum(one.asked for one in looks._known.values()) == AT_ONCE_OF_OTHERS + 1
    now[0] += 0.3
    looks.settle()
    view = looks.view()
    assert [pair.now.name for pair in view.pairs] == ["own"]
    assert sum(1 + one.more for one in view.silent) == 100
    assert any(one.why == LATE for one in looks._known.values())
    # Those that were asked rest; the next look is for others of them.
    before = {path for path, one in looks._known.items() if one.rest_s}
    assert len(before) == AT_ONCE_OF_OTHERS
    now[0] += 0.3
    looks.ask()
    assert not any(looks._known[path].asked for path in before)
    now[0] += 0.3
    looks.settle()
