"""The ROS side of `takt monitor`: a real subscriber hears its topics; the figures without ROS."""

import itertools
import json
import os
import queue
import signal
import threading
from types import SimpleNamespace

import pytest
from support.fake_alarms import alarm, wait_for
from support.fake_statistics import MS, S, callback, chain, distribution, statistics, thread
from support.private import DOMAIN
from takt_cli.control.client import Peer
from takt_cli.control.read_statistics import read_statistics
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.diagnostics import ERROR, OK, STALE, WARN, Diagnostics, Limits, View
from takt_cli.verbs.monitor.ros_side import RosSide
from takt_cli.verbs.monitor.series import MOST_SERIES, labelled, metrics, series


def view(name="fusion", pid=1, told=None, alarms=(), **more):
    figures = None if told is None else read_statistics(told, Peer(pid, 0), pid)
    return View(
        **{"name": name, "pid": pid, "answers": True, "why": "", "status": None} | more,
        figures=figures,
        alarms=tuple(Alarm.read(one) for one in alarms),
    )


def fusion(seconds=0, activations=100, misses=0, **more):
    """A process with one chain, `seconds` after the first look."""
    hot = chain(
        "hot_path", priority=200, deadline_ns=10 * MS, activations=activations, misses=misses,
        response=distribution(1000, 6e6, 9e6),
    )  # fmt: skip
    points = callback("/n:sub(/points)", largest_waiting=7, overwritten=2, lost=1, overruns=3)
    threads = [thread("hot", policy="fifo", priority=80, cores=[1], involuntary_switches=4)]
    told = statistics("/opt/fusion", threads, [points], [hot], time_ns=(100 + seconds) * S)
    return told | more


def by_name(statuses):
    found = {one.name: one for one in statuses}
    assert len(found) == len(statuses)
    return found


# Without ROS


def test_each_executor_thread_and_chain_has_a_status_with_the_known_keys():
    found = by_name(Diagnostics("here").statuses([view(told=fusion())], Limits()))
    assert set(found) == {
        "fusion: process", "fusion: executor main", "fusion: thread hot", "fusion: chain hot_path",
    }  # fmt: skip
    assert all(one.level == OK and one.hardware_id == "robot" for one in found.values())
    values = {name: dict(one.values) for name, one in found.items()}
    chain_values = values["fusion: chain hot_path"]
    assert chain_values["response_time_us mean"] == "6000.0"
    assert chain_values["response_time_us max"] == "9000.0"
    assert chain_values["deadline_us"] == "10000.0"
    assert chain_values["misses (window)"] == chain_values["misses (total)"] == "0"
    executor = values["fusion: executor main"]
    assert (executor["queue depth max"], executor["drops"], executor["overruns"]) == ("7", "3", "3")
    hot = values["fusion: thread hot"]
    assert (hot["policy granted"], hot["priority"], hot["cpus"]) == ("fifo 80", "80", "1")
    assert (hot["involuntary switches"], hot["page faults"]) == ("4", "0")


def test_missed_deadlines_warn_and_many_of_them_are_an_error():
    diagnostics = Diagnostics("here")

    def level(*arguments):
        told = view(told=fusion(*arguments))
        return by_name(diagnostics.statuses([told], Limits()))["fusion: chain hot_path"].level

    assert level(0, 100, 50) == OK  # before the monitor looked
    assert level(1, 200, 51) == WARN
    assert level(2, 300, 80) == ERROR  # 30 of 200
    assert level(20, 400, 80) == OK  # nothing within the last 10 s
    assert level(21, 10, 5) == OK  # the process watches anew


def test_a_thread_that_differs_warns_and_a_silent_process_is_stale():
    told = fusion()
    told["executors"][0]["threads"][0] |= {"asked_differs": True}
    silent = view("camera", 2, answers=False, why="does not answer within 5 s")
    found = by_name(Diagnostics("here").statuses([view(told=told), silent], Limits()))
    assert found["fusion: thread hot"].level == WARN
    assert found["camera: process"].level == STALE
    assert found["camera: process"].message == "does not answer within 5 s"
    assert found["camera: process"].hardware_id == "here"


