"""`takt trace --stalls`, and what traces tell of overwritten messages and stalls of the host."""

import json
import subprocess

import pytest
from support import takttrace
from support.built import need
from support.fake_control import RESULT, TRACE_START, FakeTracer, process
from support.takttrace import Process, Record, Thread, encode
from support.trace_documents import document
from takt_cli.base.programs import find_program_or_none
from takt_cli.base.units import human
from takt_cli.verbs.report.trace_figures import TraceReport
from takt_cli.verbs.report.trace_words import reasons

PROGRAM = find_program_or_none("takt_trace", "takt_trace")
BLIND = "stalls of the host are not witnessed: no right to SCHED_FIFO 99 (see `ulimit -r`)"
STALLS = {"count": 3, "longest_ns": 4_200_000, "by_kernel": 0, "longest_by_kernel_ns": 0}


@pytest.fixture
def start(fakes, folder):
    """Start a process that can trace; numbers count from 4,000,001 on, which no process has."""
    running = []

    def call(name, **figures):
        one = FakeTracer(folder, 4_000_001 + len(running), process(f"/opt/robot/{name}"), **figures)
        running.append(one)
        return one

    yield call
    for one in running:
        one.close()


def warns(one):
    """Let a process answer that it may not watch for stalls."""

    def answer(kind, request):
        told = one.trace(kind, request)
        return (RESULT, told[1] | {"warnings": [BLIND]}) if kind == TRACE_START else told

    one.others = answer


# The command


def test_one_process_of_the_host_watches_for_stalls(takt, start):
    all_of_them = [start(name) for name in ("a", "b", "c")]
    said = takt("trace", "start", "--stalls")
    assert (said.code, said.err) == (0, "")
    asked = [one.asked(TRACE_START) for one in all_of_them]
    assert [request.pop("stalls", False) for (request,) in asked] == [True, False, False]
    assert asked == [[{"last_ns": None, "records": None}]] * 3


def test_without_rights_the_trace_begins_and_one_sentence_says_that_stalls_are_missing(takt, start):
    one = start("talk")
    warns(one)
    said = takt("trace", "start", "--stalls")
    assert said.code == 0
    assert said.out.splitlines()[0] == "talk (pid 4000001): traces 1 thread"
    assert said.err == f"talk (pid 4000001): {BLIND}\n"
    assert one.tracing is not None
    assert takt("trace", "stop").code == 0
    said = takt("trace", "start", "--stalls", "--json")
    assert said.code == 0
    assert json.loads(said.out)["warnings"] == [f"talk (pid 4000001): {BLIND}"]


def test_record_warns_as_well_and_goes_on(takt, start, monkeypatch):
    one = start("talk")
    warns(one)
    monkeypatch.setattr("takt_cli.verbs.trace.command.wait", lambda *_: None)
    said = takt("trace", "record", "--duration", "1s", "--stalls")
    assert (said.code, said.err) == (0, f"talk (pid 4000001): {BLIND}\n")
    assert one.asked(TRACE_START)[0]["stalls"]


@pytest.mark.parametrize(
    ("stalls", "line"),
    [
        (STALLS, "host stalls: 3, longest 4.20 ms"),
        (STALLS | {"count": 0}, "host stalls: none"),
        (
            STALLS | {"count": 0, "by_kernel": 1, "longest_by_kernel_ns": 50_000_000},
            "host stalls: none; the kernel throttled real-time threads 1 time, longest 50.0 ms",
        ),
    ],
)
def test_a_trace_says_how_often_the_host_took_a_core(takt, start, stalls, line):
    start("talk", overwritten=1200, document={"host_stalls": stalls}).tracing = {}
    said = takt("trace", "stop")
    assert said.code == 0, said.err
    assert line in said.out.splitlines()
    assert "talk (pid 4000001): 1 thread, 10 runs, 1,200 messages overwritten\n" in said.out


def test_a_trace_that_nobody_watched_says_nothing_of_stalls(takt, start):
    start("talk").tracing = {}
    said = takt("trace", "stop")
    assert "host stalls" not in said.out
    assert "overwritten" not in said.out


# The program


def told(*arguments):
    said = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    return said.stdout


