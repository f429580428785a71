"""Ctrl-C while processes are changed: all of them are, or none."""

import json
import os
import signal

import pytest
from support.closing import each_numbered
from support.fake_control import ERROR, RESULT, FakeProcess, executor, process, thread

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PART = {"what": "threads hot", "outcome": "applied", "why": ""}
DONE = RESULT, {"executors": [{"executor": "main", "parts": [PART]}], "not_in_file": []}


@pytest.fixture
def interrupts():
    """As in a shell, whatever ignores them where the tests run."""
    before = {one: signal.signal(one, signal.default_int_handler) for one in SIGNALS}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.fixture
def three(folder):
    status = process("/opt/robot", executor("main", [thread("hot")]))
    with each_numbered(lambda pid: FakeProcess(folder, pid, status)) as call:
        yield [call() for _ in range(3)]


def interrupted(one, answer, number):
    """Answer, and interrupt this program before that."""

    def answered(request=None):
        if not (request and request.get("check_only")):
            os.kill(os.getpid(), number)
        return answer

    one.apply = answered
    one.reset = answered


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("number", SIGNALS)
def test_apply_changes_all_or_none(takt, three, tmp_path, number):
    schedule = tmp_path / "schedule.yaml"
    schedule.write_text("version: 1\nexecutors: {main: {threads: {hot: {}}, default: hot}}\n")
    for one in three:
        one.apply = lambda request: DONE
    interrupted(three[1], DONE, number)
    said = takt("apply", str(schedule))
    assert said.code == 130
    assert "3 applied" in said.out
    assert "interrupted, after the processes were changed" in said.err
    applied = [[one["check_only"] for one in each.asked(11)] for each in three]
    assert applied == [[True, False]] * 3


@pytest.mark.usefixtures("interrupts")
def test_what_was_taken_back_is_not_told_as_changed(takt, three, tmp_path):
    schedule = tmp_path / "schedule.yaml"
    schedule.write_text("version: 1\nexecutors: {main: {threads: {hot: {}}, default: hot}}\n")
    interrupted(three[0], DONE, signal.SIGINT)
    three[0].reset = three[2].apply = lambda request=None: DONE
    three[1].apply = lambda request: (
        DONE if request["check_only"] else (ERROR, {"faults": ["raced"]})
    )
    said = takt("apply", str(schedule))
    assert said.code == 130
    assert "has the attributes from before this takt apply again" in said.err
    assert "interrupted, after the change was taken back" in said.err


@pytest.mark.usefixtures("interrupts")
def test_reset_resets_all(takt, three):
    interrupted(three[0], DONE, signal.SIGINT)
    for one in three[1:]:
        one.reset = lambda: DONE
    said = takt("reset")
    assert said.code == 130
    assert "3 applied" in said.out
    assert "interrupted, after the processes were reset" in said.err
    assert [len(each.asked(12)) for each in three] == [1, 1, 1]


@pytest.mark.usefixtures("interrupts")
def test_set_changes_all_or_none(takt, three):
    def changed(kind, request):
        if not request.get("check_only"):
            os.kill(os.getpid(), signal.SIGINT)
        one = {"executor": "main", "what": "thread hot.0", "faults": []}
        return RESULT, {"changed": [one | {"before": {"nice": 0}, "now": {"nice": 5}}]}

    for one in three:
        one.others = changed
    said = takt("set", "thread", "hot", "nice", "5", "--json")
    assert said.code == 130
    assert len(json.loads(said.out)["processes"]) == 3
    assert [len([r for k, r in each.requests if k == 16]) for each in three] == [2, 2, 2]
