"""`takt experiment isolation`: models, schedules, claims, and the real program for a moment."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest
import yaml
from support.built import CHECK, ISOLATION, need
from support.schemas import faults
from takt_cli.base.programs import find_program
from takt_cli.verbs.experiment import isolation, isolation_claims, isolation_table
from takt_cli.verbs.experiment.isolation import (
    ARRANGEMENTS,
    ISOLATED,
    ISOLATED_RT,
    ONE,
    PLANNED,
    POOL,
    STOCK,
    Cell,
    Measured,
    schedule_of,
    system_of,
)
from takt_cli.verbs.experiment.isolation_program import Cost, Isolation, total_calls

CELL = Cell(16, 1)


def cost(**changes):
    values = {
        "threads": 16,
        "voluntary": 1000,
        "involuntary": 1000,
        "receivers": 0,
        "resident_kib": 5000,
        "proportional_kib": 2000,
        "due": 100,
        "responses": np.full(100, 10e6),
        "overwritten": 0,
        "skipped_periods": 0,
        "refused": (),
    }
    return Cost(**{**values, **changes})


def measured(**of):
    """Make one cell: changes by arrangement, without commas and spaces in their names."""
    names = {
        name.replace(", ", "_").replace(" ", "_").replace("-", "_"): name for name in ARRANGEMENTS
    }
    return [Measured(CELL, name, [cost(**of.get(short, {}))] * 2) for short, name in names.items()]


def verdicts(**of):
    return {claim.text: claim.holds for claim in isolation_claims.judge(measured(**of))}


def test_a_cell_has_its_callbacks_in_chains_of_four_that_go_round_the_processes():
    system = system_of(Cell(16, 4), cores=2, seed=1)
    assert len(system["callbacks"]) == 16
    assert {callback["executor"] for callback in system["callbacks"]} == {"p0", "p1", "p2", "p3"}
    assert all(len(chain["path"]) == 4 for chain in system["chains"].values())
    assert system["chains"]["c1"]["path"][0] == "/node1:timer(c1)"
    assert len(system["groups"]) == 16
    for cell in (Cell(4, 4), Cell(16, 8), Cell(64, 8)):
        of_cell = system_of(cell, cores=2, seed=1)["callbacks"]
        assert len({callback["executor"] for callback in of_cell}) == cell.processes
    # The work of all callbacks together is the same whatever their number.
    work = {
        cell: sum(int(c["time"].removesuffix("us")) for c in system_of(cell, 2, 1)["callbacks"])
        for cell in (Cell(4, 1), Cell(16, 4), Cell(64, 8))
    }
    assert len(set(work.values())) == 1
    assert system == system_of(Cell(16, 4), cores=2, seed=1)
    assert system != system_of(Cell(16, 4), cores=2, seed=2)
    together = system_of(Cell(16, 4), cores=2, seed=None)["callbacks"]
    assert {one["offset"] for one in together if "offset" in one} == {"0us"}


def test_arrangements_have_the_threads_that_they_say():
    system = system_of(Cell(64, 4), cores=2, seed=1)

    def executors(arrangement):
        return schedule_of(arrangement, system)["executors"]

    assert len(executors(ONE)) == 4
    assert executors(ONE)["p0"]["threads"] == {"pool": {"count": 1}}
    for pool in (STOCK, POOL):
        assert executors(pool)["p0"]["threads"] == {"pool": {"count": 16}}
    assert executors(STOCK)["p0"]["order"] == "stock"
    assert "order" not in executors(POOL)["p0"]
    fair = [rule for e in executors(ISOLATED).values() for rule in e["groups"]]
    real = [rule for e in executors(ISOLATED_RT).values() for rule in e["groups"]]
    assert len(fair) == len(real) == 64
    assert not any("policy" in rule for rule in fair)
    assert {rule["policy"] for rule in real} == {"fifo"}
    assert executors(ISOLATED_RT)["p0"]["process_threads"] == [isolation.RECEIVER]
    assert "process_threads" not in executors(ISOLATED)["p0"]


@need(*CHECK)
@pytest.mark.parametrize("arrangement", [name for name in ARRANGEMENTS if name != PLANNED])
def test_the_schedules_are_good_and_fit_their_model(takt, tmp_path, arrangement):
    system = system_of(Cell(16, 2), cores=1, seed=1)
    (tmp_path / "system.yaml").write_text(yaml.safe_dump(system))
    (tmp_path / "schedule.yaml").write_text(yaml.safe_dump(schedule_of(arrangement, system)))
    said = takt("check", tmp_path / "schedule.yaml", "--system", tmp_path / "system.yaml")
    assert said.code == 0, said.err
    assert "matches nothing" not in said.err


def test_every_round_begins_with_another_arrangement_and_has_all():
    rounds = list(isolation._rounds(3))
    each = [[name for number, name in rounds if number == one] for one in range(3)]
    assert all(sorted(names) == sorted(ARRANGEMENTS) for names in each)
    assert len({names[0] for names in each}) == 3


def test_the_document_of_the_program_is_summed_up():
    thread = {"role": "executor", "name": "a", "voluntary": 3, "involuntary": 1}
    process = {
        "rss_kib": 100,
        "pss_kib": 40,
        "overwritten": 1,
        "skipped_periods": 2,
        "refused": ["no"],
        "threads": [
            thread,
            {**thread, "name": "idle"},
            {**thread, "role": "receiver", "voluntary": 7},
        ],
    }
    chain = {"due": 3, "responses_ns": [5, 7]}
    processes = [process, {**process, "pss_kib": None}]
    found = Isolation.read({"processes": processes, "chains": [chain]}).cost()
    assert (found.threads, found.voluntary, found.involuntary, found.receivers) == (2, 6, 2, 16)
    assert (found.resident_kib, found.proportional_kib) == (200, None)
    assert (found.lost, found.overwritten, found.skipped_periods) == (1, 2, 4)
    assert found.refused == ("no",)


def test_the_total_of_strace_is_read_with_and_without_errors():
    head = "% time     seconds  usecs/call     calls    errors syscall\n"
    assert total_calls(head + "100.00    0.000742           2       371        12 total\n") == 371
    assert total_calls(head + "100.00    0.000742           2       371           total\n") == 371
    assert total_calls("strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted\n") is None


def test_claims_are_met_missed_or_not_judged():
    pool = "isolated threads have fewer voluntary switches than the stock pool"
    assert verdicts(isolated={"voluntary": 500})[pool] is True
    assert verdicts(isolated={"voluntary": 1500})[pool] is False
    # Counts so near to each other may change places in the next run.
    assert verdicts(isolated={"voluntary": 1010})[pool] is None

    def of_plan(one_thread=None, **plan):
        found = verdicts(planned=plan, one_thread=one_thread or {"voluntary": 5, "involuntary": 5})
        return [found[text] for text in found if text.endswith("(isolated)")] + [
            found["the plan's worst latency is at most 1.1 × that of isolated"]
        ]

    small = {"threads": 2, "voluntary": 300, "involuntary": 10}
    assert of_plan(**small) == [True, True, True]
    assert of_plan(**small, responses=np.full(100, 12e6)) == [True, True, False]
    assert of_plan(threads=9) == [False, False, True]
    # No arrangement can do with less than one thread in each process.
    assert of_plan(threads=1, one_thread={"voluntary": 1000}) == [True, True, True]
    one_in_each = Measured(Cell(4, 4), PLANNED, [cost(threads=4)])
    isolated = Measured(Cell(4, 4), ISOLATED, [cost(threads=4)])
    assert isolation_claims._few_threads({PLANNED: one_in_each, ISOLATED: isolated}, ISOLATED)
    # A plan that lost activations is no success, and where its rival did there is no comparison.
    assert of_plan(**small, responses=np.full(90, 10e6)) == [False, False, False]
    found = verdicts(
        planned=small,
        isolated={"responses": np.full(90, 10e6), "voluntary": 10},
        one_thread={"voluntary": 5, "involuntary": 5},
    )
    assert [found[text] for text in found if "isolated)" in text or text == pool] == [None] * 3
    assert of_plan(**small, refused=("no rights",)) == [None, None, None]


def test_a_claim_holds_if_it_holds_in_every_cell():
    def claim(*verdicts):
        return isolation_claims.Claim("x", {str(i): one for i, one in enumerate(verdicts)}).holds

    assert claim(True, True) is True
    assert claim(True, None) is None
    assert claim(True, None, False) is False
    assert claim() is None


def test_tables_and_plots_have_all_arrangements():
    found = measured(stock_pool={"voluntary": 4000}, isolated={"responses": np.full(90, 9e6)})
    costs, latencies = isolation_table.tables(found)
    assert len(costs.rows) == len(latencies.rows) == len(ARRANGEMENTS)
    by_name = {row[1].text: row for row in costs.rows}
    assert by_name[ISOLATED][5].text == "0.250 ×"
    assert by_name[STOCK][5].text == "–"
    assert [row[7].text for row in latencies.rows if row[1].text == ISOLATED] == ["20"]
    ((title, figure),) = isolation_table.figures(found)
    assert title == "Context switches, 1 process"
    assert len(figure["data"]) == len(ARRANGEMENTS)
    claims = isolation_claims.judge(found)
    assert len(isolation_claims.verdicts(claims).rows) == len(claims)
    assert json.loads(isolation.raw_counts(found))[0]["runs"][0]["voluntary"] == 1000


@need(*ISOLATION)
def test_a_moment_of_the_real_program_in_two_processes(takt, monkeypatch, tmp_path):
    monkeypatch.setattr(isolation, "grid", lambda _: [Cell(4, 1), Cell(4, 2)])
    monkeypatch.setattr(isolation, "ARRANGEMENTS", (STOCK, ISOLATED, PLANNED))
    monkeypatch.setattr(isolation_claims, "judge", lambda _: [])
    said = takt(
        *("experiment", "isolation", "--quick", "--no-system-calls", "-o", tmp_path / "i"), "--json"
    )
    assert said.code == 0, said.err
    counts = json.loads((tmp_path / "i/counts.json").read_text())
    threads = {(one["arrangement"], one["processes"]): one["runs"][0]["threads"] for one in counts}
    assert threads[ISOLATED, 1] == threads[ISOLATED, 2] == 4
    assert threads[STOCK, 1] == threads[STOCK, 2] == 4
    assert threads[PLANNED, 1] >= 1
    for one in counts:
        # Each run of a callback in a thread that slept is one switch at least.
        assert one["runs"][0]["voluntary"] + one["runs"][0]["involuntary"] > 0
        assert one["runs"][0]["due"] == 8
        assert (one["runs"][0]["receivers"] > 0) == (one["processes"] == 2)
    assert (tmp_path / "i/report.html").stat().st_size > 1_000_000


@need(*ISOLATION)
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_the_program_has_no_system_calls_in_its_work(tmp_path):
    from takt_cli.verbs.experiment.isolation_program import count_system_calls

    system = system_of(CELL, cores=1, seed=1)
    (tmp_path / "system.yaml").write_text(yaml.safe_dump(system))
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(schedule_of(ONE, system)))
    calls = count_system_calls(
        tmp_path / "system.yaml",
        tmp_path / "one.yaml",
        durations_ns=(50_000_000, 450_000_000),
        speed=1.0,  # nearly no work
        cores=(0,),
    )
    if calls is None:
        pytest.skip("strace may not trace here")
    # 32 activations of one thread, which sleeps before each of them: not 128 callbacks.
    assert calls < 128


@need(*ISOLATION)
def test_the_program_writes_what_the_schema_has(tmp_path):
    system = system_of(Cell(4, 2), cores=1, seed=1)
    (tmp_path / "system.yaml").write_text(yaml.safe_dump(system))
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(schedule_of(ONE, system)))
    program = find_program("takt_isolation", "takt_bench")
    words = ["system.yaml", "--schedule", "one.yaml", "--output", "told", "--duration", "200ms"]
    subprocess.run([program, *words], cwd=tmp_path, check=True, timeout=60)
    found = json.loads((tmp_path / "told").read_text(encoding="utf-8"))
    assert faults("isolation", found) == []
    assert len(found["processes"]) == 2
