"""The actions of alarms: log, snapshot, and those that cannot be carried out."""

import itertools

from support.fake_alarms import (
    RAISE,
    SET,
    alarm,
    wait_for,
)
from support.fake_control import RESULT, message
from takt_cli.verbs.monitor.words import clock


def test_an_alarm_is_one_line_with_all_that_a_person_needs(start, monitor):
    one = start()
    watching = monitor()
    who = [
        {"name": "/a:timer(1s)", "share": 0.62},
        {"name": "other threads of core 1", "share": 0.2},
    ]
    cause = {
        "kind": "publisher_faster", "arrival_rate_hz": 102.0, "usual_rate_hz": 50.0,
        "demand": 0.7, "who": who,
    }  # fmt: skip
    one.push(alarm(1, kind="backlog", unit="messages", value=12, limit=3, cause=cause, chain=None))
    (line,) = watching.heard("backlog of")
    assert line == (
        "ERROR fusion (pid 4000001): backlog of callback /n:sub(/points): 12 messages wait, "
        "limit 3 messages; cause: the publisher became faster (102 Hz, usually 50.0 Hz, needs "
        "70 % of a core); processor: /a:timer(1s) 62 %, other threads of core 1 20 %"
    )
    one.push(alarm(2, kind="stall", unit="ns", value=25e7, limit=2e8, stack=["f() at x.cpp:3"]))
    watching.heard("has run for 250 ms, limit 200 ms; it is in f() at x.cpp:3")
    one.push(alarm(3, chain="slow", silent_ns=1_200_000_000, deadline_ns=100_000_000))
    watching.heard(
        "3 misses in the window, limit 1 miss; an activation has not ended after 1.20 s, "
        "deadline 100 ms"
    )
    one.push(alarm(4, fail_safe=True, level="warn"))
    watching.heard("WARN  fusion (pid 4000001): FAIL-SAFE deadline of chain hot_path")


def test_an_alarm_from_before_the_monitor_says_since_when(start, monitor):
    one = start()
    began_ns = 1_700_000_000_123_456_789
    one.active = [alarm(1, realtime_ns=began_ns)]
    one.following = 2
    watching = monitor()
    watching.heard(f"limit 1 miss; active since {clock(began_ns)}")
    (at_ns,) = watching.said.times("alarm")
    assert at_ns is None


def test_action_lines_name_their_alarm(start, monitor):
    one = start()
    watching = monitor()
    one.push(alarm(1, actions=[{"snapshot": True}, {"run": ["true"]}, {"priority": 200}]))
    cause = "(for deadline of chain hot_path, callback /n:sub(/points))"
    watching.heard(f".takttrace {cause}")
    watching.heard(f"run true: exit code 0 {cause}")
    watching.heard(f"priority of chain hot_path 10 → 200 {cause}")
    assert not [words for words in watching.end() if "given back" in words and "(for" in words]


def test_without_log_an_alarm_is_only_in_json(start, monitor):
    one = start()
    quiet, as_json = monitor(), monitor(as_json=True)
    for watching in (quiet, as_json):
        watching.heard("is watched")
    one.push(alarm(1, actions=[{"snapshot": True}]), to=2)
    as_json.heard("deadline of chain")
    quiet_words = quiet.said.words("alarm")
    assert quiet_words == []
    (document,) = [data for event, _, data in as_json.said.events if event == "alarm"]
    assert document["program"] == "/opt/fusion"
    assert document["pid"] == 4_000_001
    assert document["chain"] == "hot_path"


def test_a_snapshot_moves_to_the_folder(start, monitor, folder, tmp_path):
    one = start("fu/../sion")
    watching = monitor()
    one.push(*[alarm(n, kind=kind, actions=[{"snapshot": True}]) for n, kind in
               enumerate(("deadline", "lost", "age"), 1)])  # fmt: skip
    (line,) = watching.heard("snapshot is in")
    (file,) = (tmp_path / "snapshots").iterdir()
    assert str(file) in line
    assert file.name.startswith("sion.4000001.deadline.")
    assert file.name.endswith(".takttrace")
    assert file.read_text() == "records"
    assert not list(folder.glob("*.trace"))
    watching.heard("snapshot is left out: there is one of the last 10 s", 2)


