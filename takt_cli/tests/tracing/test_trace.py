"""`takt trace` against processes that are not there, and a stand-in for `takt_trace`."""

import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from support.closing import each_numbered
from support.fake_control import (
    ERROR,
    RESULT,
    STATUS,
    TRACE_SNAPSHOT,
    TRACE_START,
    TRACE_STOP,
    FakeProcess,
    FakeTracer,
    frame,
    message,
    process,
)
from support.patience import PATIENCE_S
from takt_cli.control import tracing
from takt_cli.control.client import Peer
from takt_cli.control.tracing import RawTrace
from takt_cli.documents.document import DamagedError
from takt_cli.results.trace import TraceSummary

OUT = Path("trace.takttrace")


@pytest.fixture
def start(fakes, folder):
    """Start a process that can trace."""

    def make(pid, name, kind=FakeTracer, **figures):
        return kind(folder, pid, process(f"/opt/robot/{name}"), **figures)

    with each_numbered(make) as call:
        yield call


@pytest.fixture
def hasty(hasty, monkeypatch):
    monkeypatch.setattr(tracing, "WRITE_S", PATIENCE_S)


def hangs_at(one, wanted):
    """Let a process answer everything but one type of message."""

    def answer(kind, request):
        if kind == wanted:
            one.hang()
            return b""
        return one.trace(kind, request)

    one.others = answer


def told(one):
    """The requests beside those for the status."""
    return [kind for kind, _ in one.requests if kind != STATUS]


def converted(path=OUT):
    """Which processes a written trace is of, and its format."""
    data = json.loads(path.read_text())
    return data["of"], data["format"]


def left(folder):
    """The files of processes that are still there."""
    return [path.name for path in sorted(folder.glob("*.trace"))]


CHAIN = {
    "name": "hot path",
    "activations": 1200,
    "missed": 3,
    "max_response_ns": 12_345_678,
    "account": {
        "released": 1203,
        "completed": 1200,
        "late": 1,
        "lost": 2,
        "superseded": 1,
        "unfinished": 0,
        "overdue": 0,
        "skipped": 0,
    },
    "account_why": None,
}


# Start


def test_start_begins_in_all_processes(takt, start):
    one, two = start("talk", threads=3), start("listen")
    said = takt("trace", "start", "--records", "2048")
    assert said.code == 0, said.err
    assert said.out.splitlines() == [
        "listen (pid 4000002): traces 1 thread",
        "talk (pid 4000001): traces 3 threads",
        "`takt trace stop` ends the trace and writes it",
    ]
    assert one.asked(TRACE_START) == two.asked(TRACE_START) == [{"last_ns": None, "records": 2048}]


def test_cpu_times_are_measured_where_they_are_asked_for(takt, start):
    one = start("talk")
    assert takt("trace", "start", "--cpu").code == 0
    assert one.asked(TRACE_START) == [{"last_ns": None, "records": None, "cpu_times": True}]


def test_the_kernel_is_asked_where_that_is_wanted(takt, start):
    one = start("talk")
    assert takt("trace", "start", "--kernel").code == 0
    assert one.asked(TRACE_START) == [{"last_ns": None, "records": None, "kernel": True}]


def test_start_with_last_keeps_only_so_much(takt, start):
    one, other = start("talk"), start("listen")
    said = takt("trace", "start", "talk", "--last", "10s")
    assert said.code == 0, said.err
    assert said.out.splitlines() == [
        "talk (pid 4000001): traces 1 thread",
        "`takt trace snapshot` writes the last 10 s; `takt trace stop` ends the trace and "
        "writes it",
    ]
    assert one.asked(TRACE_START) == [{"last_ns": 10**10, "records": None}]
    assert other.tracing is None


def test_one_refusal_ends_all_traces_again(takt, start, folder):
    one, two, three = (start(name) for name in ("a", "b", "c"))
    two.tracing = {}
    three.others = lambda kind, _: (ERROR, {"faults": [f"message {kind} is unknown", "really"]})
    said = takt("trace", "start")
    assert said.code == 1
    assert said.out == ""
    assert said.err.splitlines() == [
        "b (pid 4000002) refuses: a trace runs already",
        "c (pid 4000003) refuses: message 13 is unknown; really",
        "takt: no trace was begun",
    ]
    assert one.tracing is None
    assert one.written
    assert left(folder) == []
    assert two.tracing == {}
    assert not two.asked(TRACE_STOP)