def test_a_chain_of_several_processes_has_one_status_and_no_figures():
    def told(name, id_):
        path = ["/a:timer(1s)", "/b:sub(/x)"]
        return statistics(f"/opt/{name}", (), [callback(id_)], [chain("hot", path=path)])

    views = [
        view("first", 1, told("first", "/a:timer(1s)")),
        view("last", 2, told("last", "/b:sub(/x)")),
    ]
    found = by_name(Diagnostics("here").statuses(views, Limits()))
    assert [name for name in found if "chain" in name] == ["last: chain hot"]
    hot = found["last: chain hot"]
    assert (hot.level, dict(hot.values)["elsewhere"]) == (OK, "/a:timer(1s)")
    assert "`takt trace` joins it" in hot.message
    assert not [name for name in series(views)[0] if "chain" in name]
    assert metrics(views, 5, lambda _: 1, SimpleNamespace, SimpleNamespace) == []


def test_a_chain_that_is_counted_from_the_arrival_on_has_figures_and_says_so():
    more = {"deadline_ns": 10**7, "from_arrival": True, "path": ["/a:timer(1s)", "/b:sub(/x)"]}
    diagnostics = Diagnostics("here")

    def hot(**figures):
        told = statistics("/opt/p", (), [callback("/b:sub(/x)")], [chain("hot", **more, **figures)])
        return by_name(diagnostics.statuses([view("p", 1, told)], Limits()))["p: chain hot"]

    good = hot()
    assert good.message == ("no missed deadline in the last 10 s, from the arrival in this process")
    bad = hot(activations=10, misses=5)
    assert bad.level == ERROR
    assert dict(bad.values)["misses (total)"] == "5"
    assert dict(bad.values)["elsewhere"] == "/a:timer(1s)"


def test_alarms_are_those_of_their_executor():
    told = view(told=fusion(), alarms=[alarm(1), alarm(2, executor="other")])
    executor = by_name(Diagnostics("here").statuses([told], Limits()))["fusion: executor main"]
    assert executor.level == ERROR
    assert executor.message.startswith("deadline of chain hot_path")


def test_no_two_statuses_have_one_name():
    told = fusion()
    told["executors"] = [{**told["executors"][0], "name": name} for name in ("a", "b")]
    told["executors"][0]["threads"] = [thread("own", 1), thread("own", 2)]
    views = [view(told=told), view(pid=2, told=told)]
    found = by_name(Diagnostics("here").statuses(views, Limits()))
    assert "fusion (pid 1): chain a/hot_path" in found
    assert "fusion (pid 2): thread a/own (1002)" in found
    assert "fusion (pid 1): thread hot" in found


def test_series_have_names_and_are_bounded():
    names, values = series([view(told=fusion())])
    told = dict(zip(names, values, strict=True))
    assert told["fusion/main/chain hot_path/response_time_us/max"] == 9000.0
    assert told["fusion/main/callback /n:sub(/points)/drops"] == 3.0
    message = labelled(names, values, lambda: SimpleNamespace(layout=SimpleNamespace()), dict)
    assert [one["label"] for one in message.layout.dim] == names
    assert message.data == values
    many = fusion()
    many["executors"][0]["threads"] *= MOST_SERIES
    assert len(series([view(told=many)])[0]) == MOST_SERIES


def test_metrics_are_one_message_for_each_chain():
    (one,) = metrics(
        [view(told=fusion())], 5, lambda figures: figures.since_ns, SimpleNamespace, SimpleNamespace
    )
    assert (one.measurement_source_name, one.metrics_source) == ("fusion", "response_time/hot_path")
    assert (one.unit, one.window_start, one.window_stop) == ("us", 90 * S, 5)
    assert {(point.data_type, point.data) for point in one.statistics} >= {(1, 6000.0), (3, 9000.0)}


