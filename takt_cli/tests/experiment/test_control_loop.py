"""`takt experiment control-loop`: claims, tables, and the real programs for a moment."""

from __future__ import annotations

import json
import subprocess

import pytest
from support.built import CONTROL_LOOP, PLAN, TRACE, WORKLOAD, need
from support.schemas import example, faults
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.programs import find_program
from takt_cli.results.results_file import parse_results
from takt_cli.running.control_loop import (
    HostStalls,
    Loop,
    Measured,
    place_of_the_loop,
    plan,
)
from takt_cli.running.without_rights import DAEMON, missing_right
from takt_cli.verbs.experiment import control_loop as claims
from takt_cli.verbs.experiment.control_loop import Misses, judge, misses

MS = 1_000_000
WAIT = {"began_ns": 0, "waited_ns": 0, "switches": 1}
CYCLES = 10_000


def late(begin_ms, end_ms, count=1):
    return {"begin_ns": begin_ms * MS, "end_ns": end_ms * MS, "misses": count} | WAIT


def times(count=CYCLES):
    return {
        "count": count,
        "min_ns": 10_000,
        "max_ns": 80_000,
        "buckets": [[10_000, 10_100, count - 1], [80_000, 80_500, 1]],
    }


def loop(**more):
    known = {
        "releases": CYCLES,
        "misses": sum(one["misses"] for one in more.get("late", [])),
        "late": [],
        "unrecorded": 0,
        "minor_faults": 0,
        "major_faults": 0,
        "work_ns": 100_000,
        "wake_ups": times(),
        "responses": times(),
        "notes": [],
    }
    return Loop.read(example("control_loop", **(known | more)))


def stalls(*spans_ms, blind=""):
    spans = [[begin * MS, end * MS] for begin, end in spans_ms]
    return HostStalls.read(example("host_stalls", spans_ns=spans, blind=blind))


def nodes(completed=500, released=500):
    chain = example("results#chain", name="perception", completed=completed, released=released)
    chain |= {"superseded": 0, "lost": 0, "unfinished": 0}
    return parse_results(example("results", chains=[chain], threads=[]))


THREADS = (
    ("controller", "control", "fifo 90, cores 0", "as_asked"),
    ("nodes", "perception", "fifo 80, cores 1", "as_asked"),
)


def measured(**more):
    known = {
        "loop": loop(),
        "stalls": stalls((1, 3)),
        "nodes": nodes(),
        "threads": THREADS,
        "granted": 4,
        "loop_core": 0,
    }
    return Measured(**(known | more))


def verdicts(done, virtual=True, wanted=CYCLES):
    return [claim.holds for claim in judge(done, virtual, wanted)]


def test_claims_are_met_where_nothing_is_missed():
    assert verdicts(measured()) == [True] * 5


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({"loop": loop(late=[late(10, 12)])}, 0),
        ({"loop": loop(releases=CYCLES - 1)}, 0),
        ({"loop": loop(late=[late(1, 3, 101)])}, 1),
        ({"threads": (THREADS[0], (*THREADS[1][:3], "not_granted"))}, 2),
        ({"threads": THREADS[:1]}, 2),
        ({"granted": 1}, 2),
        ({"nodes": nodes(completed=490)}, 3),
        ({"nodes": nodes(0, 0)}, 3),
        ({"loop": loop(minor_faults=1)}, 4),
    ],
)
def test_a_claim_is_missed_where_its_figure_is_bad(changes, missed):
    assert verdicts(measured(**changes)) == [number != missed for number in range(5)]


@pytest.mark.parametrize(
    ("span", "excused"),
    [
        ((9, 11), True),
        ((11, 15), True),
        ((5, 20), True),
        ((5, 10), False),  # over when the late cycle was released
        ((13, 20), False),  # began after its end
    ],
)
def test_a_miss_is_excused_by_a_stall_in_its_time_only(span, excused):
    found = misses(loop(late=[late(10, 12, 2)]), stalls((1, 3), span, (40, 41)), virtual=True)
    assert found == (Misses(0, 2) if excused else Misses(2, 0))


def test_no_miss_is_excused_without_a_host_or_without_a_witness_that_sees():
    one = loop(late=[late(10, 12)])
    assert misses(one, stalls((9, 11)), virtual=False) == Misses(1, 0)
    assert misses(one, stalls((9, 11), blind="no rights"), virtual=True) == Misses(1, 0)


def test_misses_without_room_are_not_excused():
    one = loop(late=[late(10, 12)])
    more = loop(late=[late(10, 12)], misses=5, unrecorded=4)
    assert misses(one, stalls((9, 11)), virtual=True) == Misses(0, 1)
    assert misses(more, stalls((9, 11)), virtual=True) == Misses(4, 1)


