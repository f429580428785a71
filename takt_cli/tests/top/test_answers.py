"""Answers of any kind, and processes that come and go."""

import contextlib
import json
import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_json import spoiled
from support.fake_control import RESULT, FakeProcess, frame, message
from support.fake_statistics import S, callback, camera, chain, fusion, fusion_later, statistics
from support.looks import drawn, read, view
from takt_cli.control.client import Peer
from takt_cli.control.frames import NoAnswer, Refused
from takt_cli.control.read_statistics import ask_statistics, read_statistics
from takt_cli.verbs.top.layout import Size
from takt_cli.verbs.top.printed import document
from takt_cli.verbs.top.rates import Pair
from takt_cli.verbs.top.state import State
from takt_cli.verbs.top.tables import KINDS
from takt_cli.verbs.top.watch import ENDED_S, Answer, Watch

SEED = int(os.environ.get("TAKT_TEST_SEED", "1"))
ROUNDS = int(os.environ.get("TAKT_TEST_ROUNDS", "1"))


WRONG = {
    "nothing": (b"", "closed the connection without an answer"),
    "no JSON": (frame(RESULT, b"{no"), "not JSON"),
    "a version": (message(RESULT, {"schema": 2}), "figures of version 2"),
    "a wrong kind": (message(RESULT, {"schema": 1, "executors": 5}), "executors is 5 where a list"),
    "a negative count": (
        message(RESULT, statistics("/p", callbacks=[callback("/a:timer(1s)", starts=-1)])),
        "executors[0].callbacks[0].starts is -1 where a number from 0 on",
    ),
    "a long window": (
        message(RESULT, statistics("/p", chains=[chain("c", misses_in_window=[1, 2, 3])])),
        "misses_in_window has 3 values in place of 2",
    ),
    "a huge number": (
        message(RESULT, statistics("/p", chains=[chain("c", response={"max_ns": 10**309})])),
        "where a number from",
    ),
    "not a number": (
        message(RESULT, statistics("/p", chains=[chain("c", response={"mean_ns": float("nan")})])),
        "mean_ns is nan where a number",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_one_line_and_others_are_shown(once, start, case):
    answer, why = WRONG[case]
    start(answer)
    start(fusion(), fusion_later())
    said = once()
    assert said.code == 1
    (line,) = said.err.splitlines()
    assert line.startswith("process 4000001 ")
    assert why in line
    assert "brake" in said.out


def test_random_bytes_never_end_in_a_traceback(start):
    chance = random.Random(SEED)
    one = start(b"")
    whole = message(RESULT, fusion())
    for round_ in range(100 * ROUNDS):
        answer = bytearray(whole)
        for _ in range(chance.randint(1, 20)):
            answer[chance.randrange(len(answer))] = chance.randrange(256)
        one.looks = [bytes(answer) if round_ % 4 else chance.randbytes(chance.randint(0, 99))]
        with contextlib.suppress(NoAnswer, Refused):
            told = view(Pair(None, ask_statistics(one.path, 1, 5)))
            json.dumps(document(told))


@given(
    told=spoiled(fusion_later()),
    size=st.builds(Size, st.integers(1, 130), st.integers(1, 30)),
)
@settings(max_examples=200 * ROUNDS, deadline=None)
def test_any_json_is_drawn_or_refused(told, size):
    try:
        found = view(Pair(read(fusion()), read_statistics(told, Peer(0, 0), 4711)))
    except NoAnswer as error:
        assert "damaged data" in str(error) or "figures of version" in str(error)
        return
    json.dumps(document(found))
    for shown in KINDS:
        drawn(found, State(shown=shown), size)


def test_a_process_of_an_older_takt_is_told_in_one_line(once, start):
    start({}, kind=FakeProcess)
    said = once()
    assert said.code == 1
    assert "process 4000001 refuses to tell its figures: message 17 is unknown" in said.err


def test_a_process_that_ends_is_told_for_some_seconds_and_then_forgotten():
    now = [0.0]
    watch = Watch(places=[], clock=lambda: now[0])
    path = Path("/r/4711.sock")
    watch.take(Answer(path, 4711, read(fusion())))
    watch.take(Answer(path, 4711, read(fusion_later())))
    (shown,) = watch.view().pairs
    assert shown.ns == S
    watch.ask()  # its socket is gone
    assert watch.view().pairs == ()
    assert watch.view().troubles() == ["fusion (pid 4711) has ended"]
    now[0] = ENDED_S + 1
    assert watch.view().troubles() == []


def test_a_process_that_starts_again_has_no_rates_of_the_run_before():
    watch = Watch(places=[])
    path = Path("/r/4711.sock")
    watch.take(Answer(path, 4711, read(fusion())))
    watch.take(Answer(path, 4711, read(fusion_later() | {"since_ns": 100 * S})))
    assert watch.view().pairs[0].before is None
    assert watch.view().troubles() == ["fusion (pid 4711) has ended"]


def test_a_silent_process_is_not_shown_with_old_figures():
    watch = Watch(places=[])
    path = Path("/r/4711.sock")
    watch.take(Answer(path, 4711, read(fusion())))
    watch.take(Answer(path, 4711, why="does not answer within 2 s"))
    assert watch.view().pairs == ()
    assert watch.view().troubles() == ["process 4711 does not answer within 2 s (/r/4711.sock)"]
    watch.take(Answer(path, 4711, read(fusion_later())))
    assert watch.view().pairs[0].ns == S
    assert watch.view().troubles() == []


def test_a_process_that_hangs_does_not_hold_up_the_others(start, folder):
    start(fusion()).hangs.set()
    start(camera())
    watch = Watch(timeout_s=1)
    watch.ask()
    while not watch.collect():
        time.sleep(0.001)
    assert [one.now.name for one in watch.view().pairs] == ["camera"]
    assert watch.waits
    watch.ask()  # the one that hangs is not asked twice
    watch.settle()
    assert "does not answer within 1 s" in watch.view().troubles()[0]


def test_very_many_processes_are_asked_in_turn(start, folder):
    for _ in range(40):
        start(camera())
    watch = Watch()
    watch.ask()
    watch.settle()
    assert len(watch.view().pairs) == 40


def test_processes_are_chosen_by_number_and_name(once, start):
    start(camera(), pid=4_000_001)
    start(fusion(), pid=4_000_002)
    for word, name in (("camera", "camera"), ("4000002", "fusion"), ("/opt/robot/lib/fusion",) * 2):
        told = json.loads(once("--json", word).out)
        assert [one["process"] for one in told["processes"]] == [name.rpartition("/")[2]]
    said = once("fusion", "sing")
    assert said.code == 2
    assert said.out == ""
    assert (
        "no process or container under takt has the number or the program name 'sing'; running: "
        "camera (pid 4000001), fusion (pid 4000002)\n"
    ) in said.err


@pytest.mark.usefixtures("folder")
def test_a_name_without_any_process_says_that_none_runs(once):
    said = once("sing")
    assert (said.code, said.out) == (2, "")
    assert "the program name 'sing'; none runs under takt\n" in said.err