def test_a_refusal_as_json_has_all_faults(takt, start):
    start("a")
    start("b").tracing = {}
    said = takt("trace", "start", "--json")
    assert said.code == 1
    assert json.loads(said.out) == {
        "schema": 1,
        "ok": False,
        "failures": ["b (pid 4000002) refuses: a trace runs already"],
        "processes": [],
    }


def test_start_as_json_names_those_that_trace(takt, start):
    start("a", threads=2)
    said = takt("trace", "start", "--json", "--last", "1s", "--records", "1024")
    assert said.code == 0
    assert json.loads(said.out) == {
        "schema": 1,
        "ok": True,
        "failures": [],
        "last_ns": 10**9,
        "records": 1024,
        "processes": [{"pid": 4_000_001, "program": "/opt/robot/a", "threads": 2}],
    }


def test_a_process_that_hangs_at_the_start_is_told_to_stop(takt, start, hasty, folder):
    one, two = start("a"), start("b")
    hangs_at(two, TRACE_START)
    said = takt("trace", "start")
    assert said.code == 1
    assert said.err.splitlines()[0] == "b (pid 4000002) does not answer within 60 s"
    assert said.err.splitlines()[-1] == "takt: no trace was begun"
    assert one.tracing is None
    assert left(folder) == []


def test_a_process_that_does_not_end_its_trace_again_is_told(takt, start, hasty):
    one = start("a")
    hangs_at(one, TRACE_STOP)
    start("b").tracing = {}
    said = takt("trace", "start")
    assert said.code == 1
    assert (
        "a (pid 4000001) may trace on: when it was told to end its trace, it does not answer "
        "within 60 s; try `takt trace stop 4000001`\n"
    ) in said.err


def test_a_silent_process_does_not_hold_up_the_others(takt, start, hasty):
    one = start("a")
    start("b").hangs.set()
    said = takt("trace", "start")
    assert said.code == 1
    assert "a (pid 4000001): traces 1 thread\n" in said.out
    assert "process 4000002 does not answer within 60 s" in said.err
    assert one.tracing is not None


@pytest.mark.parametrize(
    "arguments",
    ["start --records 1023", "start --records 1048577", "start --last 1ms", "record --duration 0s"],
)
def test_wrong_numbers_are_refused(takt, start, arguments):
    one = start("a")
    said = takt("trace", *arguments.split())
    assert said.code == 2
    assert arguments.split()[1] in said.err
    assert not one.requests


def test_an_interrupt_during_the_start_ends_the_traces_again(takt, start, folder):
    one = start("a")

    def interrupt(kind, request):
        if kind == TRACE_START:
            os.kill(os.getpid(), signal.SIGINT)
        return one.trace(kind, request)

    one.others = interrupt
    said = takt("trace", "start")
    assert said.code == 130
    assert said.out == ""
    assert one.tracing is None
    assert left(folder) == []


# Stop and snapshot


def test_stop_writes_one_trace_of_all_that_trace(takt, start, folder):
    one = start("talk", threads=3, runs=1204, chains=[CHAIN])
    two = start("listen", runs=1)
    three = start("idle")
    takt("trace", "start", "talk", "listen")
    said = takt("trace", "stop")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[:4] == [
        "5.00 s of 2 processes",
        "listen (pid 4000002): 1 thread, 1 run",
        "talk (pid 4000001): 3 threads, 1,204 runs",
        "messages: 30 published, 20 taken, 10 of these joined with their publication",
    ]
    (row,) = [line for line in lines if "hot path" in line]
    assert re.split("  +", row) == [
        "hot path",
        "talk (pid 4000001)",
        "1,200",
        "3",
        "12.3 ms",
    ]
    assert lines[-1] == (
        "`takt report trace.takttrace` makes a page of it, and `takt model trace.takttrace` "
        "a system model"
    )
    assert said.err == (
        "idle (pid 4000003) does not trace: it began after `takt trace start`, or that command "
        "did not name it\n"
    )
    assert converted() == ([4_000_002, 4_000_001], "takt")
    assert one.tracing is two.tracing is None
    assert three.asked(TRACE_STOP) == [{}]
    assert left(folder) == []


def test_of_many_processes_that_do_not_trace_three_are_named(takt, start):
    start("talk")
    takt("trace", "start")
    for name in "abcde":
        start(name)
    said = takt("trace", "snapshot")
    assert said.code == 0
    assert said.err.startswith(
        "a (pid 4000002), b (pid 4000003), c (pid 4000004) and 2 more do not trace: they began"
    )


