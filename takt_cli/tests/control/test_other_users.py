"""What another user puts beside the control sockets holds up nobody."""

import contextlib
import os
import socket
import threading
import time

import pytest
from support import fake_statistics
from support.fake_control import ERROR, RESULT, FakeProcess, executor, process, thread
from support.fake_statistics import statistics
from takt_cli.control import processes, side_by_side
from takt_cli.control.side_by_side import AT_ONCE_OF_OTHERS, LATE
from takt_cli.verbs.top import watch

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
def test_silent_sockets_of_another_user_are_told_in_brief(own, mute, patient, monkeypatch):
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
def test_top_asks_silent_processes_rarely(own, mute, patient):
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


SCHEDULE = """version: 1
executors:
  main: {threads: {hot: {}}, default: hot}
  foo: {threads: {hot: {}}, default: hot}
"""


def outcome(executor, *more):
    """Give the answer of a process with an executor of the name `executor`."""
    part = {"what": "threads hot", "outcome": "applied", "why": ""}
    return RESULT, {"executors": [{"name": executor, "parts": [part, *more]}], "not_in_file": []}


@pytest.fixture
def two_users(folder, tmp_path, monkeypatch):
    """Make two processes of the own user, two of a robot and two of a stranger."""
    (tmp_path / "s.yaml").write_text(SCHEDULE)
    places = {"own": folder}
    for name, uid in (("robot", STRANGER - 1), ("stranger", STRANGER)):
        places[name] = tmp_path / name
        places[name].mkdir()
        os.chown(places[name], uid, uid)
    monkeypatch.setattr(processes, "folders", lambda *_: places.values())
    with contextlib.ExitStack() as stack:

        def start(user, pid, having="main"):
            status = process(f"/opt/{user}", executor(having, [thread("hot")]))
            one = stack.enter_context(contextlib.closing(FakeProcess(places[user], pid, status)))
            one.apply = lambda request: outcome(having)
            return one

        yield start


def changed(one):
    """Tell whether a process was changed, not only asked."""
    return [request["check_only"] for request in one.asked(11)] == [True, False]


@needs_root
@pytest.mark.parametrize(
    "how", ["refuses", "hangs", "refuses later", "has rules that match nothing"]
)
def test_a_process_of_another_user_vetoes_that_users_processes_only(takt, two_users, hasty, how):
    own = [two_users("own", 4_000_001), two_users("own", 4_000_002)]
    robot = [two_users("robot", 4_000_003), two_users("robot", 4_000_004)]
    stranger = [two_users("stranger", 4_000_005), two_users("stranger", 4_000_006, "foo")]
    bad = stranger[1]
    if how == "refuses":
        bad.apply = lambda request: (ERROR, {"faults": ["s.yaml:1:1: I do not want it"]})
    elif how == "hangs":
        bad.apply = lambda request: bad.hang() or outcome("foo")
    elif how == "refuses later":
        bad.apply = lambda request: (
            outcome("foo") if request["check_only"] else (ERROR, {"faults": ["now I do not"]})
        )
    else:
        rule = {"what": "rule", "outcome": "skipped", "why": "s.yaml:3:4: x matches no callback"}
        bad.apply = lambda request: outcome("foo", rule)
    said = takt("apply", "s.yaml")
    assert all(map(changed, own + robot)), said.err
    assert said.code == 1
    assert not any(one.asked(12) for one in own + robot), "nothing was taken back"
    if how == "refuses later":
        assert stranger[0].asked(12), "all of the stranger's processes, or none"
        assert "refused the schedule, although it had agreed" in said.err
        # What became of all others is told.
        assert said.out.splitlines() == [
            f"{one.status['program'][5:]} (pid {one.path.stem}), executor main: "
            "threads hot: applied"
            for one in own + robot
        ] + ["s.yaml: 4 applied"]
    else:
        assert not any(map(changed, stranger))
        assert f"2 processes of user {STRANGER} were not changed: " in said.err
    # Named processes are changed all or none.
    named = [str(one.path.stem) for one in own + stranger]
    assert takt("apply", "s.yaml", *named).code in (1, 2)
    assert own[0].asked(11)[2]["check_only"]
    assert how in ("refuses later", "hangs") or len(own[0].asked(11)) == 3


@needs_root
def test_if_no_user_agrees_no_process_is_changed(takt, two_users):
    own = [two_users("own", 4_000_001), two_users("own", 4_000_002)]
    other = two_users("robot", 4_000_003)
    for one in (own[1], other):
        one.apply = lambda request: (ERROR, {"faults": ["s.yaml:1:1: no"]})
    said = takt("apply", "s.yaml")
    assert said.code == 2
    assert said.err.endswith(
        "takt: the schedule was refused; no process was changed; to change only those that agree, "
        "add 4000001\n"
    )
    assert not any(map(changed, [*own, other]))


def changes(kind, request):
    """Give the answer of a process that gives its thread another nice level."""
    one = {"executor": "main", "what": "thread hot.0", "faults": []}
    return RESULT, {"changed": [one | {"before": {"nice": 0}, "now": {"nice": 5}}]}


@needs_root
def test_what_set_changed_is_told_though_another_user_takes_it_back(takt, two_users):
    own, robot = two_users("own", 4_000_001), two_users("robot", 4_000_003)
    stranger = [two_users("stranger", 4_000_005), two_users("stranger", 4_000_006)]
    for one in (own, robot, stranger[0]):
        one.others = changes
    stranger[1].others = lambda kind, request: (
        changes(kind, request) if request.get("check_only") else (ERROR, {"faults": ["not now"]})
    )
    said = takt("set", "thread", "hot", "nice", "5")
    assert said.code == 1
    assert "stranger (pid 4000006) refused the change, although it had agreed" in said.err
    assert "stranger (pid 4000005) has the values from before again" in said.err
    assert "own (pid 4000001)" in said.out
    assert "robot (pid 4000003)" in said.out
    assert "stranger" not in said.out


@needs_root
def test_a_process_of_another_user_does_not_keep_set_from_the_others(takt, two_users):
    own, robot = two_users("own", 4_000_001), two_users("robot", 4_000_003)
    stranger = two_users("stranger", 4_000_005)
    own.others = robot.others = changes
    stranger.others = lambda *_: (ERROR, {"faults": ["I do not want it"]})
    said = takt("set", "thread", "hot", "nice", "5")
    assert said.code == 1
    assert (
        f"1 process of user {STRANGER} was not changed: stranger (pid 4000005) refuses" in said.err
    )
    assert [len(one.asked(16)) for one in (own, robot, stranger)] == [2, 2, 1]
    named = ["4000001", "4000005"]
    assert takt("set", "thread", "hot", "nice", "5", *named).code == 2
    assert len(own.asked(16)) == 3
