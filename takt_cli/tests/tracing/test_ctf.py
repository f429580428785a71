"""CTF traces, read by an independent reader as tools for ros2_tracing read them."""

import os
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from support import takttrace
from support.built import need
from support.fake_control import FakeTracer, process
from support.takttrace import Pipeline, Process, Record, Thread, encode, start_facts
from takt_cli.base.programs import find_program_or_none

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "oracles"))

from ctf_reader import CtfError, read_traces

SEED = int(os.environ.get("TAKT_TEST_SEED", "1"))
ROUNDS = 20 * int(os.environ.get("TAKT_TEST_ROUNDS", "1"))
PROGRAM = find_program_or_none("takt_trace", "takt_trace")
pytestmark = need(("takt_trace", "takt_trace"))


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def written(tmp_path):
    """Write processes as CTF; gives the traces by host."""

    def call(*processes, name="ctf"):
        raw = tmp_path / f"{name}.takttrace"
        raw.write_bytes(encode(processes))
        said = program("convert", raw, "-o", tmp_path / name, "--format", "ctf")
        assert said.returncode == 0, said.stderr
        return read_traces(tmp_path / name)

    return call


def pipeline(seed, threads=3, runs=40, **options):
    one = Pipeline(seed, **options)
    for number in range(threads):
        one.thread(one.process.pid + number, runs)
    return one.process


def named(trace, name):
    return [event for event in trace.events() if event.name == name]


def fields_of(trace, name):
    return [event.fields for event in named(trace, name)]


def callbacks(trace):
    """The ids of callbacks by the handles of their functions."""
    return {one["callback"]: one["id"] for one in fields_of(trace, "takt:callback_init")}


def never_back(records):
    """Times as streams have them."""
    now = 0
    for record in records:
        now = max(now, record.time)
        yield now


# What a stream has


def told(process, record):
    """What takt's own event of a record says; None: the record is of an unknown kind."""

    def name(names, what):
        return names[record.id] if record.id < len(names) else f"{what} {record.id}"

    callback = name([one[0] for one in process.callbacks], "callback")
    text = name(process.names, "name")
    a, b, c = record.a, record.b, record.c
    match record.kind:
        case takttrace.RUN_START:
            core = (c >> 32 & 0x7FFFFFFF) - 1
            return "run_start", callback, a, b, c & 0xFFFFFFFF, core
        case takttrace.RUN_END:
            return "run_end", callback, a, b
        case takttrace.EMPTY_TAKE:
            return "empty_take", callback
        case takttrace.EXCEPTION:
            return "exception", callback
        case takttrace.TAKE:
            return "take", callback, a & (2**64 - 1), b, c
        case takttrace.PUBLISH:
            return "publish", name(process.topics, "topic"), a & (2**64 - 1), b, c
        case takttrace.CHAIN_END:
            return "chain_end", name([one for one, _ in process.chains], "chain"), a
        case takttrace.SPAN_BEGIN:
            return "span_begin", text
        case takttrace.SPAN_END:
            return ("span_end",)
        case takttrace.INSTANT:
            return "instant", text
        case takttrace.COUNTER:
            return "counter", text, struct.unpack("<d", struct.pack("<q", a))[0]
        case takttrace.SLICE:
            return "slice", text, a, b
        case takttrace.KERNEL_WAIT:
            bits = c & (2**64 - 1)
            return "kernel_wait", callback, a, b, bits >> 32, bits & 0xFFFFFFFF
        case takttrace.CALLBACK_STATE:
            return "callback_state", callback, a, b, c
        case takttrace.PARKED:
            return "parked", callback
        case takttrace.HOST_STALL:
            return "host_stall", record.id, a, b, int(c != 0)
    return None


def read_back(ids, event):
    """The same of an event; handles as the callbacks that they name."""
    fields = dict(event.fields)
    for handle in ("message", "published", "chain"):
        fields.pop(handle, None)
    if "callback" in fields:
        fields["callback"] = ids[fields["callback"]]
    return event.name.removeprefix("takt:"), *fields.values()


def expected(process, thread):
    times = never_back(thread.records)
    both = [(time, told(process, one)) for time, one in zip(times, thread.records, strict=True)]
    return [(time, one) for time, one in both if one is not None]


def read_records(trace, stream):
    ids = callbacks(trace)
    own = [event for event in trace.streams[stream] if event.name.startswith("takt:")]
    return [(event.time, read_back(ids, event)) for event in own]


