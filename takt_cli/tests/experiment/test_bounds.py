"""`takt experiment bounds`: how measured responses are held against bounds."""

import numpy as np
import pytest
from support.schemas import example
from support.synthetic import MS, results
from takt_cli.results.configuration import Configuration
from takt_cli.results.records import Records
from takt_cli.results.results_file import parse_results
from takt_cli.running.calibration import Calibration
from takt_cli.running.host import Measured
from takt_cli.verbs.experiment import bounds

CROSS = Measured.read({"wake_up_cross_core_ns": {"p99": 3000}}).wake_up_cross_core_ns
CHAINS = [
    {"name": "slow", "base_ms": 30, "period_ms": 100, "deadline_ms": None, "priority": 1},
    {"name": "quick", "base_ms": 10, "period_ms": 100, "deadline_ms": 50, "priority": 9},
]


def model(**limits):
    some = np.array([1000.0] * 1000)
    return bounds.Model(
        Calibration(some, some, some, some, CROSS),
        {"/a:timer(100ms)": 6 * MS},
        None,
        1.0,
        limits,
        {"slow": None, "quick": 50 * MS},
        4,
    )


def runs(*responses):
    """Runs with these responses (ms) of `quick`: of each (value, whether a stall touched it).

    The touch may be "after": a stall before it was still being caught up with.
    """
    found = []
    for number, values in enumerate(responses):
        raw = results(chains=CHAINS, duration_s=len(values) / 10, spread=0.0, stalls=0)
        quick = raw["chains"][1]
        quick["responses_ns"] = [int(value * MS) for value, _ in values]
        quick["stalled"] = [int(stalled is True) for _, stalled in values]
        quick["catching_up"] = [int(stalled is not False) for _, stalled in values]
        found.append(Configuration(f"run {number}", parse_results(raw)))
    return found


def held(limit_ms, *responses):
    known = model(slow=40 * MS, quick=None if limit_ms is None else int(limit_ms * MS))
    done = runs(*responses)
    return known, bounds.against(known, done)


def test_the_longest_run_of_each_callback_counts():
    raw = example(
        "records",
        columns=["process", "work_cpu_ns", "callback"],
        callbacks=["/a", "/b", "/never"],
        runs=[[0, 5, 0], [0, 9, 1], [0, 7, 0], [1, 6, 0], [0, 8, 1]],
    )
    assert bounds.longest_work(Records.read(raw)) == {"/a": 7, "/b": 9}
    assert bounds.longest_work(Records.read({**raw, "runs": []})) == {}


def test_the_worst_of_all_runs_is_held_against_the_bound():
    known, found = held(13, [(10, False), (11, False)], [(12, False), (10, False)])
    quick, slow = found
    assert (quick.chain, slow.chain) == ("quick", "slow")  # the important one first
    assert (quick.count, quick.worst_ns, quick.above) == (4, 12 * MS, 0)
    assert quick.worst_stalled_ns is None
    assert (quick.bound_ns, quick.deadline_ns) == (13 * MS, 50 * MS)
    assert bounds.held(found)
    (first,) = bounds.sentences(known, found)
    assert "8 responses of 2 chains" in first
    assert "8 that no stall of the host touched" in first
    assert "none above its bound" in first
    table = bounds.tables(known, found)[0]
    assert table.rows[0][4].text == "0.92"
    assert table.rows[0][4].mood == "good"


@pytest.mark.parametrize("at", [13, 13.000001])
def test_a_response_at_its_bound_is_within_it(at):
    _, found = held(13, [(at, False)])
    assert found[0].above == (at > 13)
    assert bounds.held(found) == (at <= 13)


def test_what_is_above_is_told_apart_by_whether_the_host_stalled():
    known, found = held(13, [(14, True), (10, False)], [(15, True), (16, True)])
    assert (found[0].above, found[0].above_stalled) == (0, 3)
    assert (found[0].worst_ns, found[0].worst_stalled_ns) == (10 * MS, 16 * MS)
    assert bounds.held(found)
    assert "3 more were above" in bounds.sentences(known, found)[0]
    known, found = held(13, [(14, True), (14, False)])
    assert (found[0].above, found[0].above_stalled) == (1, 1)
    assert not bounds.held(found)
    table = bounds.tables(known, found)[0]
    assert table.rows[0][6].text == "1 + 1 + 0"
    assert table.rows[0][4].mood == "bad"


def test_what_a_stall_left_behind_is_told_apart_too():
    known, found = held(13, [(14, "after"), (10, False), (12, "after")], [(15, True)])
    assert (found[0].above, found[0].above_stalled, found[0].above_after) == (0, 1, 1)
    assert (found[0].worst_ns, found[0].worst_stalled_ns) == (10 * MS, 15 * MS)
    assert bounds.held(found)
    said = bounds.sentences(known, found)[0]
    assert "1 more was above while the host held a core" in said
    assert "1 more was above before what such a stall had left behind" in said
    assert bounds.tables(known, found)[0].rows[0][6].text == "0 + 1 + 1"


def test_a_chain_without_a_bound_is_named_and_does_not_hold():
    known, found = held(None, [(10, False)])
    assert (found[0].bound_ns, found[0].above) == (None, 0)
    assert not bounds.held(found)
    assert bounds.sentences(known, found)[-1] == "Without a bound: quick."
    assert bounds.tables(known, found)[0].rows[0][4].text == "–"


def test_all_samples_in_stalls_leave_no_worst():
    known, found = held(13, [(10, True)])
    assert (found[0].worst_ns, found[0].clean) == (None, 0)
    assert not bounds.held(found)
    assert bounds.sentences(known, found)[-1].startswith("Nothing is shown of quick:")
    assert bounds.tables(known, found)[0].rows[0][3].text == "–"


def test_the_plot_has_bound_and_worst_of_each_chain_the_important_one_on_top():
    _, found = held(13, [(10, False)])
    ((title, figure),) = bounds.figures(found)
    assert title == "Bounds and worst responses"
    limit, worst = figure["data"]
    assert limit["y"] == worst["y"] == ["slow", "quick"]
    assert limit["x"] == [40.0, 13.0]
    assert worst["x"][1] == 10.0
    # The page puts in the colours of its theme where it finds their bare names.
    assert all(bars["marker"]["color"].startswith("--s") for bars in figure["data"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--runs 0", "--runs"),
        ("--cpus 0,x", "list of cores"),
        ("--duration soon", "--duration"),
        ("--duration 1s --samples 5", "--samples"),
    ],
)
def test_nonsense_is_refused_before_anything_is_measured(takt, fakes, monkeypatch, options, words):
    monkeypatch.setattr(bounds, "prepare", lambda *_: pytest.fail("it was measured"))
    said = takt("experiment", "bounds", *options.split())
    assert (said.code, said.out) == (2, "")
    assert words in said.err
