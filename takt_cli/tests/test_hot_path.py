"""The hot-path campaign judges what it measured, and says so where it cannot."""

from __future__ import annotations

import dataclasses

import numpy as np
from support import synthetic
from takt_cli.experiments import hot_path
from takt_cli.results import Kpis, Results, Series
from takt_cli.results_file import parse_results
from takt_cli.study import Configuration

FLOOR = 20e6


def _run(
    section: str,
    over: float,
    count: int = 1000,
    *,
    stalled_over: float | None = None,
    late_ns: float = 20e3,
    drops: int = 0,
) -> Configuration:
    """Make a run whose hot path took `over` × the floor; with `stalled_over`, 5 % of it longer."""
    values = np.full(count, over * FLOOR)
    stalled = np.zeros(count, dtype=bool)
    if stalled_over is not None:
        stalled[: count // 20] = True
        values[: count // 20] = stalled_over * FLOOR
    moments = np.arange(count, dtype=np.float64)
    results: Results = parse_results(synthetic.results())
    kpis: Kpis = dataclasses.replace(
        results.kpis,
        hot_latency=Series(values, moments, stalled),
        hot_floor_ns=FLOOR,
        hot_drops=drops,
        planner_lateness=Series(np.full(count, late_ns), moments, np.zeros(count, dtype=bool)),
        reference_lateness=np.full(count, 10e3),
    )
    return Configuration("1", dataclasses.replace(results, kpis=kpis), section=section)


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
    assert "All 13 claims" in hot_path.sentences(judgements)[0]


def test_a_slow_median_is_missed_in_its_section_only() -> None:
    done = _good()
    done[1] = _run(hot_path.RANDOM, 1.025)
    assert _missed(done) == ["random phases: p50 over the floor ≤ 1.02"]


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


def test_a_late_planner_is_missed_twice() -> None:
    done = _good()
    done[1] = _run(hot_path.RANDOM, 1.01, late_ns=400e3)
    assert len(_missed(done)) == 2


def test_too_few_samples_are_not_judged() -> None:
    done = [_run(c.section, 9.0, count=5) for c in _good()]
    judgements = [j for j in hot_path.judge(done) if "over the floor" in j.claim]
    assert all(j.holds is None for j in judgements)
    assert "need more samples" in hot_path.sentences(judgements)[0]
