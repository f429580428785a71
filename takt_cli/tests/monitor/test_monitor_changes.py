"""The attributes that `takt monitor` changes, and gives back."""

import os
import random
import time
from types import SimpleNamespace

import pytest
from support.fake_alarms import (
    PATIENCE_S,
    RAISE,
    alarm,
    wait_for,
)
from takt_cli.verbs.monitor import monitor as loop
from takt_cli.verbs.monitor.alarm import Target
from takt_cli.verbs.monitor.changes import Before, Changes

SEED = int(os.environ.get("TAKT_TEST_SEED", "1"))
ROUNDS = int(os.environ.get("TAKT_TEST_ROUNDS", "1"))


def test_a_priority_is_given_back_when_the_alarm_is_cleared(start, monitor):
    one, other, stranger = start(), start("other"), start("stranger")
    stranger.values.clear()
    watching = monitor()
    watching.heard("is watched", 3)
    one.push(alarm(1, actions=RAISE))
    one.push(alarm(2, actions=RAISE))  # the same alarm again: not twice
    wait_for(lambda: (one.value(), other.value()) == (200, 200))
    watching.heard("fusion (pid 4000001): priority of chain hot_path 10 → 200")
    wait_for(lambda: stranger.sets)
    one.push(alarm(3, "cleared", actions=[]))
    wait_for(lambda: (one.value(), other.value()) == (10, 10))
    watching.heard("other (pid 4000002): priority of chain hot_path given back: 200 → 10")
    assert len(one.sets) == len(other.sets) == 2
    assert stranger.sets == [{"chain": "hot_path", "priority": 200}]
    assert not any("stranger" in line and "priority" in line for line in watching.end())


def test_all_kinds_of_changes_are_asked_and_given_back_at_the_end(start, monitor):
    one = start()
    one.values |= {
        ("callback", "/n:sub(/points)", "priority"): None,
        ("callback", "/n:sub(/points)", "threads"): ["rest"],
        ("thread", "hot", "priority"): 10,
        ("thread", "cold", "nice"): 0,
    }
    before = dict(one.values)
    watching = monitor()
    actions = [
        {"priority": 90},
        {"threads": ["hot", "warm"]},
        {"thread": {"name": "hot", "priority": 80}},
        {"thread": {"name": "cold", "nice": -5}},
    ]
    one.push(alarm(1, chain=None, actions=actions))
    wait_for(lambda: len(one.sets) == 4)
    assert one.value("/n:sub(/points)", "callback", "threads") == ["hot", "warm"]
    assert one.sets[2] == {"executor": "main", "thread": "hot", "priority": 80}
    assert watching.end()[-1] == "takt monitor ends; gave back 4 attributes"
    assert one.values == before
    assert watching.good is True


def test_two_alarms_hold_one_attribute_until_both_are_over(start, monitor):
    one = start()
    monitor()
    one.push(alarm(1, actions=RAISE), alarm(2, kind="lost", actions=[{"priority": 220}]))
    wait_for(lambda: one.value() == 220)
    one.push(alarm(3, "cleared", kind="lost"))
    wait_for(lambda: one.value() == 200)
    one.push(alarm(4, "cleared"))
    wait_for(lambda: one.value() == 10)


def test_a_refused_change_is_told_and_not_given_back(start, monitor):
    one = start()
    one.refuses = "chain hot_path: not now"
    watching = monitor()
    one.push(alarm(1, actions=RAISE))
    watching.heard("priority of chain hot_path was refused: chain hot_path: not now")
    one.refuses = ""
    one.push(alarm(2, "cleared"))
    watching.heard("is over")
    assert watching.end()[-1] == "takt monitor ends"
    assert len(one.sets) == 1


def test_the_change_of_a_process_that_ended_is_given_back_in_the_others(start, monitor):
    one, other = start(), start("other")
    watching = monitor()
    watching.heard("is watched", 2)
    one.push(alarm(1, actions=RAISE))
    wait_for(lambda: other.value() == 200)
    one.close()
    wait_for(lambda: other.value() == 10)


def test_a_process_that_hangs_at_the_end_is_told(start, monitor, monkeypatch, hasty):
    monkeypatch.setattr(loop, "GIVE_BACK_S", 0.3)
    one = start()
    watching = monitor()
    one.push(alarm(1, actions=RAISE))
    wait_for(lambda: one.value() == 200)
    watching.heard("10 → 200")
    one.hangs.set()
    last = watching.end()[-1]
    assert last == (
        "takt monitor ends; 1 attribute of fusion (pid 4000001) could not be given back"
    )
    assert watching.good is False


@pytest.mark.parametrize("duration_s", [None, 1000])
def test_a_change_whose_answer_is_missing_at_the_end_is_given_back(
    start, monitor, monkeypatch, duration_s
):
    clock = SimpleNamespace(ahead_s=0)
    clock.monotonic = lambda: time.monotonic() + clock.ahead_s
    monkeypatch.setattr(loop, "time", clock)
    monkeypatch.setattr(loop, "GIVE_BACK_S", PATIENCE_S)
    one = start()
    one.answers_sets.clear()
    watching = monitor(duration_s=duration_s)
    one.push(alarm(1, actions=RAISE))
    wait_for(lambda: one.value() == 200)
    if duration_s is None:
        watching.monitor.end()
    else:
        clock.ahead_s = duration_s
    watching.heard("gives back 1 changed attribute")
    one.push(alarm(2, kind="lost", actions=[*RAISE[:1], {"priority": 220}]))  # too late
    watching.heard("lost of chain hot_path")
    one.answers_sets.set()
    wait_for(lambda: watching.good is not None)
    assert watching.end()[-1] == "takt monitor ends; gave back 1 attribute"
    assert one.value() == 10
    assert watching.good is True


# Bookkeeping


def test_whatever_happens_the_values_from_before_return():
    for seed in range(SEED, SEED + 200 * ROUNDS):
        alarms_come_and_go(seed)


def alarms_come_and_go(seed):
    """Random alarms, and a process that at times refuses, or is silent after a change or before."""
    chance = random.Random(seed)
    targets = [Target("chain", name, "priority") for name in ("a", "b")]
    before = {one: chance.randrange(3) for one in targets}
    values = dict(before)
    unknown = set()  # whether they were changed is not known
    changes = Changes()

    def hold_or_release():
        alarm_key = ("main", "", "", "", chance.choice("xyz"))
        if chance.random() < 0.5:
            changes.hold(alarm_key, chance.choice(targets), chance.randrange(3))
        else:
            changes.release(alarm_key)

    def step(troubles, meanwhile=lambda: None):
        due = changes.next()
        if due is None:
            return False
        meanwhile()
        (one,) = due.wanted
        trouble = chance.choice(troubles)
        if trouble == "refused" and not due.gives_back:
            changes.forget(due)
            return True
        old = values[one.target]
        if trouble != "unasked":
            values[one.target] = one.value
        if trouble in ("unasked", "unanswered"):
            if changes.unanswered(due):
                unknown.add(one.target)
        elif one.value == old and not due.gives_back:
            changes.unchanged(due)
        else:
            changes.done(due, [Before(one.target, old)])
        return True

    for _ in range(60):
        if chance.random() < 0.7:
            hold_or_release()
        else:
            step(["", "", "", "refused", "unasked", "unanswered"], hold_or_release)
    changes.release_all()
    for _ in range(100):
        if not step([""]):
            break
    assert len(changes) == 0, seed
    for one in targets:
        assert values[one] == before[one] or one in unknown, seed