def test_a_chain_without_an_activation_has_no_worst_response(takt, start):
    nothing = {"activations": 0, "max_response_ns": 0, "missed": 0}
    start("talk", chains=[CHAIN | nothing]).tracing = {}
    (row,) = [line for line in takt("trace", "stop").out.splitlines() if "hot path" in line]
    assert row.split()[-1] == "–"


def test_snapshot_writes_and_lets_the_processes_trace_on(takt, start, folder):
    one = start("talk")
    takt("trace", "start", "--last", "1s")
    for number in (1, 2):
        Path(f"s{number}").mkdir()
        said = takt("trace", "snapshot", "-o", f"s{number}/t", "--format", "chrome")
        assert said.code == 0, said.err
        assert said.out.endswith(f"open s{number}/t at https://ui.perfetto.dev\n")
        assert converted(Path(f"s{number}/t")) == ([4_000_001], "chrome")
    assert one.tracing is not None
    assert one.asked(TRACE_SNAPSHOT) == [{}, {}]
    assert left(folder) == []


def test_a_trace_in_the_format_of_chrome_has_a_name_of_its_own(takt, start):
    start("talk")
    takt("trace", "start")
    assert takt("trace", "stop", "--format", "chrome").code == 0
    assert converted(Path("takt-trace.json")) == ([4_000_001], "chrome")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("fault.takttrace", "takt"),
        ("fault", "takt"),
        ("fault.perfetto-trace", "perfetto"),
        ("fault.pftrace", "perfetto"),
        ("fault.json", "chrome"),
    ],
)
def test_the_format_is_that_of_the_files_name(takt, start, name, form):
    start("talk").tracing = {}
    assert takt("trace", "snapshot", "-o", name).code == 0
    assert converted(Path(name)) == ([4_000_001], form)
    assert takt("trace", "snapshot", "-o", name, "--format", "takt", "--force").code == 0
    assert converted(Path(name)) == ([4_000_001], "takt")


@pytest.mark.parametrize("form", ["takt", "perfetto", "chrome"])
def test_a_second_file_without_a_name_gets_a_number(takt, start, form):
    start("talk").tracing = {}
    for _ in range(3):
        said = takt("trace", "snapshot", "--format", form)
        assert said.code == 0, said.err
    found = [path.name for path in Path().iterdir() if "trace" in path.name]
    assert len(found) == 3
    assert ["-2" in name for name in found].count(True) == 1
    assert ["-3" in name for name in found].count(True) == 1


def test_an_existing_file_is_refused_before_any_process_is_told(takt, start):
    one = start("talk")
    one.tracing = {}
    OUT.write_text("mine")
    for arguments in (["stop"], ["snapshot"], ["record", "--duration", "1s"]):
        said = takt("trace", *arguments, "-o", str(OUT))
        assert said.code == 2
        assert f"{OUT} exists; name another file, or replace it with --force" in said.err
    assert not told(one)
    assert OUT.read_text() == "mine"
    said = takt("trace", "stop", "--force")
    assert said.code == 0, said.err
    assert converted()[0] == [4_000_001]


def test_a_file_that_cannot_be_written_is_refused_before_any_process_is_told(takt, start):
    one = start("talk")
    cases = ((".", "is a directory"), ("-", "names no file"), ("/proc/x", "cannot"))
    for output, why in (*cases, ("gone/x", "gone/x cannot be written: there is no folder gone")):
        said = takt("trace", "stop", "-o", output)
        assert said.code == 2
        assert why in said.err
    assert not told(one)


def test_a_missing_process_is_told_before_an_existing_file(takt, start):
    start("talk")
    OUT.write_text("mine")
    for command in (["stop"], ["snapshot"], ["record", "--duration", "1s"]):
        said = takt("trace", *command, "nosuch")
        assert "the program name 'nosuch'" in said.err
        assert "exists" not in said.err


def test_without_the_program_no_process_is_asked(takt, start, nothing_built):
    one = start("talk")
    one.tracing = {}
    said = takt("trace", "stop")
    assert said.code == 2
    assert "the program takt_trace of takt_trace is not built" in said.err
    assert not told(one)