def test_each_record_is_an_event(written):
    for seed in range(SEED, SEED + ROUNDS):
        process = pipeline(seed)
        (trace,) = written(process, name=f"ctf{seed}").values()
        for thread in process.threads:
            seen = read_records(trace, f"100_{thread.tid}")
            assert seen == expected(process, thread), f"TAKT_TEST_SEED={seed}"


def test_any_records_are_a_trace(written):
    for seed in range(SEED, SEED + 3 * ROUNDS):
        process = takttrace.any_process(seed)
        process.chains.clear()  # of these only one end is kept
        for thread in process.threads:
            thread.records = [one for one in thread.records if one.kind != takttrace.CHAIN_END]
        (trace,) = written(process, name=f"ctf{seed}").values()
        wanted = [expected(process, thread) for thread in process.threads if thread.records]
        streams = [name for name in trace.streams if name != str(process.pid)]
        seen = [read_records(trace, stream) for stream in streams]
        assert sorted(map(repr, seen)) == sorted(repr(one) for one in wanted if one), (
            f"TAKT_TEST_SEED={seed}"
        )


def test_events_have_the_thread_that_they_are_of(written):
    (trace,) = written(pipeline(SEED)).values()
    for number in range(3):
        contexts = {tuple(one.context.items()) for one in trace.streams[f"100_{100 + number}"]}
        procname = ("procname", f"worker{100 + number}")
        assert contexts == {(("vpid", 100), ("vtid", 100 + number), procname)}
    assert {one.context["procname"] for one in trace.streams["100"]} == {"pipeline"}


def test_a_long_stream_has_several_packets_and_a_packet_is_of_one_core(written):
    process = pipeline(SEED, threads=1, runs=4000)
    (trace,) = written(process).values()
    packets = [one for one in trace.packets if one.stream == "100_100"]
    assert {one.core for one in packets} == {-1, 0, 1}
    starts = named(trace, "takt:run_start")
    assert [one.core for one in starts] == [one.fields["core"] for one in starts]
    process = Process(threads=[Thread(100, records=[Record(9, takttrace.INSTANT)] * 20_000)])
    (trace,) = written(process, name="long").values()
    assert len([one for one in trace.packets if one.stream == "100_100"]) > 3


def test_dropped_records_are_discarded_events(written):
    process = pipeline(SEED)
    process.threads[1].dropped = 17
    (trace,) = written(process).values()
    discarded = defaultdict(list)
    for packet in trace.packets:
        discarded[packet.stream].append(packet.discarded)
    assert set(discarded["100_100"]) == {0}
    # Readers tell of the difference between two packets, so the first one says none.
    assert discarded["100_101"][0] == 0
    assert set(discarded["100_101"][1:]) == {17}
    assert fields_of(trace, "takt:thread_init")[1]["dropped"] == 17


def test_each_host_is_a_trace_with_its_own_clock(written):
    one, two = pipeline(1, host="alpha"), pipeline(2, host="beta")
    three = pipeline(3, host="alpha", pid=200)
    traces = written(one, two, three)
    assert traces.keys() == {"alpha", "beta"}
    assert traces["alpha"].offset_ns == one.to_realtime
    assert traces["beta"].offset_ns == two.to_realtime
    assert traces["beta"].metadata.env["hostname"] == "beta"
    assert {event.context["vpid"] for event in traces["alpha"].events()} == {100, 200}
    handles = [set(callbacks(trace)) for trace in traces.values()]
    assert not handles[0] & handles[1]


def test_the_reader_refuses_a_damaged_stream(tmp_path, written):
    written(pipeline(SEED))
    stream = tmp_path / "ctf/here/100_100"
    data = stream.read_bytes()
    for damaged in (data[1:], data[:-1], data[:40] + b"\xff" + data[41:]):
        stream.write_bytes(damaged)
        with pytest.raises(CtfError):
            read_traces(tmp_path / "ctf")


# As tracetools_analysis reads it


