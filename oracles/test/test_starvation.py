"""The published starvation cases starve under the stock pool, and only there."""

import pytest

from takt_oracle import analyse, simulate
from takt_oracle.starvation import VICTIM, starvation

MS = 1_000_000
US = 1_000


def victim_starts(example: int, order: str, **options: object) -> int:
    options.setdefault("horizon_ns", 100_000 * MS)
    scenario = starvation(example, order, **options)  # type: ignore[arg-type]
    return sum(s.callback == VICTIM[example] for s in simulate(scenario).starts)


@pytest.mark.parametrize("example", VICTIM)
@pytest.mark.parametrize("skip", ["after", "at_or_after"])
def test_with_nominal_costs_the_stock_pool_provably_never_runs_the_victim(
    example: int, skip: str
) -> None:
    analysis = analyse(starvation(example, "stock", skip=skip))
    assert analysis.first is not None, "the schedule must have repeated"
    assert VICTIM[example] in analysis.starved
    assert all(s.callback != VICTIM[example] for s in analysis.timeline.starts)


@pytest.mark.parametrize("example", VICTIM)
@pytest.mark.parametrize("overhead", [1, 10 * US, 200 * US])
def test_overhead_on_top_of_the_costs_does_not_save_the_victim(example: int, overhead: int) -> None:
    assert victim_starts(example, "stock", overhead_ns=overhead) == 0


@pytest.mark.parametrize("example", VICTIM)
@pytest.mark.parametrize("stagger", [1 * US, 10 * US])
def test_staggered_timers_starve_it_too_once_overhead_reaches_the_stagger(
    example: int, stagger: int
) -> None:
    assert victim_starts(example, "stock", stagger_ns=stagger, overhead_ns=stagger) == 0


def test_example_5_needs_costs_of_at_least_the_nominal_ones() -> None:
    assert victim_starts(5, "stock", overhead_ns=-1) > 0
    assert victim_starts(5, "stock", stagger_ns=1 * US) > 0


def test_example_4_runs_its_victim_once_when_costs_are_below_the_period() -> None:
    assert victim_starts(4, "stock", overhead_ns=-1 * US) == 1


@pytest.mark.parametrize("example", VICTIM)
@pytest.mark.parametrize("overhead", [0, 1, 10 * US])
@pytest.mark.parametrize(
    ("order", "options"),
    [
        ("window", {}),
        ("window", {"poll": "parked"}),
        ("fifo", {}),
        ("priority", {"priorities": "flat"}),
        ("priority", {"priorities": "victim_first"}),
    ],
)
def test_no_other_order_starves(
    example: int, overhead: int, order: str, options: dict[str, str]
) -> None:
    analysis = analyse(starvation(example, order, overhead_ns=overhead, **options))  # type: ignore[arg-type]
    assert analysis.starved == ()
    # 20 s hold 4 releases of the rarest victim (example 6, every 5 s).
    assert (
        victim_starts(example, order, overhead_ns=overhead, horizon_ns=20_000 * MS, **options) >= 4
    )


@pytest.mark.parametrize("example", VICTIM)
def test_a_victim_of_strictly_lower_priority_waits_for_ever_as_documented(example: int) -> None:
    assert victim_starts(example, "priority", priorities="victim_last") == 0


def test_immediate_timers_starve_the_later_timer_of_an_overloaded_group() -> None:
    assert victim_starts(4, "window", timers="immediate") == 0
