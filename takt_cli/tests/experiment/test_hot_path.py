"""The hot-path campaign judges what it measured, and says so where it cannot."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
from rich.console import Console
from support import synthetic
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import parse_results
from takt_cli.results.run_results import Kpis, Results, Series
from takt_cli.verbs.experiment import hot_path, phases

FLOOR = 20e6


def _run(
    section: str,
    over: float,
    count: int = 1000,
    *,
    stalled_over: float | None = None,
    late_ns: float = 20e3,
    drops: int = 0,
    due_ns: float = 0.0,
    name: str = "1",
    planner_at: float | None = 70.0,
) -> Configuration:
    """Make a run whose hot path took `over` × the floor; with `stalled_over`, 5 % of it longer."""
    values = np.full(count, over * FLOOR)
    stalled = np.zeros(count, dtype=bool)
    if stalled_over is not None:
        stalled[: count // 20] = True
        values[: count // 20] = stalled_over * FLOOR
    moments = np.arange(count, dtype=np.float64)
    raw = synthetic.results()
    raw["host"]["cores"] = [0, 1]
    raw["callbacks"] = callbacks(planner_at) if planner_at is not None else []
    results: Results = parse_results(raw)
    kpis: Kpis = dataclasses.replace(
        results.kpis,
        hot_latency=Series(values, moments, stalled),
        hot_from_due=values + due_ns,
        hot_floor_ns=FLOOR,
        hot_drops=drops,
        planner_lateness=Series(np.full(count, late_ns), moments, np.zeros(count, dtype=bool)),
        reference_lateness=np.full(count, 10e3),
    )
    return Configuration(name, dataclasses.replace(results, kpis=kpis), section=section)


MS = 1_000_000


def callbacks(planner_at: float, front: float = 0.0, rear: float = 0.0) -> list[dict[str, object]]:
    """Describe the hot path's callbacks: 10 ms of work each, every 100 ms; times in ms."""
    timers = {phases.FRONT: front, phases.REAR: rear, phases.PLANNER: planner_at}
    workers = ["/PointsTransformerFront", "/PointsTransformerRear", *phases.TAIL]
    found: list[dict[str, object]] = [
        {"id": f"{n}:timer", "node": n, "period_ns": 100 * MS, "offset_ns": at * MS}
        for n, at in timers.items()
    ]
    found += [
        {"id": f"{n}:sub", "node": n, "work": {"count": 9, "mean": 10.0 * MS}} for n in workers
    ]
    return found


def _good() -> list[Configuration]:
    return [
        _run(hot_path.FIXED, 1.01),
        _run(hot_path.RANDOM, 1.01),
        _run(hot_path.HOGGED, 1.01),
        _run(hot_path.STOCK, 3.0),
    ]


def _missed(done: list[Configuration]) -> list[str]:
    return [j.claim for j in hot_path.judge(done) if j.holds is False]


def test_a_good_campaign_meets_every_claim() -> None:
    judgements = hot_path.judge(_good())
    assert all(j.holds for j in judgements)
    assert "All 22 claims" in hot_path.sentences(judgements)[0]


def test_a_slow_median_of_one_seed_is_missed_in_its_section_only() -> None:
    done = [*_good(), _run(hot_path.RANDOM, 1.025, name="2")]
    assert _missed(done) == [
        "random phases, hot path: p50 over the floor, worst of 2 ≤ 1.02",
        "random phases, hot path from its due time: p50 over the floor, worst of 2 ≤ 1.02",
    ]


def test_of_runs_that_repeat_each_other_the_median_decides_and_the_worst_is_told() -> None:
    slow = [_run(hot_path.FIXED, 1.04, name=str(n)) for n in range(3)]
    good = [_run(hot_path.FIXED, 1.0, name=str(n)) for n in range(2)] + _good()  # three fixed
    claim = "fixed phases, hot path: p50 over the floor, median of 5 ≤ 1.02"
    (found,) = [j for j in hot_path.judge([*good, *slow[:2]]) if j.claim == claim]
    assert (found.holds, found.measured) == (True, "1.010 × (worst 1.040 ×)")
    missed = [claim for claim in _missed([*good[1:], *slow]) if "due" not in claim]
    assert missed == [
        "fixed phases, hot path: p50 over the floor, median of 5 ≤ 1.02",
        "fixed phases, hot path: p90 over the floor, median of 5 ≤ 1.03",
    ]


def test_a_late_lidar_timer_is_missed_from_the_due_time_only() -> None:
    done = _good()
    done[0] = _run(hot_path.FIXED, 1.01, due_ns=0.05 * FLOOR)
    assert all(claim.startswith("fixed phases, hot path from its due") for claim in _missed(done))
    assert len(_missed(done)) == 3


def test_stalled_samples_count_for_raw_figures_only() -> None:
    done = _good()
    done[0] = _run(hot_path.FIXED, 1.01, stalled_over=2.0)
    assert not [claim for claim in _missed(done) if claim.startswith("fixed")]
    assert [claim for claim in _missed(done) if claim.startswith("stock")]


def test_a_stock_pool_nearly_as_good_is_missed() -> None:
    done = _good()
    done[3] = _run(hot_path.STOCK, 1.5)
    assert len(_missed(done)) == 1


def test_a_single_drop_is_missed() -> None:
    done = _good()
    done[2] = _run(hot_path.HOGGED, 1.01, drops=1)
    assert _missed(done) == ["no hot-path drop"]