def owner(trace, callback):
    """The node of a callback and its topic, period or service, by the handles alone."""
    nodes = {
        one["node_handle"]: one["namespace"].rstrip("/") + "/" + one["node_name"]
        for one in fields_of(trace, "ros2:rcl_node_init")
    }
    for added in fields_of(trace, "ros2:rclcpp_timer_callback_added"):
        if added["callback"] == callback:
            (timer,) = matching(trace, "ros2:rcl_timer_init", "timer_handle", added)
            (link,) = matching(trace, "ros2:rclcpp_timer_link_node", "timer_handle", added)
            return nodes[link["node_handle"]], timer["period"]
    for added in fields_of(trace, "ros2:rclcpp_subscription_callback_added"):
        if added["callback"] == callback:
            (one,) = matching(trace, "ros2:rclcpp_subscription_init", "subscription", added)
            (rcl,) = matching(trace, "ros2:rcl_subscription_init", "subscription_handle", one)
            return nodes[rcl["node_handle"]], rcl["topic_name"]
    for added in fields_of(trace, "ros2:rclcpp_service_callback_added"):
        if added["callback"] == callback:
            (rcl,) = matching(trace, "ros2:rcl_service_init", "service_handle", added)
            return nodes[rcl["node_handle"]], rcl["service_name"]
    return None


def matching(trace, name, key, fields):
    return [one for one in fields_of(trace, name) if one[key] == fields[key]]


def durations(trace):
    """Callback durations by symbol: starts and ends are paired by the callback's handle alone."""
    symbols = {
        one["callback"]: one["symbol"] for one in fields_of(trace, "ros2:rclcpp_callback_register")
    }
    started = {}
    found = defaultdict(list)
    for event in trace.events():
        if event.name == "ros2:callback_start":
            started[event.fields["callback"]] = event.time
        elif event.name == "ros2:callback_end":
            begin = started.pop(event.fields["callback"])
            found[symbols[event.fields["callback"]]].append((begin, event.time - begin))
    assert not started
    return {symbol: sorted(values) for symbol, values in found.items()}


def test_callback_durations_are_those_of_the_runs(written):
    overlapping = 0
    for seed in range(SEED, SEED + ROUNDS):
        process = pipeline(seed)
        (trace,) = written(process, name=f"ctf{seed}").values()
        wanted = defaultdict(list)
        for thread in process.threads:
            start = {}
            for record in thread.records:
                if record.kind == takttrace.RUN_START:
                    start[record.id] = record.time
                elif record.kind == takttrace.RUN_END and record.id < 4:
                    begin = start[record.id]
                    id = process.callbacks[record.id][0]
                    wanted[id].append((begin, record.time - begin))
        assert durations(trace) == {id: sorted(runs) for id, runs in wanted.items()}, (
            f"TAKT_TEST_SEED={seed}"
        )
        ids = list(callbacks(trace).values())
        overlapping += len(ids) - len(set(ids))
    assert overlapping > ROUNDS  # callbacks that ran on two threads at once


def test_each_callback_leads_to_its_node(written):
    (trace,) = written(pipeline(SEED)).values()
    owners = {id: owner(trace, handle) for handle, id in callbacks(trace).items()}
    assert owners == {
        "/lidar:timer(100ms)": ("/lidar", 100_000_000),
        "/ns/filter:sub(/points)": ("/ns/filter", "/points"),
        # The user named the subscription: the topic is that of the messages which it took.
        "/brake:sub(stop)": ("/brake", "/obstacles"),
        "/brake:service(/reset)": ("/brake", "/reset"),
        "/brake:client(/arm)": None,
        "/brake:waitable(guard)": None,
    }
    (client,) = fields_of(trace, "ros2:rcl_client_init")
    assert client["service_name"] == "/arm"
    first = min(event.time for name, one in trace.streams.items() if name != "100" for event in one)
    assert {event.time for event in trace.streams["100"]} == {999}
    assert first > 999


def test_a_message_has_one_source_time_where_it_is_published_and_taken(written):
    joined = 0
    for seed in range(SEED, SEED + ROUNDS):
        process = pipeline(seed)
        (trace,) = written(process, name=f"ctf{seed}").values()
        stamps = {one["message"]: one["timestamp"] for one in fields_of(trace, "ros2:rmw_publish")}
        publishers = {
            one["publisher_handle"]: one["topic_name"]
            for one in fields_of(trace, "ros2:rcl_publisher_init")
        }
        topics = {
            one["message"]: publishers[one["publisher_handle"]]
            for one in fields_of(trace, "ros2:rcl_publish")
        }
        takes = {one["message"]: one for one in fields_of(trace, "ros2:rmw_take") if one["taken"]}
        assert not takes.keys() & stamps.keys()
        for take in fields_of(trace, "takt:take"):
            stamp = takes[take["message"]]["source_timestamp"]
            if take["published"]:
                joined += 1
                assert stamp == stamps[take["published"]] > process.to_realtime
            elif take["source_timestamp"]:
                assert stamp == take["source_timestamp"]
        for publish in fields_of(trace, "takt:publish"):
            assert topics[publish["message"]] == publish["topic"]
    assert joined > ROUNDS


