import json
from types import SimpleNamespace

import pytest
from takt_cli.base.errors import TaktError
from takt_cli.verbs.experiment import oracle
from takt_cli.verbs.experiment.executors import SHAPES, fitting_cost
from takt_cli.verbs.experiment.oracle import oracle_directory, predict, three_chains_scenario

pytestmark = pytest.mark.skipif(
    oracle_directory() is None, reason="oracles/takt_oracle is not in this checkout"
)
MS = 1_000_000


def steady(shape, cores, kernel="fair", **options):
    options = {"cost_ns": 10 * MS, "period_ns": 300 * MS, **options}
    scenario = three_chains_scenario(
        shape.groups, threads=shape.threads, cores=cores, kernel=kernel, **options
    )
    return [prediction.most / MS for prediction in predict(scenario)]


def test_predictions_are_those_of_the_published_tables():
    single, multi, first, _, third, _ = SHAPES
    assert steady(single, 2) == [70, 80, 90]
    assert steady(multi, 2) == [45, 45, 45]
    assert steady(first, 2) == [45, 45, 45]
    assert steady(third, 2) == [35, 45, 55]
    assert steady(first, 2, "fifo") == [30, 30, 60]
    assert steady(third, 4) == [30, 40, 50]


def test_phases_and_another_period_count():
    apart = steady(SHAPES[0], 1, offsets_ns=[0, 100 * MS, 200 * MS])
    assert apart == [30, 30, 30]
    assert steady(SHAPES[0], 1, cost_ns=2 * MS, period_ns=60 * MS) == [14, 16, 18]


def test_a_report_that_takt_cannot_read_is_a_sentence(monkeypatch):
    for told, words in (
        ({}, "is None where an object belongs"),
        ({"scenario": {"chains": {"c1>c2>c3": {"steady_from_release_ns": [-1]}}}}, "is -1 where"),
    ):
        finished = SimpleNamespace(code=0, stdout=json.dumps(told), stderr="")
        monkeypatch.setattr(oracle, "run_program", lambda *_, done=finished, **__: done)
        with pytest.raises(TaktError, match=words):
            steady(SHAPES[0], 1)


def test_the_cost_is_cut_to_what_one_core_carries():
    assert fitting_cost(10 * MS, 300 * MS) == 10 * MS
    assert 9 * fitting_cost(100 * MS, 300 * MS) <= 0.85 * 300 * MS
