"""`takt latency`: tables, page and JSON of what programs found, and what it refuses."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.built import LATENCY, need
from takt_cli.pages.svg import picture
from takt_cli.verbs.latency import command
from takt_cli.verbs.latency.measurement import LatencySetting
from takt_cli.verbs.latency.page import histogram
from takt_cli.verbs.latency.results import (
    Cycles,
    LatencyRun,
    Thread,
    joined,
    merged,
    read_cyclictest,
)
from takt_cli.verbs.latency.table import latency_table, rights_line, sentences

BUCKETS = ((10, 19, 500), (20, 39, 490), (40, 79, 10))
SOME = Cycles(count=1000, min_ns=12, max_ns=70, sum_ns=20_000, overruns=3, buckets=BUCKETS)


@pytest.fixture(params=[True, False], ids=["virtual", "bare metal"])
def machine_kind(request, monkeypatch):
    """Both kinds of machine, whichever this one is."""
    real = command.this_host()
    host = dataclasses.replace(real, virtual=request.param, cores=(0,))
    monkeypatch.setattr(command, "this_host", lambda: host)
    monkeypatch.setattr(command, "usable_cores", lambda: (0,))
    return host


def test_a_percentile_is_told_with_ten_cycles_beyond_it():
    assert SOME.percentile(50) == 19
    assert SOME.percentile(99) == 39
    assert SOME.percentile(99.9) is None
    assert Cycles().percentile(50) is None


def test_no_percentile_is_above_the_maximum():
    one = Cycles(count=20, min_ns=64, max_ns=66, sum_ns=1300, buckets=((64, 127, 20),))
    assert one.percentile(50) == 66


def test_cycles_that_are_counted_apart_are_as_if_counted_together():
    other = Cycles(
        count=2, min_ns=5, max_ns=25, sum_ns=30, overruns=1, buckets=((5, 5, 1), (20, 39, 1))
    )
    both = merged([SOME, Cycles(), other])
    assert (both.count, both.min_ns, both.max_ns, both.overruns) == (1002, 5, 70, 4)
    assert both.buckets == ((5, 5, 1), (10, 19, 500), (20, 39, 491), (40, 79, 10))
    assert both.mean_ns == pytest.approx(20_030 / 1002)


def test_rounds_become_one_run_thread_by_thread():
    run = LatencyRun("x", True, (Thread("core 0", ordinary=SOME),), measured_ns=5)
    worse = dataclasses.replace(run, refused=("a",), memory_locked=False, ended_early=True)
    both = joined([run, worse])
    assert both.threads[0].ordinary.count == 2000
    assert (both.refused, both.memory_locked, both.ended_early) == (("a",), False, True)
    assert both.measured_ns == 10


def test_cyclictest_counts_microseconds_and_only_the_maximum_beyond_its_histogram():
    raw = {"thread": {"0": {"histogram": {"3": 8, "10": 1}, "cycles": 10, "min": 3, "avg": 4.5,
                            "max": 90_000}}}  # fmt: skip
    thread = read_cyclictest("cyclictest", raw, (5,), 7).threads[0]
    assert thread.name == "core 5"
    assert thread.ordinary.buckets == (
        (3000, 3999, 8), (10_000, 10_999, 1), (11_000, 90_000_000, 1),
    )  # fmt: skip
    assert thread.ordinary.max_ns == 90_000_000
    assert thread.ordinary.overruns is None


def test_the_setting_is_spelt_for_both_programs():
    setting = LatencySetting(cores=(0, 2), policy="rr", priority=9, load=True)
    own = " ".join(setting.arguments())
    assert own == ("--policy rr --cores 0,2 --priority 9 --interval 1ms --duration 10s --load")
    theirs = setting.cyclictest_arguments()
    for flag in ("--policy=rr", "--priority=9", "--affinity=0,2", "--threads=2", "--distance=0"):
        assert flag in theirs
    other = LatencySetting(cores=(1,), policy="other").cyclictest_arguments()
    assert not [flag for flag in other if flag.startswith("--priority")]
    assert "--cpus 1 " in " ".join(LatencySetting(cores=(1,)).command_words())


def test_host_stalls_are_told_apart_on_virtual_machines_only(takt, fakes, machine_kind):
    said = takt("latency", "-o", "all.json")
    assert said.code == 0, said.err
    told = json.loads(Path("all.json").read_text(encoding="utf-8"))
    core = told["runs"][0]["threads"][0]
    assert core["all"]["count"] == 20_000
    assert core["all"]["max_ns"] == 1_500_000
    assert core["all"]["overruns"] == 1
    outside = core["outside_host_stalls"]
    if machine_kind.virtual:
        assert (outside["count"], outside["max_ns"], outside["overruns"]) == (19_999, 90_000, 0)
        assert "wake-up latency outside host stalls" in said.out
        assert "held up 1 of the cycles" in " ".join(said.out.split())
    else:
        assert outside == core["all"]
        assert "firmware (SMI) or disabled interrupts" in " ".join(said.out.split())
    assert outside["p99.9_ns"] is not None


def test_fair_is_compared_in_the_same_call(takt, fakes, machine_kind):
    said = takt("latency", "--compare-fair", "--load", "-o", "all.json", "--html", "page.html")
    assert said.code == 0, said.err
    first, fair = json.loads(Path("all.json").read_text(encoding="utf-8"))["runs"]
    assert (first["name"], fair["name"]) == ("SCHED_FIFO 80", "SCHED_OTHER")
    assert first["threads"][0]["all"]["count"] == 40_000, "two rounds"
    if machine_kind.virtual:
        assert fair["ratio_to_first"] == 10
        assert "10 times as much as SCHED_FIFO 80 (1 times with host stalls)" in " ".join(
            said.out.split()
        )
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Latencies of core 0" in page
    assert "--compare-fair" in page
    assert '"type":"log"' in page


def test_missing_rights_are_said_on_top_in_one_line(takt, fakes, machine_kind):
    said = takt("latency", "--priority", "7")
    assert said.code == 0, said.err
    assert said.out.splitlines()[0] == (
        "Missing rights: core 0 ran under SCHED_OTHER nice 0 instead of SCHED_FIFO priority 80; "
        "memory was not locked. no right to it; do this"
    )
    assert "SCHED_FIFO 7 (granted: SCHED_OTHER nice 0): wake-up latency" in said.out


def test_strict_ends_as_the_program_does(takt, fakes):
    said = takt("latency", "--strict", "--priority", "13")
    assert (said.code, said.out) == (1, "")
    assert "takt: --strict: nothing was measured. the kernel refuses it" in said.err


def test_an_interrupt_shows_what_was_measured(fakes, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "takt_cli", "latency", "--priority", "14", "--compare-fair"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = tmp_path / "running.pid"
    while not (pid.exists() and pid.read_text()) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith("Ended early")
    assert "SCHED_FIFO 14: wake-up latency" in said
    assert "SCHED_OTHER: wake-up" not in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--policy idle", "--policy"),
        ("--priority 0", "--priority: '0' is not a whole number from 1 to 99"),
        ("--duration soon", "--duration: 'soon' is not a duration"),
        ("--interval 1us", "--interval 1us is too short; take at least 20us"),
        ("--runtime fast", "--runtime: 'fast' is not a duration"),
        ("--cpus 0,x", "not a list of cores"),
        ("--policy other --compare-fair", "--compare-fair compares with SCHED_OTHER"),
        ("--policy deadline --cyclictest", "cyclictest has no policy deadline"),
        ("-o -", "'-' names no file"),
        ("-o same --html same", "--output and --html name the same file"),
    ],
)
def test_nonsense_is_refused_in_a_sentence_before_anything_is_measured(
    takt, fakes, monkeypatch, options, words
):
    monkeypatch.setattr(command, "_measure", lambda *_: pytest.fail("it was measured"))
    said = takt("latency", *options.split())
    assert (said.code, said.out) == (2, "")
    assert words in " ".join(said.err.split())


def test_a_missing_cyclictest_is_said_in_a_sentence(takt, fakes, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    said = takt("latency", "--cyclictest")
    assert (said.code, said.out) == (2, "")
    assert "cyclictest is not installed; install the package rt-tests" in said.err


def test_a_histogram_has_a_line_for_each_run_and_can_be_a_picture():
    stalled = Thread("core 0", ordinary=SOME, held_up=Cycles(1, 99, 99, 99, 0, ((99, 99, 1),)))
    runs = [LatencyRun(name, True, (stalled,)) for name in ("one", "two")]
    figure = histogram(runs, 0)
    names = [trace["name"] for trace in figure["data"]]
    assert names == ["one", "one, in host stalls", "two", "two, in host stalls"]
    assert max(figure["data"][0]["y"]) <= SOME.count
    assert figure["layout"]["yaxis"]["type"] == "log"
    assert picture("x", figure).startswith("<svg")
    empty = [LatencyRun("none", True, (Thread("core 0"),))]
    assert histogram(empty, 0)["data"] == []


def test_nothing_measured_is_said():
    run = LatencyRun("x", True, (Thread("core 0"),))
    assert sentences([run], "every 1ms", True) == ["The measurement ended before its first cycle."]
    assert latency_table(run, True).rows
    assert rights_line(run) == ""


@need(*LATENCY)
def test_a_second_of_the_real_program(takt, tmp_path):
    file, page = tmp_path / "all.json", tmp_path / "page.html"
    said = takt(
        "latency", "--duration", "1s", "--policy", "other", "--core-count", "1", "-o", file,
        "--html", page,
    )  # fmt: skip
    assert said.code == 0, said.err
    told = json.loads(file.read_text(encoding="utf-8"))
    (core,) = [one for one in told["runs"][0]["threads"] if one["name"] != "all"]
    # Each of the thousand periods is a cycle or an overrun.
    assert core["all"]["count"] + core["all"]["overruns"] >= 1000
    assert "Latencies of core" in page.read_text(encoding="utf-8")
    refused = takt("latency", "--policy", "other", "--priority", "5")
    assert refused.code == 2
    assert "priority 5 does not belong to policy 'other'" in refused.err