def test_a_full_queue_drops_and_counts():
    side = object.__new__(RosSide)
    side.dropped, side._waiting = 0, queue.Queue(2)
    side._guard = SimpleNamespace(trigger=lambda: None)
    for _ in range(5):
        side.log("warn", "words")
    assert side.dropped == 3
    assert side.set_parameter(None, None) is False


def test_names_of_statistics_have_a_version_that_changes_with_them():
    told = {"names": [], "values": []}

    def publisher(into):
        return SimpleNamespace(publish=into.append, get_subscription_count=lambda: 1)

    side = object.__new__(RosSide)
    msgs = SimpleNamespace(StatisticsNames=SimpleNamespace, StatisticsValues=SimpleNamespace)
    side._pal = (msgs, publisher(told["names"]), publisher(told["values"]))
    side._version, side._names = 0, []
    more = fusion()
    more["executors"][0]["chains"].append(chain("other"))
    for one in (fusion(), fusion(1, 101), more):
        side._publish_pal([view(told=one)], "header")
    assert [one.names_version for one in told["names"]] == [1, 1, 2]
    assert [one.names_version for one in told["values"]] == [1, 1, 2]
    assert len(told["names"][2].names) == len(told["values"][2].values)


# With ROS


@pytest.fixture
def listener():
    """A node beside the monitor, spinning in a thread."""
    rclpy = pytest.importorskip("rclpy")
    from diagnostic_msgs.msg import DiagnosticArray
    from rcl_interfaces.msg import Log
    from rclpy.executors import SingleThreadedExecutor
    from std_msgs.msg import Float64MultiArray, String

    context = rclpy.Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    node = rclpy.create_node("listener", context=context)
    node.declare_parameter("rate", 1.0)
    node.declare_parameter("name", "before")
    heard = SimpleNamespace(node=node, diagnostics=[], rosout=[], alarms=[], numbers=[])
    for topic, kind, into, depth in (
        ("/diagnostics", DiagnosticArray, heard.diagnostics, 10),
        ("/rosout", Log, heard.rosout, 100),
        ("/takt_monitor/alarms", String, heard.alarms, 100),
        ("/takt_monitor/statistics", Float64MultiArray, heard.numbers, 10),
    ):
        node.create_subscription(kind, topic, into.append, depth)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    ended = threading.Event()

    def spin():
        while not ended.is_set():
            executor.spin_once(timeout_sec=0.1)

    spinning = threading.Thread(target=spin)
    spinning.start()
    yield heard
    ended.set()
    spinning.join()
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def monitor(program):
    private = {"ROS_DOMAIN_ID": str(DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    return lambda *arguments: program(*arguments, **private)


def last_status(listener, name):
    """The latest status of that name."""
    for array in reversed(list(listener.diagnostics)):
        for status in array.status:
            if status.name == name:
                return status
    return None


def test_a_subscriber_hears_diagnostics_alarms_and_figures(listener, one, monitor):
    watching = monitor("--ros-args", "-p", "diagnostic_updater.period:=0.2")
    name = "fusion: chain hot_path"
    status = wait_for(lambda: last_status(listener, name), lambda: watching.lines)
    assert status.level == b"\0"
    assert status.hardware_id == "robot"
    assert "response_time_us max" in {pair.key for pair in status.values}
    chains = one.statistics["executors"][0]["chains"]
    chains[0] |= {"activations": 200, "misses": 1}
    one.statistics["time_ns"] += S
    wait_for(lambda: last_status(listener, name).level == b"\1")
    chains[0] |= {"activations": 300, "misses": 60}
    one.statistics["time_ns"] += S
    wait_for(lambda: last_status(listener, name).level == b"\2")
    stamp = listener.diagnostics[-1].header.stamp
    assert stamp.sec > 0

    numbers = wait_for(lambda: next((one for one in list(listener.numbers) if one.data), None))
    assert len(numbers.layout.dim) == len(numbers.data)
    assert "fusion/main/chain hot_path/misses" in {one.label for one in numbers.layout.dim}

    sequence = one.following
    one.push(
        alarm(sequence, actions=[{"log": True}]),
        alarm(sequence + 1, level="warn", kind="lost", actions=[{"publish": True}]),
        alarm(sequence + 2, kind="age", actions=[{"snapshot": True}]),
        alarm(sequence + 3, kind="rate", actions=[{"log": True}, {"publish": True}]),
    )

    def logged():
        return [line for line in list(listener.rosout) if line.name == "takt_monitor"]

    wait_for(lambda: len(logged()) >= 3, lambda: logged())
    assert [(one.level, one.msg.split(": ")[1].split()[0]) for one in logged()] == [
        (40, "deadline"), (30, "lost"), (40, "rate"),
    ]  # fmt: skip
    wait_for(lambda: len(listener.alarms) == 2)
    told = [json.loads(one.data) for one in listener.alarms]
    assert [one["kind"] for one in told] == ["lost", "rate"]
    assert told[0]["program"] == "/opt/fusion"
    wait_for(lambda: last_status(listener, "fusion: executor main").level == b"\2")

    one.push(alarm(sequence + 9, "cleared", kind="rate"))
    wait_for(lambda: logged()[-1].level == 20)

    one.close()
    watching.heard("has ended")
    assert watching.end(signal.SIGINT) == 0
    assert watching.errors == ""


def test_a_parameter_of_a_node_is_set(listener, one, monitor):
    watching = monitor()
    watching.heard("is watched")

    sequences = itertools.count(1)

    def act(node, name, value):
        sequence = next(sequences)
        action = {"set_parameter": {"node": node, "name": name, "value": value}}
        one.push(alarm(sequence, chain=f"c{sequence}", actions=[action]))

    def is_answered(value):
        act("/listener", "name", value)
        return ": set (" in watching.heard(f"name of /listener to {value}: ")

    # A node's answer is lost if the node has not yet discovered the client (rmw_fastrtps).
    assert any(is_answered(f"first{i}") for i in range(5)), watching.lines
    act("/listener", "name", "after")
    watching.heard("parameter name of /listener to after: set")
    assert listener.node.get_parameter("name").value == "after"
    act("listener", "rate", 5)  # a whole number for a floating-point parameter
    watching.heard("parameter rate of listener to 5: set")
    assert listener.node.get_parameter("rate").value == 5.0
    act("/listener", "gone", [1, 2])
    watching.heard("parameter gone of /listener to 1, 2: refused by the node:")
    act("/no name!", "x", True)
    watching.heard("parameter x of /no name! to True: not set:")
    act("/nobody", "x", 1)
    watching.heard("parameter x of /nobody to 1: not set: no node /nobody with parameter services")
    act("/listener", "name", "later")  # and the node works on
    watching.heard("parameter name of /listener to later: set")
    assert watching.end(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    "words", [["-p", "diagnostic_updater.period:=-1.0"], ["-p", "diagnostic_updater.period:=x"]]
)
def test_wrong_parameters_are_one_message(monitor, words):
    pytest.importorskip("rclpy")
    watching = monitor("--ros-args", *words)
    assert watching.finished() == 2
    assert watching.lines == []
    (line,) = watching.errors.splitlines()
    assert line.startswith("takt: --ros-args: ")
    assert "diagnostic_updater.period" in line


def test_without_rclpy_one_line_says_what_is_omitted(folder, monitor, monkeypatch, tmp_path):
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "rclpy.py").write_text("raise ImportError('no', name='rclpy')")
    paths = [str(tmp_path / "hidden"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    watching = monitor("--duration", "100ms")
    assert watching.finished() == 0
    told = [line for line in watching.lines if "omitted" in line]
    assert len(told) == 1
    assert "without ROS: the Python package rclpy cannot be imported; omitted: /diag" in told[0]