def test_a_named_process_that_does_not_trace_is_a_fault(takt, start):
    start("talk")
    start("listen")
    takt("trace", "start", "talk")
    said = takt("trace", "stop", "talk", "listen")
    assert said.code == 1
    assert converted()[0] == [4_000_001]
    assert said.err == "listen (pid 4000002) refuses: no trace runs\n"


def test_without_a_trace_stop_says_so(takt, start):
    start("talk")
    start("listen")
    for command in ("stop", "snapshot"):
        said = takt("trace", command)
        assert said.code == 1
        assert said.out == ""
        assert said.err.splitlines() == [
            "listen (pid 4000002) refuses: no trace runs",
            "talk (pid 4000001) refuses: no trace runs",
            "takt: no trace was written; `takt trace start` begins one",
        ]
    assert not OUT.exists()


def test_a_process_that_cannot_write_its_trace_is_a_fault(takt, start):
    one, two = start("talk"), start("listen")
    one.tracing = two.tracing = {}

    def full(kind, request):
        return RESULT, one.trace(kind, request)[1] | {"faults": ["the disk is full"]}

    one.others = full
    two.others = lambda *_: (RESULT, {"faults": ["no \x1b file"]})
    said = takt("trace", "stop")
    assert said.code == 1
    assert said.err.splitlines() == [
        "listen (pid 4000002) did not write all: no \\x1b file",
        "talk (pid 4000001) did not write all: the disk is full",
    ]
    assert converted()[0] == [4_000_001]


def test_a_process_that_hangs_at_the_stop_does_not_hold_up_the_others(takt, start, hasty):
    one, two = start("a"), start("b")
    start("silent").hangs.set()
    one.tracing = two.tracing = {}
    hangs_at(two, TRACE_STOP)
    said = takt("trace", "stop")
    assert said.code == 1
    assert converted()[0] == [4_000_001]
    first, second = said.err.splitlines()
    assert first.startswith("process 4000003 does not answer within 60 s")
    assert second == "b (pid 4000002) does not answer within 60 s"


def test_dropped_records_are_told_with_what_to_do(takt, start):
    start("talk", dropped=1700).tracing = {}
    start("listen").tracing = {}
    said = takt("trace", "stop")
    assert said.code == 0
    assert "talk (pid 4000001): 1 thread, 10 runs, 1,700 records dropped\n" in said.out
    assert "listen (pid 4000002): 1 thread, 10 runs\n" in said.out
    assert "1,700 records are missing: the ring of a thread was full" in said.out
    assert "Trace again with a larger --records." in said.out


def test_a_trace_as_json_is_one_document(takt, start):
    start("talk", chains=[CHAIN], dropped=2).tracing = {}
    said = takt("trace", "stop", "--json", "-o", "t.json", "--format", "chrome")
    assert said.code == 0
    assert json.loads(said.out) == {
        "schema": 1,
        "ok": True,
        "failures": [],
        "file": "t.json",
        "format": "chrome",
        "processes": [
            {
                "pid": 4_000_001,
                "program": "/opt/robot/talk",
                "threads": 1,
                "runs": 10,
                "dropped": 2,
                "overwritten": 0,
            }
        ],
        "messages": {
            "published": 30,
            "taken": 20,
            "joined": 10,
            "joinable": 0,
            "joinable_joined": 0,
        },
        "chains": [{**CHAIN, "process": 4_000_001}],
        "host_stalls": None,
        "hosts": [],
        "join_uncertainty_ns": None,
        "began_ns": 10**9,
        "ended_ns": 6 * 10**9,
    }
    said = takt("trace", "stop", "--json")
    assert said.code == 1
    data = json.loads(said.out)
    assert (data["ok"], data["processes"]) == (False, [])
    assert data["failures"] == ["talk (pid 4000001) refuses: no trace runs"]


def test_a_trace_on_standard_output_is_alone_there(takt, start):
    start("talk").tracing = {}
    said = takt("trace", "stop", "-o", "/dev/stdout")
    assert said.code == 0, said.err
    assert json.loads(said.out)["of"] == [4_000_001]
    assert "messages: 30 published" in said.err