def test_a_late_planner_is_missed_twice_unless_its_phase_collides() -> None:
    done = _good()
    done.append(_run(hot_path.RANDOM, 1.01, late_ns=400e3, name="2"))
    assert len([claim for claim in _missed(done) if claim.startswith("planner, 2 of 2")]) == 2
    done[-1] = _run(hot_path.RANDOM, 1.01, late_ns=400e3, name="2", planner_at=5.0)
    assert not _missed(done)
    assert any("1 of 2 phases" in j.claim for j in hot_path.judge(done))


def test_a_phase_collides_where_hot_work_has_every_core() -> None:
    def collides(planner_at: float, cores: int = 2, rear: float = 0.0) -> bool | None:
        raw = {**synthetic.results(), "callbacks": callbacks(planner_at, rear=rear)}
        return phases.collides(parse_results(raw), cores)

    assert collides(5)  # both transforms
    assert not collides(30)  # the tail has one thread
    assert not collides(70)  # nothing
    assert not collides(5, cores=4)
    assert not collides(5, rear=50)
    # Rear's tail, from 95 on, runs into front's next transform.
    assert collides(5, rear=85)
    assert collides(5, cores=1, rear=50)
    assert collides(100)
    assert phases.collides(parse_results(synthetic.results()), 2) is None


def test_too_few_samples_are_no_success() -> None:
    done = [_run(c.section, 1.0, count=5) for c in _good()]
    judgements = [j for j in hot_path.judge(done) if "over the floor" in j.claim]
    assert all(j.holds is None for j in judgements)
    assert "0 of 18 claims were met; 18 could not be judged" in hot_path.sentences(judgements)[0]
    # A run that cannot be judged is not a good one.
    done = [*_good(), _run(hot_path.FIXED, 1.0, count=5, name="2")]
    fixed = [j for j in hot_path.judge(done) if j.claim.startswith("fixed phases, hot path: p50")]
    assert [j.holds for j in fixed] == [None]
    # Nor is it needed where the others have decided already.
    done = [*_good(), _run(hot_path.RANDOM, 1.04), _run(hot_path.RANDOM, 1.0, count=5)]
    done += [_run(hot_path.FIXED, 1.04), _run(hot_path.FIXED, 1.04)]
    done += [_run(hot_path.FIXED, 1.0, count=5)]
    for claim, measured in (
        ("random phases, hot path: p50 over the floor, worst of 3 ≤ 1.02", "1.040 ×"),
        ("fixed phases, hot path: p50 over the floor, median of 4 ≤ 1.02", "1.040 × (worst"),
    ):
        (found,) = [j for j in hot_path.judge(done) if j.claim == claim]
        assert found.holds is False
        assert found.measured.startswith(measured)
    assert all(j.holds is None for j in hot_path.judge([]) if "over the floor" in j.claim)


def _fixed(*over: float | None) -> tuple[bool | None, str]:
    """Judge the p99 of runs with fixed phases; None is one of too few samples."""
    runs = [
        _run(hot_path.FIXED, value or 1.0, count=1000 if value else 5, name=str(number))
        for number, value in enumerate(over)
    ]
    claim = f"fixed phases, hot path: p99 over the floor, median of {len(over)} ≤ 1.05"
    (found,) = [j for j in hot_path.judge(runs) if j.claim == claim]
    return found.holds, found.measured


def test_a_run_that_cannot_be_judged_decides_nothing() -> None:
    # As a good one it would make the claim hold, as a bad one miss.
    assert _fixed(1.00, 1.00, 1.06, 1.07, None) == (None, "–")
    assert _fixed(1.00, 1.00, 1.04, 1.07, None)[0] is True
    assert _fixed(1.00, 1.06, 1.06, 1.07, None)[0] is False
    assert _fixed(1.06, 1.06, 1.07, None, None)[0] is False
    assert _fixed(1.04, 1.06, 1.07, None, None) == (None, "–")
    assert _fixed(1.00, 1.06, 1.07, None) == (None, "–")


def test_the_tables_fit_a_terminal_and_have_both_paths_and_skipped_periods() -> None:
    start, due, parts = hot_path.tables([_run(hot_path.FIXED, 1.01, due_ns=2e6)])
    assert [cell.text for cell in parts.rows[0]][1:] == ["0.25 %", "1.00 %", "0.50 %"]
    assert [cell.text for cell in start.rows[0]][3] == "1.010 ×"
    assert [cell.text for cell in due.rows[0]][1] == "1.110 ×"
    assert "skipped timer periods: none in any run" in due.notes
    for table in (start, due, parts):
        console = Console(width=100, file=io.StringIO(), record=True)
        table.print_to(console)
        assert "fixed phases 1" in console.export_text()  # in one line


def test_a_run_that_cannot_say_where_its_time_goes_is_named():
    whole, other = _run(hot_path.FIXED, 1.01), _run(hot_path.RANDOM, 1.01)
    kpis = dataclasses.replace(other.results.kpis, hot_parts={})
    unknown = dataclasses.replace(other, results=dataclasses.replace(other.results, kpis=kpis))
    parts = hot_path.tables([whole, unknown])[-1]
    assert len(parts.rows) == 1
    assert f"not in the table for want of samples: {hot_path.RANDOM} 1" in parts.notes
    assert not any("want of samples" in note for note in hot_path.tables([whole])[-1].notes)
