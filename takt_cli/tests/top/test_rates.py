"""Figures of `takt top` between two looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fake_statistics import (
    MS,
    callback,
    chain,
    distribution,
    fusion,
    fusion_later,
    statistics,
)
from support.looks import pair
from takt_cli.verbs.top import rates
from takt_cli.verbs.top.tables import KINDS


def test_rates_and_means_are_those_between_the_looks():
    brake, display = rates.chains(pair(fusion(), fusion_later()))
    assert (brake.rate_hz, brake.misses) == (100, 2)
    assert brake.response_mean_ns == pytest.approx(40 * MS)
    assert (display.rate_hz, display.misses) == (10, 0)
    points, timer = rates.callbacks(pair(fusion(), fusion_later()))
    assert (points.rate_hz, points.arrivals_hz, points.overwritten, points.lost) == (100, 110, 1, 0)
    assert points.execution_mean_ns == pytest.approx(8 * MS)
    assert points.busy == pytest.approx(0.8)
    assert timer.lost is None
    hot, rest = rates.threads(pair(fusion(), fusion_later()))
    assert (hot.cpu, hot.run_queue_delay, hot.voluntary_hz) == (pytest.approx(0.42), 0, 101)
    assert (hot.running_ns, rest.running_ns) == (4 * MS, None)
    assert (rest.cpu, rest.run_queue_delay) == (pytest.approx(0.05), pytest.approx(0.025))
    assert (rest.involuntary_hz, rest.faults_hz, rest.migrations_hz) == (12, 2, 1)


def test_the_first_look_has_no_rates():
    told = pair(None, fusion())
    assert [one.rate_hz for one in rates.chains(told)] == [None, None]
    assert [one.misses for one in rates.callbacks(told)] == [None, None]
    assert [one.cpu for one in rates.threads(told)] == [None, None]


def test_a_run_may_start_before_its_arrival_was_noted():
    early = callback("/n:sub(/x)", start_delay=distribution(3, 10.0, 90, min_ns=-17226))
    (told,) = rates.callbacks(pair(None, statistics("/p", callbacks=[early])))
    assert told.total.start_delay.min_ns == -17226


def test_a_figure_that_a_process_does_not_know_is_a_dash():
    before, now = fusion(), fusion_later()
    for told in (before, now):
        told["executors"][0]["threads"][0] |= {"migrations": None, "policy": "inherit", "tid": 0}
        told["executors"][0]["callbacks"][0] |= {"lost": None, "depth": 0, "oldest_age_ns": None}
    pairs = (pair(before, now),)
    shown = {key: KINDS[key].make(pairs) for key in "bt"}
    for key, title, words in (
        *(("t", "migr/s", "–"), ("t", "policy", "–"), ("t", "tid", "–"), ("b", "lost*", "–")),
        *(("b", "waiting", "10"), ("b", "oldest", "–")),
    ):
        assert shown[key].rows[0][shown[key].columns.index(title)].text == words


def test_a_counter_that_began_anew_gives_no_rate():
    before, now = fusion(), fusion_later()
    before["executors"][0]["chains"][0]["activations"] = 5000
    before["executors"][0]["chains"][0]["response"]["count"] = 5000
    before["executors"][0]["threads"][0]["tid"] = 77  # another thread had this number
    brake, _ = rates.chains(pair(before, now))
    assert (brake.rate_hz, brake.response_mean_ns) == (None, None)
    assert [one.cpu is None for one in rates.threads(pair(before, now))] == [True, False]
    now["time_ns"] = before["time_ns"]
    assert next(iter(rates.callbacks(pair(before, now)))).rate_hz is None


@given(
    old=st.lists(st.integers(1, 10**9), max_size=5), new=st.lists(st.integers(1, 10**9), max_size=5)
)
def test_a_mean_of_an_interval_is_the_mean_of_its_values(old, new):
    def told(values):
        about = {"min_ns": min(values), "max_ns": max(values)} if values else {}
        mean = sum(values) / len(values) if values else None
        response = distribution(len(values)) | {"mean_ns": mean, **about}
        return statistics("/p", chains=[chain("c", response=response)])

    (found,) = rates.chains(pair(told(old), told(old + new)))
    assert found.response_mean_ns == (pytest.approx(sum(new) / len(new)) if new else None)