def test_empty_takes_take_nothing(written):
    records = [Record(1000, takttrace.EMPTY_TAKE, 1), Record(1001, takttrace.EMPTY_TAKE, 3)]
    one = Pipeline(SEED).process
    one.threads.append(Thread(100, records=records))
    (trace,) = written(one).values()
    assert [take["taken"] for take in fields_of(trace, "ros2:rmw_take")] == [0]
    assert len(named(trace, "takt:empty_take")) == 2
    assert not named(trace, "ros2:rcl_take")


def test_a_run_is_picked_taken_and_started_in_this_order(written):
    one = Pipeline(SEED).process
    records = [
        Record(1010, takttrace.TAKE, 1, 7, 1, 5000),
        Record(1020, takttrace.RUN_START, 1, 900, 0, start_facts(0, 2)),
        Record(1030, takttrace.RUN_END, 1, 1005),
        Record(1040, takttrace.RUN_END, 1, 1035),  # whose start is lost
        Record(1050, takttrace.RUN_START, 0, 1045),  # whose end is lost
    ]
    one.threads.append(Thread(100, records=records))
    (trace,) = written(one).values()
    ros = [
        (event.time, event.name.removeprefix("ros2:"), event.core)
        for event in trace.streams["100_100"]
        if event.name.startswith("ros2:")
    ]
    assert ros == [
        (1005, "rclcpp_executor_execute", 2),
        (1010, "rmw_take", 2),
        (1010, "rcl_take", 2),
        (1010, "rclcpp_take", 2),
        (1020, "callback_start", 2),
        (1030, "callback_end", 2),
        (1050, "rclcpp_executor_execute", -1),
        (1050, "callback_start", -1),
    ]


def test_no_handle_names_two_things(written):
    trace = written(pipeline(1), pipeline(2, pid=200))["here"]
    made = {
        "ros2:rcl_init": ["context_handle"],
        "ros2:rcl_node_init": ["node_handle", "rmw_handle"],
        "ros2:rcl_publisher_init": ["publisher_handle", "rmw_publisher_handle"],
        "ros2:rcl_subscription_init": ["subscription_handle", "rmw_subscription_handle"],
        "ros2:rclcpp_subscription_init": ["subscription"],
        "ros2:rcl_service_init": ["service_handle", "rmw_service_handle"],
        "ros2:rcl_client_init": ["client_handle", "rmw_client_handle"],
        "ros2:rcl_timer_init": ["timer_handle"],
        "takt:callback_init": ["callback"],
        "takt:chain_init": ["chain"],
        "takt:publish": ["message"],
        "takt:take": ["message"],
        "ros2_caret:construct_executor": ["executor_addr"],
        "ros2_caret:callback_group_to_executor_entity_collector": ["callback_group_addr"],
    }
    handles = [
        one[key] for name, keys in made.items() for one in fields_of(trace, name) for key in keys
    ]
    assert 0 not in handles
    assert len(handles) == len(set(handles))


# As CARET reads it


def test_caret_finds_executors_groups_and_the_way_of_messages(written):
    (trace,) = written(pipeline(SEED)).values()
    first = trace.streams["100"][0]
    # The time of the event, of the monotonic clock.
    assert (first.name, first.fields["clock_offset"]) == ("ros2_caret:caret_init", 999)
    (executor,) = fields_of(trace, "ros2_caret:construct_executor")
    assert executor["executor_type_name"] == "multi_threaded_executor"
    name = "ros2_caret:callback_group_to_executor_entity_collector"
    kinds = [one["group_type_name"] for one in fields_of(trace, name)]
    assert sorted(kinds) == ["mutually_exclusive", "mutually_exclusive", "reentrant"]
    bound = {one["addr"]: one for one in fields_of(trace, "ros2_caret:dds_bind_addr_to_stamp")}
    for publish in fields_of(trace, "ros2:rmw_publish"):
        assert bound[publish["message"]]["source_stamp"] == publish["timestamp"]