def test_percentiles_are_those_that_the_cycles_support():
    assert (
        claims.quantile(Loop.read(example("control_loop", wake_ups=times(5))).wake_ups, 99) is None
    )
    found = loop().wake_ups
    assert claims.quantile(found, 50) == 10_100
    assert claims.quantile(found, 99.9) == 10_100


def test_the_witness_goes_by_the_core_and_the_offset_of_the_plan(tmp_path):
    made = tmp_path / "plan.yaml"
    made.write_text(
        "executors:\n"
        "  nodes: {threads: {a: {cores: [0]}}, default: a}\n"
        "  controller:\n"
        "    threads: {rest: {cores: [0]}, hot: {cores: [1]}}\n"
        "    default: rest\n"
        '    callbacks: [{match: "/controller:timer(control)", threads: hot, offset: 300us}]\n',
        encoding="utf-8",
    )
    assert place_of_the_loop(made) == (1, "300us")


class FakePrograms:
    """Programs that run nothing; as many plans as asked are late."""

    def __init__(self, late):
        self.late = late
        self.ran = []

    def start_nodes(self, name, *_):
        self.ran.append(name)

    def start_loop(self, name, *_):
        self.ran.append(name)

    def end(self, name):
        self.ran.remove(name)

    def run_takt(self, verb, *_):
        self.ran.append(verb)
        if verb == "plan" and self.ran.count("plan") <= self.late:
            raise TaktError("late", code=EXIT_FAILED)


@pytest.mark.parametrize("late", [0, 1, 2])
def test_a_late_plan_is_made_again_from_another_trace(tmp_path, late):
    programs = FakePrograms(late)
    said = []
    assert plan(programs, tmp_path, [0, 1], 2, said.append) == tmp_path / "schedule.yaml"
    assert programs.ran == ["trace", "model", "plan"] * (late + 1)
    assert sum("once more" in line for line in said) == late


def test_a_plan_that_stays_late_fails(tmp_path):
    programs = FakePrograms(3)
    with pytest.raises(TaktError, match="late"):
        plan(programs, tmp_path, [0, 1], 2, lambda _: None)
    assert programs.ran.count("plan") == 3


@need(*CONTROL_LOOP)
def test_the_programs_write_what_the_schemas_have(tmp_path):
    program = find_program(*CONTROL_LOOP[0])
    words = ["loop", "--duration", "200ms", "--output", "loop.json"]
    subprocess.run([program, *words], cwd=tmp_path, check=True, timeout=120, capture_output=True)
    found = json.loads((tmp_path / "loop.json").read_text(encoding="utf-8"))
    assert faults("control_loop", found) == []
    assert found["releases"] == found["wake_ups"]["count"] + found["skipped"] > 0
    watching = subprocess.Popen(
        [program, "witness", "--core", "0", "--output", "stalls.json"], cwd=tmp_path
    )
    with pytest.raises(subprocess.TimeoutExpired):
        watching.wait(0.3)
    watching.terminate()
    assert watching.wait(60) == 0
    seen = json.loads((tmp_path / "stalls.json").read_text(encoding="utf-8"))
    assert faults("host_stalls", seen) == []
    assert seen["core"] == 0


@need(*CONTROL_LOOP, *PLAN, *TRACE, *WORKLOAD, DAEMON)
@pytest.mark.alone
@pytest.mark.skipif(missing_right() is not None, reason=str(missing_right()))
def test_a_moment_of_the_experiment(takt, tmp_path):
    said = takt("experiment", "control-loop", "--quick", "--json", "-o", tmp_path / "c")
    assert said.code == 0, said.err
    summary = json.loads((tmp_path / "c/summary.json").read_text(encoding="utf-8"))
    assert summary["kind"] == "experiment control-loop"
    verdicts, times, _, threads = summary["tables"]
    assert len(verdicts["rows"]) == 5
    # Of figures that a busy machine does not change: rights, and that both programs ran.
    assert verdicts["rows"][2][1] == "met", verdicts["rows"][2]
    assert times["rows"][0][1] > 0
    assert {row[0] for row in threads["rows"]} == {"controller", "nodes"}
    assert (tmp_path / "c/report.html").stat().st_size > 1_000_000
    assert "/controller:timer(control)" in (tmp_path / "c/schedule.yaml").read_text(
        encoding="utf-8"
    )


@need(*CONTROL_LOOP)
@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["loop", "--duration", "1ms"], "is not between 100ms and 24 h"),
        (["loop", "--work", "1ms"], "is not between 0 and the period"),
        (["witness"], "--core"),
        ([], "subcommand"),
    ],
)
def test_the_program_refuses_wrong_options(words, fault):
    done = subprocess.run(
        [find_program(*CONTROL_LOOP[0]), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert fault in done.stderr
