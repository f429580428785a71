"""`takt monitor` and processes that hang, send garbage, or send too much."""

import os
import random
import socket
import time

import pytest
from support.fake_alarms import (
    ALARM,
    RAISE,
    STATISTICS,
    SUBSCRIBE,
    alarm,
    wait_for,
)
from support.fake_control import RESULT, frame, message
from takt_cli.results.fields import DamagedError
from takt_cli.verbs.monitor import watched
from takt_cli.verbs.monitor.alarm import Alarm

SEED = int(os.environ.get("TAKT_TEST_SEED", "1"))
ROUNDS = int(os.environ.get("TAKT_TEST_ROUNDS", "1"))


BAD = {
    "garbage": b"GET / HTTP/1.1\r\n\r\n",
    "another version": frame(ALARM, b"{}", version=9),
    "a long frame": frame(ALARM, b"", length=1 << 30),
    "no JSON": frame(ALARM, b"{no"),
    "a list": frame(ALARM, b"[]"),
    "an unknown type": frame(999, b"{}"),
    "an answer to no question": frame(RESULT, b"{}"),
    "an empty part": frame(20, b""),
    "too much": frame(20, b" " * (64 << 10)) * 70,
}


@pytest.mark.parametrize("case", BAD)
def test_bytes_that_are_no_message_end_the_connection_only(start, monitor, case):
    bad, good = start("bad"), start("good")
    watching = monitor()
    for name in ("bad", "good"):
        watching.heard(f"{name} (pid")
    bad.push(BAD[case])
    # While the monitor asks something, an answer is to that question: such bytes come again.
    again = (BAD[case],) if case == "an answer to no question" else ()
    wait_for(lambda: bad.counts[SUBSCRIBE] >= 2 or bad.push(*again))  # it gets another chance
    good.push(alarm(1))
    watching.heard("good (pid 4000002): deadline")


DAMAGED = [
    {"kind": "fire"},
    {"actions": [5]},
    {"actions": [{"run": []}]},
    {"actions": [{"run": "rm -rf /"}]},
    {"actions": [{"priority": 900}]},
    {"actions": [{"priority": True}]},
    {"actions": [{"thread": {"name": "hot", "nice": -99}}]},
    {"actions": [{"set_parameter": {"node": "/n", "name": "x", "value": {}}}]},
    {"value": "much"},
    {"chain": "x" * 10_000},
    {"cause": []},
]


def test_damaged_alarms_are_told_once_and_do_nothing(start, monitor):
    one = start()
    watching = monitor()
    for damaged in DAMAGED:
        one.push(*[alarm(1, **damaged)] * 3)
    one.push(alarm(2))
    watching.heard("deadline of chain hot_path")
    assert one.counts[SUBSCRIBE] == 1
    told = watching.said.words("process")
    assert len([line for line in told if "sent a damaged alarm" in line]) == 1
    assert one.sets == []


@pytest.mark.parametrize("damaged", DAMAGED)
def test_each_damaged_alarm_is_told(damaged):
    with pytest.raises(DamagedError):
        Alarm.read(alarm(1, **damaged))


def test_damaged_statistics_are_told_once(start, monitor, hasty):
    one = start()
    one.statistics["time_ns"] = -1
    watching = monitor()
    watching.heard("answered with damaged data: time_ns is -1")
    asked = one.counts[STATISTICS]
    wait_for(lambda: one.counts[STATISTICS] > asked + 3)
    assert len([line for line in watching.end() if "damaged" in line]) == 1


def test_control_characters_reach_no_terminal(start, monitor):
    one = start()
    watching = monitor()
    one.push(alarm(1, chain="\x1b[2Jhot\n", stack=["\x07main"]))
    (line,) = watching.heard("deadline of chain")
    assert line.isprintable()
    assert "\\x1b[2Jhot" in line


def test_random_bytes_never_end_the_monitor(start, monitor, monkeypatch):
    monkeypatch.setattr(watched, "RETRY_S", 0.001)
    monkeypatch.setattr(watched, "_SLOWEST_RETRY_S", 0.001)
    chance = random.Random(SEED)
    bad, good = start("bad"), start("good")
    watching = monitor()
    whole = message(ALARM, alarm(1, actions=RAISE))
    for round_ in range(50 * ROUNDS):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        bad.push(bytes(data) if round_ % 3 else chance.randbytes(50))
        if round_ % 5 == 0:
            bad.drop_clients()
    good.push(alarm(1))
    watching.heard("good (pid 4000002): deadline")
    assert not [line for line in watching.said.words() if "internal error" in line]


def test_a_process_that_never_answers_delays_no_other_and_comes_back(start, monitor, hasty):
    hung, good = start("hung"), start("good")
    watching = monitor()
    watching.heard("hung (pid 4000001) is watched")
    hung.hangs.set()
    watching.heard("hung (pid 4000001) does not answer within 0.3 s")
    for sequence in range(1, 20):
        state = "raised" if sequence % 2 else "cleared"
        good.push(alarm(sequence, state))
    watching.heard("is over", 9)
    hung.hangs.clear()
    watching.heard("hung (pid 4000001) is watched again")


def test_a_process_that_hangs_from_the_start_does_not_hold_up_the_end(start, monitor):
    start("hung").hangs.set()
    watching = monitor(duration_s=0.5)
    wait_for(lambda: watching.good is not None)
    assert watching.good is True


def test_a_socket_nobody_listens_at_is_passed_over(folder, start, monitor):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "4999999.sock"))
    (folder / "note.txt").touch()
    start()
    watching = monitor()
    watching.heard("is watched")
    assert not any("4999999" in line for line in watching.end())


def test_a_flood_of_alarms_is_read_slowly_and_others_have_their_turn(start, monitor, monkeypatch):
    monkeypatch.setattr(watched, "ANSWER_S", 60.0)
    flood, good = start("flood"), start("good")
    watching = monitor()
    good.push(alarm(1))
    watching.heard("good (pid 4000002): deadline")
    alarms = [
        alarm(n, kind="lost", chain=f"c{n}", actions=[{"log": True}, {"priority": 5}])
        for n in range(1, 3000)
    ]
    began = time.monotonic()
    for start_ in range(0, len(alarms), 100):
        flood.push(*alarms[start_ : start_ + 100])
        if time.monotonic() - began > 1:
            break
    good.push(alarm(2, "cleared"))
    watching.heard(
        "good (pid 4000002): deadline of chain hot_path, callback /n:sub(/points) is over"
    )
    process = next(one for one, _ in watching.monitor._watched.values() if one.name == "flood")
    assert len(process.active) <= watched.MOST_ACTIVE
    assert len(process.changer) <= 500


def test_a_process_without_these_messages_is_told_in_one_line(start, monitor):
    one = start("old")
    one.raw = {kind: message(101, {"faults": ["message is unknown"]}) for kind in (17, 18)}
    watching = monitor()
    watching.heard("old (pid 4000001) gives no statistics: message is unknown")
    watching.heard("old (pid 4000001) gives no alarms: message is unknown")
    assert len(watching.end()) == 5
