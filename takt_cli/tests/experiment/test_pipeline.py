"""`takt experiment pipeline`: claims, tables, and the real program for a moment."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest
from support.built import PIPELINE, PLAN, WORKLOAD, need
from support.schemas import example, faults
from takt_cli.base.programs import find_program
from takt_cli.running.host import realtime_allowed
from takt_cli.verbs.experiment import pipeline
from takt_cli.verbs.experiment.pipeline import (
    ONE_THREAD,
    PROCESSES,
    SEQUENCES,
    STORING,
    WAYS,
    Pipeline,
)
from takt_cli.verbs.experiment.pipeline_bounds import Bounds


def thread(executor=True, voluntary=100, cpu_ns=300_000_000, **more):
    return example("pipeline#thread", executor=executor, voluntary=voluntary, cpu_ns=cpu_ns, **more)


def run(way, threads, unfinished=0):
    return Pipeline.read(
        example(
            "pipeline",
            way=way,
            processes=50 if way == PROCESSES else 1,
            iterations=100,
            work_ns=2_500_000,
            unfinished=unfinished,
            latencies_ns=[3_000_000] * 1000,
            worst_ns={"lane0": 2_000_000, "lane1": 3_000_000},
            threads=threads,
        )
    )


def all_ways(threads=None, unfinished=0):
    found = {way: run(way, [thread()]) for way in WAYS}
    # 20 ms in an iteration, 17.5 of them beyond the work.
    found[PROCESSES] = run(PROCESSES, [thread(cpu_ns=2_000_000_000, voluntary=40_000)])
    found[SEQUENCES] = run(SEQUENCES, threads or [thread()], unfinished)
    return found


BOUNDS = Bounds({"lane0": 4_000_000, "lane1": 4_000_000})


def verdicts(bounds=BOUNDS, **changes):
    return [claim.holds for claim in pipeline.judge(all_ways(**changes), bounds)]


def test_claims_are_met_where_the_figures_are_good():
    assert verdicts() == [True] * 5
    said = pipeline.sentences(all_ways(), BOUNDS)
    assert said[0] == "5 of 5 claims were met."
    assert "400 context switches" in said[1]
    assert "took 17.5 and 0.5 ms" in said[1]


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({"threads": [thread(voluntary=106)]}, 0),
        ({"threads": [thread(), thread(executor=False, voluntary=51, cpu_ns=0)]}, 1),
        ({"threads": [thread(cpu_ns=430_000_000)]}, 2),
        ({"unfinished": 1}, 3),
        ({"bounds": Bounds({"lane0": 1_999_999, "lane1": 4_000_000})}, 4),
        ({"bounds": Bounds({"lane0": 4_000_000, "lane1": None}, "its thread is a pool's")}, 4),
        ({"bounds": Bounds({})}, 4),
    ],
)
def test_a_claim_is_missed_where_its_figure_is_bad(changes, missed):
    assert verdicts(**changes) == [number != missed for number in range(5)]


def test_the_claim_of_the_bounds_names_the_lane_that_comes_nearest_to_its_bound():
    claim = pipeline.judge(all_ways(), BOUNDS)[4]
    assert claim.figure == "at most 0.75 × the bound: 3 of 4 ms, lane1"
    unbounded = pipeline.judge(all_ways(), Bounds({}, "no rights"))[4]
    assert unbounded.figure == "no bound: no rights"


def test_a_lane_without_samples_has_kept_no_bound():
    found = all_ways()
    found[SEQUENCES] = replace(found[SEQUENCES], worst_ns={"lane0": 0, "lane1": 3_000_000})
    claim = pipeline.judge(found, BOUNDS)[4]
    assert (claim.holds, claim.figure) == (False, "no sample: lane0")


def test_the_table_has_a_row_for_each_way():
    costs = pipeline.tables(all_ways(), BOUNDS)[1]
    rows = {row[0].text: dict(zip(costs.columns, row, strict=True)) for row in costs.rows}
    assert list(rows) == list(WAYS.values())
    mine = rows[WAYS[SEQUENCES]]
    assert mine["CPU ms"].text == "3.00"
    assert mine["beyond the work ms"].value == 0.5
    assert mine["p99 ms"].text == "3.00"
    assert rows[WAYS[PROCESSES]]["processes"].text == "50"


@need(*PIPELINE)
@pytest.mark.alone
def test_the_program_writes_what_the_schema_has(tmp_path):
    program = find_program(*PIPELINE[0])
    words = ["--way", STORING, "--duration", "200ms", "--output", "told"]
    subprocess.run([program, *words], cwd=tmp_path, check=True, timeout=300)
    found = json.loads((tmp_path / "told").read_text(encoding="utf-8"))
    assert faults("pipeline", found) == []
    assert sum(thread["executor"] for thread in found["threads"]) == 1


@need(*PIPELINE, *PLAN, *WORKLOAD)
@pytest.mark.alone
def test_a_moment_of_the_experiment(takt, monkeypatch, tmp_path):
    # The fifty processes have a test of their own, in takt_bench.
    monkeypatch.setattr(pipeline, "WAYS", {way: WAYS[way] for way in (ONE_THREAD, SEQUENCES)})
    monkeypatch.setattr(pipeline, "PROCESSES", ONE_THREAD)
    said = takt("experiment", "pipeline", "--quick", "--json", "-o", tmp_path / "p")
    assert said.code == 0, said.err
    names = ["one_thread.json", "sequences.json"]
    if realtime_allowed():  # else there are no bounds
        names.append("traced.json")
    assert sorted(path.name for path in (tmp_path / "p/raw").iterdir()) == names
    summary = json.loads((tmp_path / "p/summary.json").read_text())
    assert summary["kind"] == "experiment pipeline"
    bounds = summary["tables"][-1]
    assert bounds["title"] == "Bounds of the lanes with sequences"
    if realtime_allowed():
        assert len(bounds["rows"]) == 10
        # On a busy machine lanes may have no bound; then a note of the table says why.
        found = [row[2] for row in bounds["rows"] if not isinstance(row[2], str)]
        assert all(bound > 0 for bound in found)
        assert len(found) == 10 or bounds["notes"]
    assert (tmp_path / "p/report.html").stat().st_size > 1_000_000


@need(*PIPELINE)
def test_the_program_refuses_unknown_ways():
    done = subprocess.run(
        [find_program(*PIPELINE[0]), "--way", "threads"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "'threads'" in done.stderr