# The program that converts


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        ({"how": "full"}, "takt_trace: trace.takttrace cannot be written: No space left"),
        ({"how": "usage"}, "takt: unknown option"),
        ({"how": "words"}, "takt_trace printed no JSON"),
        ({"how": "nothing"}, "takt_trace wrote no trace"),
        ({"document": {"schema": 2}}, "schema is 2 where 1 belongs"),
        ({"document": {"chains": 5}}, "chains is 5 where a list belongs"),
    ],
)
def test_a_failed_conversion_keeps_the_files(takt, start, folder, figures, why):
    one = start("talk", **figures)
    one.tracing = {}
    OUT.write_text("mine")
    said = takt("trace", "stop", "--force")
    assert said.code == 1
    assert said.out == ""
    assert why in said.err
    assert OUT.read_text() == "mine"
    assert [path.name for path in Path().iterdir() if path.is_file()] == [OUT.name]
    (raw,) = one.written
    assert left(folder) == [raw.name]
    (line,) = [line for line in said.err.splitlines() if "This command writes the trace" in line]
    command = f"convert {raw} -o {OUT.absolute()} --format takt"
    assert line.endswith(f"/takt_trace/takt_trace {command}")


def test_figures_are_read_or_refused():
    document = {
        "schema": 1,
        "processes": [{"pid": 7, "program": "/p/\x1b[31mx", "threads": 1, "runs": 2, "dropped": 0}],
        "messages": {"published": 1, "taken": 1, "joined": 1},
        "chains": [{"name": "c", "process": "talk", "activations": 0, "max_response_ns": None}],
    }
    summary = TraceSummary.read(document)
    assert summary.processes[0].words == "\\x1b[31mx (pid 7)"
    assert summary.chains[0].process == "talk"
    assert summary.chains[0].missed is None
    assert summary.chains[0].account is None
    assert summary.chains[0].account_why is None
    for wrong in (
        [],
        None,
        {},
        {**document, "messages": []},
        {**document, "processes": [{"pid": "7"}]},
        {**document, "processes": [{"runs": -1}]},
        {**document, "chains": [{"name": ""}]},
        {**document, "chains": [{"name": "c", "process": 1.5}]},
        {**document, "chains": [{"name": "c", "account": {"lost": -1}}]},
        {**document, "began_ns": float("nan")},
    ):
        with pytest.raises(DamagedError):
            TraceSummary.read(wrong)


# Answers that are wrong


