"""Start times (ms) worked out by hand for the demonstrations."""

import pytest

from takt_oracle import simulate
from takt_oracle.demonstrations import demonstrations

MS = 1_000_000

EXPECTED = {
    "arrival_order_window": {"early_registered": 11, "late_registered": 13},
    "arrival_order_fifo": {"late_registered": 11, "early_registered": 13},
    "arrival_order_priority": {"late_registered": 11, "early_registered": 13},
    "timer_delay_window": {"d": 13, "slow": 17, "urgent": 20},
    "timer_delay_window_immediate": {"slow": 13, "urgent": 16, "d": 17},
    "timer_delay_fifo": {"d": 13, "urgent": 17, "slow": 18},
    "timer_delay_priority": {"urgent": 13, "slow": 14, "d": 17},
    "blocked_window_window": {"first": 1, "second": 11, "other": 11},
    "blocked_window_window_parked": {"first": 1, "other": 5, "second": 11},
    "blocked_window_window_immediate": {"first": 1, "other": 5, "second": 11},
    "blocked_window_stock": {"first": 1, "other": 5, "second": 11},
    "blocked_window_fifo": {"first": 1, "other": 5, "second": 11},
    "blocked_window_priority": {"first": 1, "other": 5, "second": 11},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_starts_are_those_worked_out_by_hand(name: str) -> None:
    starts = simulate(demonstrations()[name]).starts
    for callback, first_ms in EXPECTED[name].items():
        times = [s.start for s in starts if s.callback == callback]
        assert times == [first_ms * MS, (100 + first_ms) * MS], callback