# As babeltrace2 reads it


@pytest.mark.skipif(shutil.which("babeltrace2") is None, reason="babeltrace2 is not installed")
def test_babeltrace2_prints_the_same_events(tmp_path, written):
    traces = written(pipeline(1, host="alpha"), pipeline(2, host="beta"))
    said = subprocess.run(
        ["babeltrace2", "--clock-seconds", tmp_path / "ctf"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stderr == ""
    printed = [line.split() for line in said.stdout.splitlines()]
    seen = sorted((words[0], words[2], words[3]) for words in printed)
    wanted = []
    for host, trace in traces.items():
        for event in trace.events():
            seconds, ns = divmod(event.time + trace.offset_ns, 10**9)
            wanted.append((f"[{seconds}.{ns:09}]", host, f"{event.name}:"))
    assert seen == sorted(wanted)


# Commands


def test_a_folder_with_files_is_refused(tmp_path):
    raw = tmp_path / "a.takttrace"
    raw.write_bytes(encode([pipeline(SEED)]))
    for place in (raw, tmp_path):
        said = program("convert", raw, "-o", place, "--format", "ctf")
        assert said.returncode == 2
        why = "exists and is no empty folder; name another folder for the trace"
        assert said.stderr == f"takt_trace: {place} {why}\n"
    said = program("convert", raw, "-o", raw / "x", "--format", "ctf")
    assert said.returncode == 1
    assert said.stderr.startswith(f"takt_trace: {raw}/x")
    assert said.stderr.endswith("cannot be written: Not a directory\n")


@pytest.fixture
def tracing(fakes, folder, monkeypatch):
    """Run a process that traces, and the real program that converts."""

    class Tracer(FakeTracer):
        def trace(self, kind, request):
            answer = super().trace(kind, request)
            for path in self.written[-1:]:
                path.write_bytes(encode([pipeline(SEED)]))
            return answer

    monkeypatch.setattr("takt_cli.verbs.trace.target.find_converter", lambda: PROGRAM)
    one = Tracer(folder, 4_000_001, process("/opt/robot/talk"))
    one.tracing = {}
    yield one
    one.close()


def test_a_trace_is_written_as_a_folder(takt, tracing):
    said = takt("trace", "snapshot", "--format", "ctf")
    assert said.code == 0, said.err
    assert said.out.splitlines()[-1] == (
        "open the folder takt-ctf in Trace Compass, or print its events with babeltrace2"
    )
    assert read_traces(Path("takt-ctf"))["here"].events()
    said = takt("trace", "snapshot", "--format", "ctf", "-o", "takt-ctf")
    assert (said.code, said.err) == (
        2,
        "takt: takt-ctf exists; name another folder, or replace it with --force\n",
    )
    assert takt("trace", "snapshot", "--format", "ctf").code == 0
    assert read_traces(Path("takt-ctf-2"))["here"].events()
    before = Path("takt-ctf").stat().st_ino
    assert takt("trace", "snapshot", "--format", "ctf", "--force").code == 0
    assert Path("takt-ctf").stat().st_ino != before
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith("takt-ctf")) == [
        "takt-ctf",
        "takt-ctf-2",
    ]


def test_no_other_files_are_replaced_by_a_folder(takt, tracing):
    Path("file").write_text("mine")
    Path("mine/here").mkdir(parents=True)
    Path("mine/here/metadata").write_text("mine")
    for name, why in (("file", "is not a folder"), ("mine", "has other files than a CTF trace")):
        said = takt("trace", "stop", "--format", "ctf", "-o", name, "--force")
        assert said.code == 2
        assert f"takt: {name} {why}" in said.err
    assert Path("mine/here/metadata").read_text() == "mine"
    assert tracing.tracing == {}


def test_a_failed_conversion_keeps_the_folder_and_the_raw_files(takt, tracing, monkeypatch):
    assert takt("trace", "snapshot", "--format", "ctf").code == 0
    before = sorted(Path("takt-ctf").rglob("*"))
    monkeypatch.setattr("takt_cli.verbs.trace.target.find_converter", lambda: Path("/bin/false"))
    said = takt("trace", "stop", "--format", "ctf", "--force")
    assert said.code == 1
    assert "The files of the processes are kept." in said.err
    assert sorted(Path("takt-ctf").rglob("*")) == before
    assert tracing.written[-1].exists()