def test_a_file_that_is_not_the_process_own_is_not_moved(start, monitor, folder, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    one = start()
    watching = monitor(most_snapshots=1)
    one.raw = {15: message(RESULT, {"file": "/x/link"})}
    one.push(alarm(1, actions=[{"snapshot": True}]))
    watching.heard("snapshot was not moved")
    assert not (tmp_path / "snapshots").exists()
    assert (tmp_path / "secret").exists()


def test_a_process_that_does_not_trace_says_so(start, monitor):
    one = start()
    one.raw = {15: message(101, {"faults": ["no trace runs"]})}
    watching = monitor()
    snapshot = {"actions": [{"log": True}, {"snapshot": True}]}
    one.push(alarm(1, **snapshot), alarm(2, kind="lost", **snapshot))
    watching.heard("snapshot was refused: no trace runs; `takt trace start --last 10s`")
    for number, kind in enumerate(("age", "rate"), 3):
        one.push(alarm(number, kind=kind, **snapshot))
        watching.heard(f"{kind} of chain")
    assert not [line for line in watching.said.words() if "left out" in line]
    one.raw = {}  # somebody has begun a trace
    numbers = itertools.count(10)

    def written():
        one.push(alarm(next(numbers), "cleared", kind="stall"))
        one.push(alarm(next(numbers), kind="stall", **snapshot))
        return [line for line in watching.said.words() if "snapshot is in" in line]

    wait_for(written)
    assert len([line for line in watching.end() if "refused" in line]) == 1


def test_what_needs_ros_says_once_that_there_is_none(start, monitor):
    one = start()
    watching = monitor(ros="no rclpy here")
    watching.heard("without ROS: no rclpy here; omitted: /diagnostics")
    parameter = {"set_parameter": {"node": "/n", "name": "rate", "value": 5}}
    for n in range(1, 5):
        one.push(alarm(n, kind=("lost", "age")[n % 2], actions=[parameter, {"publish": True}]))
        one.push(alarm(n + 10, "cleared", kind=("lost", "age")[n % 2]))
    watching.heard("set_parameter: not without ROS: no rclpy here")
    watching.heard("publish: not without ROS")
    assert len([line for line in watching.end() if "not without ROS" in line]) == 2


def test_without_a_terminal_nobody_is_asked(start, monitor):
    one = start()
    watching = monitor()
    one.push(alarm(1, actions=[{"ask": True}]), alarm(2, kind="lost", actions=[{"ask": True}]))
    watching.heard("ask: there is no terminal to ask at")
    assert len([line for line in watching.end() if "no terminal" in line]) == 1


def test_an_unknown_action_is_told(start, monitor):
    one = start()
    watching = monitor()
    one.push(alarm(1, actions=[{"dance": True}]))
    watching.heard("dance: this monitor does not know the action")


def test_log_only_carries_out_nothing(start, monitor):
    one = start()
    watching = monitor(log_only=True)
    one.push(alarm(1, actions=[*RAISE, {"run": ["false"]}, {"snapshot": True}]))
    watching.heard("deadline of chain hot_path")
    assert watching.end()[-1] == "takt monitor ends"
    assert one.sets == []
    assert SET not in one.counts


def test_a_second_monitor_only_writes_until_the_first_ends(start, monitor):
    one = start()
    first = monitor()
    first.heard("is watched")
    one.push(alarm(1))
    first.heard("deadline")
    second = monitor()
    second.heard("another takt monitor carries out the actions")
    one.push(alarm(2, kind="lost", actions=RAISE), to=2)
    second.heard("lost of chain hot_path")
    wait_for(lambda: one.value() == 200)
    assert len(one.sets) == 1
    first.end()
    assert one.value() == 10
    one.push(alarm(3, kind="age", actions=RAISE))
    wait_for(lambda: one.value() == 200)
    second.end()
    assert one.value() == 10