@pytest.fixture
def written(tmp_path):
    """Write a trace with two threads of a program, and two of a witness."""

    def call(witnessed=True, stalls=()):
        slow = Thread(
            100,
            records=[
                Record(1009, takttrace.CALLBACK_STATE, 0, 0, 90, 7),
                Record(1010, takttrace.CALLBACK_STATE, 0, 1, 90, 10),
                Record(1010, takttrace.RUN_START, 0),
                Record(1020, takttrace.RUN_END, 0, 1005),
                Record(1030, takttrace.CALLBACK_STATE, 0, 0, 90, 12),
            ],
        )
        parked = Thread(101, records=[Record(1015, takttrace.PARKED, 0)])
        cores = [
            Thread(102 + core, f"witness.{core}", "", records=list(records))
            for core, records in enumerate(stalls)
        ]
        one = Process(
            callbacks=[("/slow:sub(/x)", "subscription", "g", True)],
            witnessed=witnessed,
            threads=[slow, parked, *cores],
        )
        path = tmp_path / "raw.takttrace"
        path.write_bytes(encode([one]))
        return path

    return call


def stall(core, begin, end, by_kernel=0):
    return Record(end, takttrace.HOST_STALL, core, begin, end, by_kernel)


SEEN = (
    [stall(0, 2_000_000, 3_000_000), stall(0, 5_000_000, 5_500_000, 1)],
    [stall(1, 2_000_000, 6_200_001)],
)


@need(("takt_trace", "takt_trace"))
def test_the_summary_counts_overwritten_messages_and_stalls(tmp_path, written):
    arguments = ("convert", written(stalls=SEEN), "-o", tmp_path / "out")
    summary = json.loads(told(*arguments, "--json"))
    assert summary["host_stalls"] == {
        "count": 2,
        "longest_ns": 4_200_001,
        "by_kernel": 1,
        "longest_by_kernel_ns": 500_000,
    }
    (one,) = summary["processes"]
    assert (one["overwritten"], one["runs"]) == (5, 1)
    assert one["threads"] == 2, "those of the witness are none of the program"
    assert "host stalls: 2, longest 4.20 ms; held back by the kernel: 1, longest 500 µs\n" in told(
        *arguments
    )


@need(("takt_trace", "takt_trace"))
def test_nobody_watched_or_nothing_was_seen_are_told_apart(tmp_path, written):
    for witnessed, stalls in ((True, {"count": 0, "longest_ns": 0}), (False, None)):
        arguments = ("convert", written(witnessed), "-o", tmp_path / "out")
        summary = json.loads(told(*arguments, "--json"))["host_stalls"]
        assert summary is None if stalls is None else stalls.items() <= summary.items()
        assert ("host stalls: none" in told(*arguments)) == witnessed


@need(("takt_trace", "takt_trace"))
def test_perfetto_reads_the_track_of_the_host(tmp_path, written):
    perfetto_trace_pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    told("convert", written(stalls=SEEN), "-o", tmp_path / "out")
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString((tmp_path / "out").read_bytes())
    tracks = [one.track_descriptor for one in trace.packet if one.HasField("track_descriptor")]
    hosts = {track.uuid for track in tracks if track.name == "host"}
    assert len(hosts) == 2, "two cores were taken at once"
    assert {track.thread.tid for track in tracks if track.HasField("thread")} == {100, 101}
    names = {
        one.iid: one.name for packet in trace.packet for one in packet.interned_data.event_names
    }
    events = [packet.track_event for packet in trace.packet if packet.HasField("track_event")]
    begun = {names[one.name_iid] for one in events if one.track_uuid in hosts and one.type == 1}
    assert begun == {
        "host took core 0",
        "host took core 1",
        "kernel throttled real-time threads of core 0",
    }
    instants = [names[one.name_iid] for one in events if one.type == 3]
    assert instants == [
        "3 messages overwritten",
        "2 messages overwritten",
        "parked: group busy",
    ]
    counters = {track.uuid for track in tracks if track.name == "overwritten /slow:sub(/x)"}
    assert [one.double_counter_value for one in events if one.track_uuid in counters] == [
        7,
        10,
        12,
    ]


@need(("takt_trace", "takt_trace"))
def test_a_report_lists_the_stalls(written):
    stalls = json.loads(told("report", written(stalls=SEEN)))["host_stalls"]
    assert [(one["core"], one["begin_ns"], one["by_kernel"]) for one in stalls] == [
        (0, 2_000_000, False),
        (1, 2_000_000, False),
        (0, 5_000_000, True),
    ]
    assert json.loads(told("report", written(witnessed=False)))["host_stalls"] is None


def test_the_page_names_the_time_that_the_host_had_a_core():
    raw = document(20)
    worst = raw["chains"][0]["worst"][0]

    def sentences(stalled):
        worst["host_stall_ns"] = stalled
        return [
            words
            for words in reasons(TraceReport.read(raw).chains[0].worst[0])
            if "the host" in words
        ]

    assert sentences(worst["response_ns"] // 2) == [
        f"Meanwhile the host had a core for {human(worst['response_ns'] // 2)}."
    ]
    assert sentences(0) == sentences(None) == []