WRONG = {
    "nothing": (b"", "closed the connection without an answer"),
    "another magic": (frame(RESULT, b"{}", magic=b"http"), "bytes that are no message of takt"),
    "no JSON": (frame(RESULT, b"{no"), "not JSON"),
    "a list": (frame(RESULT, b"[]"), "not an object"),
    "no faults": (frame(ERROR, b"{}"), "without saying why"),
    "no file": ((RESULT, {"records": 5}), "answered with damaged data: file is None"),
    "a number": ((RESULT, {"file": 5}), "answered with damaged data: file is 5"),
    "a missing file": (
        (RESULT, {"file": "/r/gone"}),
        "gone as its trace, which cannot be read: No",
    ),
    "a folder": ((RESULT, {"file": "/r/.."}), ".. as its trace, which is no file of its user"),
    "no name": ((RESULT, {"file": "/"}), "as its trace, which is no file of its user"),
    "a socket": ((RESULT, {"file": "4000001.sock"}), "which is no file of its user"),
    "a link": ((RESULT, {"file": "/r/link"}), "link as its trace, which is no file of its user"),
    "a zero": ((RESULT, {"file": "a\0b"}), "which cannot be read: it is no name of a file"),
    "a surrogate": (frame(RESULT, b'{"file": "\\ud800"}'), "which cannot be read: it is no name"),
    "a long name": ((RESULT, {"file": "x" * 5000}), "which cannot be read: File name too long"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_one_line(takt, start, folder, case):
    answer, why = WRONG[case]
    (folder / "kept").write_text("kept")
    (folder / "link").symlink_to(folder / "kept")
    start("a").others = lambda *_: answer
    start("b").tracing = {}
    said = takt("trace", "stop")
    assert said.code == 1
    (line,) = said.err.splitlines()
    assert line.startswith("a (pid 4000001) ")
    assert why in line
    assert converted()[0] == [4_000_002]
    assert (folder / "kept").read_text() == "kept"
    assert (folder / "link").is_symlink()


@pytest.mark.parametrize("told", [{"threads": "many"}, {"threads": -1}, {"threads": 1.5}])
def test_a_wrong_answer_to_a_start_ends_all_traces_again(takt, start, folder, told):
    one, two = start("a"), start("b")

    def wrong(kind, request):
        answer = two.trace(kind, request)
        return (RESULT, told) if kind == TRACE_START else answer

    two.others = wrong
    said = takt("trace", "start")
    assert said.code == 1
    assert "b (pid 4000002) answered with damaged data: threads is" in said.err
    assert one.tracing is two.tracing is None
    assert left(folder) == []


def test_only_files_of_the_process_s_user_are_taken_and_removed(takt, start, folder, monkeypatch):
    one = start("a")
    one.tracing = {}
    somebody = os.geteuid() + 1
    monkeypatch.setattr("takt_cli.control.client.peer_of", lambda _: Peer(0, somebody))
    said = takt("trace", "stop")
    assert said.code == 1
    assert "as its trace, which is no file of its user" in said.err
    (path,) = one.written
    RawTrace(path, somebody).remove()
    assert path.exists()
    RawTrace(path, os.geteuid()).remove()
    assert not path.exists()
    RawTrace(path, os.geteuid()).remove()  # best effort


def test_a_process_that_ends_before_it_answers_is_told(takt, start, folder):
    class Ending(FakeProcess):
        """Answers once."""

        def _answer(self, connection):
            self._request(connection)
            self._listener.close()
            connection.sendall(message(RESULT, self.status))

    start("a", Ending)
    start("b").tracing = {}
    said = takt("trace", "stop")
    assert said.code == 1
    assert said.err == "a (pid 4000001) has ended\n"
    assert converted()[0] == [4_000_002]


def test_without_a_process_one_sentence_says_how_to_start_one(takt, fakes, folder):
    for arguments in (["start"], ["stop"], ["snapshot"], ["record", "--duration", "1s"]):
        said = takt("trace", *arguments)
        assert said.code == 1
        assert said.err.startswith(
            "takt: no process runs under takt; `takt exec -- PROGRAM` starts"
        )


# Record


def test_record_ends_with_the_processes_and_names_the_file_that_they_leave(takt, start, folder):
    with subprocess.Popen(["sleep", "1000"]) as killed:
        one = start("talk", pid=killed.pid)

        def dies(kind, request):
            answer = one.trace(kind, request)
            if kind == TRACE_START:
                (folder / f"{killed.pid}-1.takttrace").write_text("some records")
                killed.kill()
                threading.Thread(target=one.close).start()
            return answer

        one.others = dies
        said = takt("trace", "record", "--duration", "10min")
    assert said.code == 1
    file = folder / f"{killed.pid}-1.takttrace"
    assert said.err.splitlines()[-2:] == [
        f"talk (pid {killed.pid}) has ended; it left its records in {file}: `takt report {file}` "
        "makes a page of them",
        "takt: no trace was written: no process traces any more",
    ]


def test_record_starts_waits_and_stops(takt, start, folder, monkeypatch):
    one, other = start("talk"), start("listen")
    waited = []
    monkeypatch.setattr(
        "takt_cli.verbs.trace.command.wait", lambda *arguments: waited.append(arguments[:2])
    )
    said = takt("trace", "record", "talk", "--duration", "5s", "--records", "4096", "-o", "t")
    assert said.code == 0, said.err
    assert waited == [(5, 1)]
    assert one.asked(TRACE_START) == [{"last_ns": None, "records": 4096}]
    assert one.asked(TRACE_STOP) == [{}]
    assert not other.asked(TRACE_START)
    assert converted(Path("t"))[0] == [4_000_001]
    assert left(folder) == []


def test_record_waits_the_time(takt, start):
    start("talk")
    began = time.monotonic()
    assert takt("trace", "record", "--duration", "100ms").code == 0
    assert time.monotonic() - began >= 0.1


def test_record_where_one_process_refuses_traces_nothing(takt, start, folder):
    one = start("a")
    start("b").tracing = {}
    said = takt("trace", "record", "--duration", "60min")
    assert said.code == 1
    assert "b (pid 4000002) refuses: a trace runs already\n" in said.err
    assert one.tracing is None
    assert left(folder) == []
    assert not OUT.exists()


def test_an_interrupt_ends_the_wait_and_the_trace_is_written(takt, start, monkeypatch):
    one = start("talk")
    signals = iter([signal.SIGINT])  # the one module `time` is for all

    def interrupt_once(_):
        for number in signals:
            os.kill(os.getpid(), number)

    monkeypatch.setattr("takt_cli.verbs.trace.command.time.sleep", interrupt_once)
    said = takt("trace", "record", "--duration", "60min")
    assert said.code == 0, said.err
    assert one.tracing is None
    assert converted()[0] == [4_000_001]


def test_a_second_interrupt_keeps_the_files(takt, start, folder, monkeypatch):
    one = start("talk")

    def interrupt_twice(_):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("takt_cli.verbs.trace.command.time.sleep", interrupt_twice)
    said = takt("trace", "record", "--duration", "60min")
    assert said.code == 130
    assert one.tracing is None
    assert "The files of the processes are kept." in said.err
    assert left(folder) == [one.written[0].name]
    assert not OUT.exists()


def test_a_failure_while_it_waits_ends_the_traces(takt, start, folder, monkeypatch):
    one = start("talk")

    def fail(*_):
        raise BrokenPipeError

    monkeypatch.setattr("takt_cli.verbs.trace.command.wait", fail)
    assert takt("trace", "record", "--duration", "1s").code == 1
    assert one.tracing is None
    assert left(folder) == []


def test_a_process_that_ends_while_it_is_traced_is_told(takt, start, monkeypatch):
    one, _ = start("a"), start("b")
    monkeypatch.setattr(
        "takt_cli.verbs.trace.command.wait", lambda *_: one.close(leave_socket=True)
    )
    said = takt("trace", "record", "--duration", "1s")
    assert said.code == 1
    assert said.err == "a (pid 4000001) has ended; its records are lost\n"
    assert converted()[0] == [4_000_002]


def test_an_interrupt_of_the_conversion_keeps_the_files(takt, start, folder, monkeypatch):
    one = start("talk")
    one.tracing = {}

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("takt_cli.verbs.trace.collected.convert", interrupt)
    said = takt("trace", "stop")
    assert said.code == 130
    assert "The files of the processes are kept." in said.err
    assert said.err.splitlines()[-1] == "takt: interrupted"
    assert left(folder) == [one.written[0].name]


# A model of a trace


def test_model_names_the_file_that_it_wrote_and_replaces_none(takt, fakes, tmp_path):
    trace = tmp_path / "a.takttrace"
    trace.write_bytes(b"TAKTTRC1")
    said = takt("model", trace, "-o", tmp_path / "system.yaml")
    assert said.code == 0, said.err
    written = f"2 callbacks are in {tmp_path / 'system.yaml'}\n"
    assert said.err == f"note: chains None, costs None, percentile None; {written}"
    assert (tmp_path / "system.yaml").read_text() == "version: 1\n"
    said = takt("model", trace, "-o", tmp_path / "system.yaml")
    assert said.code == 2
    assert "exists" in said.err
    assert takt("model", trace, "-o", tmp_path / "system.yaml", "--force").code == 0
    said = takt("model", trace, "-o", trace, "--force")
    assert said.code == 2
    assert trace.read_bytes() == b"TAKTTRC1"
    said = takt("model", tmp_path / "none", "-o", tmp_path / "other.yaml")
    assert said.code == 2, said.err


def test_model_passes_chains_and_costs_on(takt, fakes, tmp_path):
    trace, costs = tmp_path / "a.takttrace", tmp_path / "costs.yaml"
    trace.write_bytes(b"TAKTTRC1")
    costs.write_text("version: 1\noverheads: {}\n")
    said = takt("model", trace, "-o", tmp_path / "s.yaml", "--costs", costs, "--chains", "x.yaml")
    assert said.code == 0, said.err
    assert f"costs {costs}, percentile None;" in said.err
    said = takt("model", trace, "-o", tmp_path / "s.yaml", "--percentile", "99.5", "--force")
    assert "percentile 99.5;" in said.err
    assert takt("model", trace, "-o", tmp_path / "t.yaml", "--percentile", "0").code == 2
    assert not (tmp_path / "t.yaml").exists()
    said = takt("model", trace, "-o", costs, "--costs", costs, "--force")
    assert said.code == 2
    assert "file of costs" in said.err
    assert costs.read_text() == "version: 1\noverheads: {}\n"


def test_a_trace_for_models_says_what_to_do_with_it(takt, start):
    start("talk")
    takt("trace", "start")
    said = takt("trace", "stop", "--format", "takt")
    assert said.code == 0, said.err
    assert said.out.splitlines()[-1] == (
        "`takt report trace.takttrace` makes a page of it, and `takt model trace.takttrace` "
        "a system model"
    )
    assert json.loads(Path("trace.takttrace").read_text())["format"] == "takt"
