"""The six configurations against values worked out by hand."""

from itertools import pairwise

import pytest

from takt_oracle import analyse, make_report, simulate
from takt_oracle.report import Report
from takt_oracle.three_chains import CONFIGURATIONS, three_chains

MS = 1_000_000
CHAINS = ("c1>c2>c3", "c4>c5>c6", "c7>c8>c9")

# In units of the cost: end of the three chains from release, and from the start of the root.
BY_HAND = {
    "SingleThread": ((7, 8, 9), (7, 7, 7)),
    "MultiThread": ((3, 3, 3), (3, 3, 3)),
    "MultiExecutor1": ((3, 3, 3), (3, 3, 3)),
    "MultiExecutor2": ((3, 3, 3), (3, 3, 3)),
    "MultiExecutor3": ((3, 4, 5), (3, 3, 3)),
    "MultiExecutor4": ((3, 4, 5), (3, 3, 3)),
}


def report(name: str, cost_ns: int, **options: object) -> Report:
    scenario = three_chains(name, cost_ns, **options)  # type: ignore[arg-type]
    return make_report(analyse(scenario, 30_000 * MS))


def steady(result: Report, key: str) -> list[list[int]]:
    return [result["chains"][chain][key] for chain in CHAINS]  # type: ignore[literal-required]


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("cost_ms", [10, 13, 30])
def test_without_overload_the_latencies_are_those_worked_out_by_hand(
    name: str, cost_ms: int
) -> None:
    cost = cost_ms * MS
    result = report(name, cost)
    from_release, from_start = BY_HAND[name]
    assert steady(result, "steady_from_release_ns") == [[k * cost] for k in from_release]
    assert steady(result, "steady_from_start_ns") == [[k * cost] for k in from_start]
    assert result["cycle_ns"] == 300 * MS
    assert set(result["skipped_transient"].values()) == {0}
    assert result["busy_cores"] == pytest.approx(9 * cost_ms / 300)


@pytest.mark.parametrize("name", [name for name in CONFIGURATIONS if name != "SingleThread"])
def test_three_full_cores_carry_100_ms_per_callback(name: str) -> None:
    result = report(name, 100 * MS)
    expected = [[k * 100 * MS] for k in BY_HAND[name][0]]
    assert steady(result, "steady_from_release_ns") == expected
    assert result["busy_cores"] == 3.0
    assert result["skipped_per_cycle"] == {"c1": 0, "c4": 0, "c7": 0}


def test_one_thread_at_100_ms_runs_windows_of_nine_and_skips_two_of_three_periods() -> None:
    result = report("SingleThread", 100 * MS)
    assert [v[0] for v in steady(result, "transient_from_release_ns")] == [
        1400 * MS,
        1600 * MS,
        1800 * MS,
    ]
    assert steady(result, "steady_from_release_ns") == [[2900 * MS], [3100 * MS], [3300 * MS]]
    assert steady(result, "steady_from_start_ns") == [[2300 * MS], [2400 * MS], [2500 * MS]]
    assert result["cycle_ns"] == 900 * MS
    assert result["skipped_per_cycle"] == {"c1": 2, "c4": 2, "c7": 2}


def test_timers_that_miss_the_second_polling_point_give_1000_to_1200_ms_first() -> None:
    result = report("SingleThread", 100 * MS - 1)
    first = [v[0] for v in steady(result, "transient_from_release_ns")]
    assert first == [10 * (100 * MS - 1), 11 * (100 * MS - 1), 12 * (100 * MS - 1)]


def test_one_default_group_lets_only_one_thread_of_the_pool_work_at_a_time() -> None:
    scenario = three_chains("MultiThread", 10 * MS, groups="default")
    starts = simulate(scenario).starts
    assert all(a.end == a.start + 10 * MS <= b.start for a, b in pairwise(starts))
    # An idle thread still polls, at 20 ms already, so c3 shares a window with c8 and precedes it.
    order = [s.callback for s in starts[:9]]
    assert order == ["c1", "c4", "c7", "c2", "c5", "c3", "c8", "c6", "c9"]


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("kernel", ["fair", "fifo", "rr"])
@pytest.mark.parametrize("cost_ms", [10, 13, 100])
def test_more_cores_than_threads_change_nothing(name: str, kernel: str, cost_ms: int) -> None:
    own = report(name, cost_ms * MS)
    for cores in (3, 4):
        shared = report(name, cost_ms * MS, cores=cores, kernel=kernel)
        assert shared["chains"] == own["chains"]


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("kernel", ["fair", "fifo", "rr"])
def test_one_core_always_ends_the_last_chain_after_all_nine_costs(name: str, kernel: str) -> None:
    result = report(name, 10 * MS, cores=1, kernel=kernel)
    assert max(v[0] for v in steady(result, "steady_from_release_ns")) == 90 * MS
