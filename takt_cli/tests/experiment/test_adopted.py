"""`takt experiment adopted`: claims, tables, and the reference system's program where found."""

from __future__ import annotations

import json

import pytest
from support.built import CHECK, need
from support.exec_prefix import has_rclcpp
from support.schemas import example
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.schedule_files import read_schedule
from takt_cli.verbs.experiment import adopted
from takt_cli.verbs.experiment.adopted import WITH, WITHOUT
from takt_cli.verbs.experiment.adopted_program import (
    Counts,
    Executor,
    Run,
    ages,
    program_or_none,
)

WORDS = """\
sample path: (VehicleDBWSystem)
  order timepoint           sequence nr.                  node name     dropped samples
latency

Statistics:
  latency:                  10.5ms [min=9ms, max=12ms, average=11.25ms, deviation=1.5ms]
  hot path latency:         1ms [min=1ms, max=1ms, average=1ms, deviation=0ms]
sample path: (IntersectionOutput)
  latency:                  3ms [min=3ms, max=3ms, average=3ms, deviation=0ms]
sample path: (VehicleDBWSystem)
  latency:                  12ms [min=9ms, max=12ms, average=11.5ms, deviation=1.5ms]
"""


def chain(mean_ms=10.0, activations=100):
    response = {"mean_ns": mean_ms * 1e6, "p50_ns": None, "p99_ns": None, "max_ns": 20_000_000}
    return example("exec_report#chain", name="hot", activations=activations, response=response)


def run(switches=1000, mean_ms=10.0, messages=100, age_ms=50.0, activations=100):
    published = [example("exec_report#published", topic="/out", count=messages)]
    executor = example(
        "exec_report#executor",
        executor="/n",
        kind="multi_threaded",
        seconds=10.0,
        threads=[example("exec_report#thread", name="hot.0")],
        callbacks=[
            example("exec_report#callback", id="/n:timer(1s)", kind="timer", publishes=published)
        ],
        chains=[chain(mean_ms, activations)],
    )
    threads = (Counts("hot.0", switches - 10, 6), Counts("dds.ev", 4, 0))
    return Run(10.0, threads, Executor.read(executor), {"VehicleDBWSystem": age_ms})


def verdicts(**changes):
    good = {"switches": 500}
    found = {WITHOUT: [run()], WITH: [run(**(good | changes))]}
    assert len(adopted.tables(found)) == 4
    return [claim.holds for claim in adopted.judge(found)]


def test_claims_are_met_where_the_figures_are_good():
    assert verdicts() == [True] * 4
    said = adopted.sentences({WITHOUT: [run()], WITH: [run(switches=500)]})
    assert said == [
        "4 of 4 claims were met.",
        "The program had 100 context switches a second without the keys and 50 with them.",
    ]


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({"switches": 501}, 0),
        ({"mean_ms": 10.6}, 1),
        ({"messages": 96}, 2),
        ({"age_ms": 53.0}, 3),
    ],
)
def test_a_claim_is_missed_where_its_figure_is_bad(changes, missed):
    assert verdicts(**changes) == [number != missed for number in range(4)]


def test_a_chain_with_few_activations_decides_nothing():
    found = {WITHOUT: [run(activations=19)], WITH: [run(switches=500, mean_ms=99, activations=19)]}
    assert [claim.holds for claim in adopted.judge(found)] == [True, None, True, True]


def test_the_table_of_threads_tells_the_executors_from_all_others():
    _, threads, _, _ = adopted.tables({WITHOUT: [run()], WITH: [run(switches=500)]})
    rows = {row[0].text: [cell.value for cell in row[1:]] for row in threads.rows}
    assert rows == {
        "hot.0": [99.0, 0.6, 49.0, 0.6],
        "all others": [0.4, 0.0, 0.4, 0.0],
        "together": [99.4, 0.6, 49.4, 0.6],
    }


def test_the_last_latency_of_each_command_counts():
    assert ages(WORDS) == {"VehicleDBWSystem": 11.5, "IntersectionOutput": 3.0}
    assert ages("nothing of it") == {}


def test_both_schedules_differ_in_the_keys_alone():
    both = adopted.schedules([0, 1])
    old, new = (both[name]["executors"]["main"] for name in (WITHOUT, WITH))
    assert new.pop("sequences")
    assert new.pop("groups") == [{"match": "/VehicleInterface:group(default)", "when": "all"}]
    quiet = [rule for rule in new["callbacks"] if "trigger" in rule]
    assert quiet == [{"match": "/BehaviorPlanner:sub(/*)", "trigger": False}]
    new["callbacks"] = [rule for rule in new["callbacks"] if "trigger" not in rule]
    assert old == new
    assert both[WITH]["chains"] == both[WITHOUT]["chains"]


@need(*CHECK, ("takt_graph", "takt_workload"))
def test_the_shipped_schedule_fits_the_graph(takt):
    said = takt("check", adopted.SCHEDULE, "--against", "autoware_reference")
    assert said.code == 0, said.err
    assert read_schedule(resolve_schedule(adopted.SCHEDULE))["version"] == 1


def test_without_the_program_one_sentence_says_so(takt, monkeypatch, tmp_path):
    monkeypatch.setenv("AMENT_PREFIX_PATH", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    said = takt("experiment", "adopted", "-o", tmp_path / "a")
    assert said.code == 2
    assert "autoware_default_multithreaded of autoware_reference_system was not found" in said.err
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(
    not has_rclcpp() or program_or_none() is None,
    reason="takt was built without rclcpp, or the reference system's own program is not found",
)
@pytest.mark.alone
def test_a_moment_of_the_experiment(takt, tmp_path):
    said = takt("experiment", "adopted", "--quick", "--json", "-o", tmp_path / "a")
    assert said.code == 0, said.err
    summary = json.loads((tmp_path / "a/summary.json").read_text())
    claims, threads, chains, topics = summary["tables"]
    assert len(claims["rows"]) == 4
    # Three kinds of threads of the schedule, five in all.
    assert [row[0] for row in threads["rows"][:5]] == [
        *("hot.0", "hot.1", "planner", "rest.0", "rest.1"),
    ]
    assert len(topics["rows"]) == 23
    assert "settings_to_output" in [row[0] for row in chains["rows"]]
