"""`takt experiment policy --overload`: schedules, factors, and what they say."""

from __future__ import annotations

import json

import pytest
from support.built import CHECK, WORKLOAD, need
from support.synthetic import MS, results
from takt_cli.files.graphs import graph_info, resolve_graph
from takt_cli.files.schedule_files import write_schedule
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import parse_results
from takt_cli.verbs.experiment import overload
from takt_cli.verbs.experiment.overload import CHAINS, FAIR, PLANNED, RANKED

TWO = [
    {"name": "control", "base_ms": 10, "period_ms": 100, "deadline_ms": 50, "priority": 9},
    {"name": "planning", "base_ms": 30, "period_ms": 100, "deadline_ms": None, "priority": 1},
]


def run(name, *worst_ms, skipped=0):
    raw = results(chains=TWO, duration_s=5.0, spread=0.0, stalls=0)
    for chain, worst in zip(raw["chains"], worst_ms, strict=True):
        chain["responses_ns"] = [MS, int(worst * MS)]
        chain["responses_at_ns"] = chain.get("responses_at_ns", [])[:2]
        chain["stalled"] = [0, 0]
        chain["catching_up"] = [0, 0]
        chain["skipped"] = skipped
    return Configuration(name, parse_results(raw))


def test_the_factor_of_each_chain_is_stated_and_judged():
    done = [run(FAIR, 100, 120), run(RANKED, 20, 60), run(PLANNED, 10, 60)]
    control, planning = overload.factors(done)
    assert (control.chain, control.value, control.holds) == ("control", 10, True)
    assert (planning.value, planning.holds) == (2, False)
    (sentence,) = overload.sentences(done)
    assert "control 10 ×, planning 2.0 ×. 1 of 2 chains" in sentence
    assert not overload.reached(done)
    worst, times, responses = overload.tables(done)
    assert [cell.text for cell in worst.rows[0]] == ["control", "100", "20.0", "10.0", "–"]
    assert [cell.text for cell in times.rows[0]][1:4] == ["5.00 ×", "10.0 ×", "met"]
    assert [cell.text for cell in times.rows[1]][3:] == ["MISSED", "–", "not judged"]
    assert len(responses.rows) == 6
    assert overload.reached([run(FAIR, 100, 120), run(PLANNED, 10, 20), run(CHAINS, 10, 20)])


def test_a_planned_run_that_skipped_periods_did_not_reach_the_goal():
    done = [run(FAIR, 100, 120), run(RANKED, 20, 60), run(PLANNED, 10, 10, skipped=1)]
    assert [factor.holds for factor in overload.factors(done)] == [False, False]


def test_without_a_fair_run_nothing_is_judged():
    done = [run(PLANNED, 10, 10)]
    assert [factor.holds for factor in overload.factors(done)] == [None, None]
    assert "nothing to compare" in overload.sentences(done)[0]


def test_overload_has_its_own_graph(takt, fakes):
    said = takt("experiment", "policy", "--overload", "--graph", "three_chains")
    assert said.code == 2
    assert "--overload has a graph and schedules of its own" in " ".join(said.err.split())


@need(*WORKLOAD, *CHECK)
@pytest.mark.parametrize("ranked", [False, True])
def test_the_schedules_of_isolated_threads_fit_the_shipped_graph(takt, tmp_path, ranked):
    file = resolve_graph(overload.GRAPH)
    graph = graph_info(file)
    names = [chain.name for chain in graph.chains]
    assert sorted(names) == [
        *("control", "localization", "perception", "planning", "top_lidar_preprocessing")
    ]
    content = overload.isolated(graph if ranked else None)
    schedule = write_schedule(content, tmp_path / "s.yaml", "isolated")
    said = takt("check", schedule, "--against", file)
    assert said.code == 0, said.err
    assert "matches nothing" not in said.err


@need(*WORKLOAD)
def test_isolated_groups_of_a_graph_have_their_timers_and_threads(takt, tmp_path):
    # Once the timers of isolated groups never started, and the run failed for its threads.
    schedule = write_schedule(overload.isolated(), tmp_path / "s.yaml", "isolated")
    said = takt(
        *("run", overload.GRAPH, "--schedule", schedule, "--work-scale", "0.02"),
        *("--duration", "500ms", "--warmup", "300ms"),
        *("--output", tmp_path / "r.json", "--records", tmp_path / "all.json"),
    )  # fmt: skip
    assert said.code == 0, said.err
    raw = json.loads((tmp_path / "all.json").read_text())
    callback = raw["columns"].index("callback")
    ran = {raw["callbacks"][row[callback]] for row in raw["runs"]}
    assert {id_ for id_ in raw["callbacks"] if ":timer(" in id_} <= ran
    threads = json.loads((tmp_path / "r.json").read_text())["threads"]
    assert sum(thread["executor"] for thread in threads) == 28 + 1  # a node each, and the idle one
