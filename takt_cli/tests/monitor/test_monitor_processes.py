"""`takt monitor` and processes that come, go, and lose their connections."""

import os

import pytest
from support.fake_alarms import (
    RAISE,
    SUBSCRIBE,
    alarm,
    wait_for,
)
from support.fake_control import RESULT, STATUS, message


def test_processes_that_come_and_go_are_told(start, monitor):
    one = start("a")
    watching = monitor()
    watching.heard("a (pid 4000001) is watched")
    two = start("b")
    watching.heard("b (pid 4000002) is watched")
    one.close()
    watching.heard("a (pid 4000001) has ended")
    two.push(alarm(1))
    watching.heard("b (pid 4000002): deadline of chain hot_path")


@pytest.mark.parametrize("round_", range(3))
def test_a_process_that_starts_again_is_another_one(start, monitor, round_):
    one = start("a", pid=os.getpid())
    watching = monitor()
    one.push(alarm(1, actions=RAISE))
    wait_for(lambda: one.value() == 200)
    one.close()
    again = start("a", pid=os.getpid())
    watching.heard("has ended")
    watching.heard("is watched", 2)
    watching.end()
    assert again.sets == []


@pytest.mark.parametrize("wanted", ["b", "/opt/b", "4000002"])
def test_only_wanted_processes_are_watched(start, monitor, wanted):
    a, b = start("a"), start("b")
    watching = monitor(wanted=(wanted,))
    watching.heard("b (pid 4000002) is watched")
    wait_for(lambda: a.counts.get(STATUS))
    b.push(alarm(1))
    watching.heard("deadline of chain")
    assert SUBSCRIBE not in a.counts
    assert not any("a (pid" in words for words in watching.end())


def test_a_name_that_no_process_has_is_told_once_with_those_that_run(start, monitor):
    start("myrobot")
    watching = monitor(wanted=("myrobt",))
    note = "no process or container is named myrobt yet; running: myrobot (pid 4000001)"
    watching.heard(note)
    start("myrobt")
    watching.heard("myrobt (pid 4000002) is watched")
    start("other")
    start("myrobt")
    watching.heard("myrobt (pid 4000004) is watched")
    assert watching.end().count(note) == 1


def test_a_lost_connection_is_made_again_and_cleared_alarms_are_noticed(start, monitor):
    one = start()
    watching = monitor()
    one.push(alarm(1, actions=RAISE))
    watching.heard("10 → 200")  # it has read the answer
    one.active = []  # cleared while nobody listens
    one.drop_clients()
    wait_for(lambda: one.value() == 10)
    watching.heard("deadline of chain hot_path, callback /n:sub(/points) is over")
    assert len(one.sets) == 2


def test_an_alarm_that_was_raised_before_counts_once_over_all_connections(start, monitor):
    one = start()
    one.active = [alarm(7, actions=RAISE)]
    one.following = 8
    watching = monitor()
    watching.heard("10 → 200")  # it has read the answer
    for subscriptions in (2, 3):
        one.drop_clients()
        wait_for(lambda n=subscriptions: one.counts[SUBSCRIBE] >= n)
    one.active = []  # on a busy machine the monitor may connect once more, beside the push
    one.push(alarm(8, "cleared"))
    wait_for(lambda: one.value() == 10)
    assert [request["priority"] for request in one.sets] == [200, 10]
    watching.end()
    assert (
        len([line for line in watching.said.words("alarm") if "misses in the window" in line]) == 1
    )


def test_dropped_alarms_make_the_monitor_ask_again(start, monitor, hasty):
    one = start()
    watching = monitor()
    one.push(alarm(1, actions=RAISE))
    wait_for(lambda: one.value() == 200)
    one.active = []  # its end was dropped
    one.push(alarm(9, kind="lost", chain=None, dropped_before=5))
    watching.heard("5 alarms before it were dropped")
    wait_for(lambda: one.value() == 10)


def test_status_is_what_names_a_process(start, monitor):
    one = start()
    one.raw = {STATUS: message(RESULT, {"program": 5})}
    watching = monitor()
    watching.heard("process 4000001 answered with damaged data: program is 5")
    one.raw = {}
    watching.heard("fusion (pid 4000001) is watched")
