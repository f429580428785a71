"""Chains that cross processes: a row only where the chain ends, and no figure that is none."""

import json

import pytest
from support.fake_statistics import S, callback, chain, distribution, statistics
from support.looks import drawn, pair, read, view
from takt_cli.verbs.top import rates
from takt_cli.verbs.top.layout import Size
from takt_cli.verbs.top.state import State

TIMER, POINTS, BRAKE = "/lidar:timer(100ms)", "/fusion:sub(/points)", "/brake:sub(/obstacles)"
OTHER = {"consecutive_misses": 0, "misses_in_window": [0, 1]}


def process(name, *ids, path=(TIMER, POINTS, BRAKE), **more):
    """Give a process with these callbacks; its schedule has the chain, as that of all others."""
    chains = [chain("hot_path", path=list(path), deadline_ns=10**8, **more)]
    return statistics(f"/opt/{name}", (), [callback(id_) for id_ in ids], chains)


def later(told):
    return told | {"time_ns": told["time_ns"] + S}


def looks(*told):
    return view(*(pair(one, later(one), 4711 + n) for n, one in enumerate(told)))


def rows(*told):
    return [
        [cell.text for cell in row] for row in State(shown="c").kind.make(looks(*told).pairs).rows
    ]


def test_the_process_of_the_last_callback_has_the_only_row():
    found = rows(process("lidar", TIMER), process("fusion", POINTS), process("brake", BRAKE))
    assert found == [["hot_path †", "brake 4713", *"–––", "–", "100 ms", *"–––"]]


def test_a_chain_within_one_process_has_its_figures():
    whole = process("robot", TIMER, POINTS, BRAKE)
    assert rows(whole) == [["hot_path", "0", *"–––", "100 ms", "0", "0", "0"]]
    whole = process("robot", TIMER, POINTS, BRAKE, activations=5)
    (found,) = rates.chains(pair(whole, later(whole)))
    assert (found.rate_hz, found.total.counted, found.total.elsewhere) == (0, True, ())


def test_a_chain_that_leaves_and_comes_back_is_marked():
    (row,) = rows(process("robot", TIMER, BRAKE))
    assert (row[0], row[1]) == ("hot_path †", "–")


def test_a_process_that_counts_from_the_arrival_on_has_figures_before_the_first_activation():
    assert rows(process("brake", BRAKE, from_arrival=True)) == [
        ["hot_path †", "0", *"–––", "100 ms", "0", "0", "0"]
    ]


def test_a_process_that_counts_from_the_arrival_on_is_believed():
    response = distribution(50, 2e6, 3e6)
    (row,) = rows(process("brake", BRAKE, activations=50, misses=1, response=response))
    assert row == ["hot_path †", "0", "–", "–", "3.00 ms", "100 ms", "0", "1", "0"]


def test_an_executor_of_the_same_process_has_the_rest_of_the_path():
    told = process("robot", TIMER, POINTS, activations=7)
    ends = process("robot", BRAKE, activations=7)["executors"][0] | {"name": "planning"}
    told["executors"].append(ends)
    (found,) = rates.chains(pair(None, told))
    assert (found.executor, found.total.elsewhere) == ("planning", ())


def test_a_waitable_of_rclcpp_stands_for_its_subscription():
    told = process("robot", TIMER, POINTS, BRAKE.replace(":sub(", ":waitable("))
    (found,) = rates.chains(pair(None, told))
    assert found.total.elsewhere == ()


def test_notes_tell_the_mark_and_the_chains_without_a_row(once, start):
    start(process("brake", BRAKE))
    said = once()
    assert "†: crosses processes; `takt trace` joins it" in said.out
    assert "arrival" not in said.out
    start(process("wheel", BRAKE, from_arrival=True, activations=3))
    said = once("wheel")
    assert "†: from the arrival in this process; `takt trace` joins the whole chain" in said.out
    assert "crosses" not in said.out
    (found,) = json.loads(once("wheel", "--json").out)["chains"]
    assert (found["from_arrival"], found["activations"]) == (True, 3)
    start(process("camera", TIMER, path=(TIMER, "/gone:sub(/x)")) | {"since_ns": 1})
    said = once("camera")
    assert "no chains" in said.out
    assert "chains whose last callback is in none of these processes: hot_path" in said.out


def test_the_headline_counts_rows_and_the_mark_fits_any_terminal():
    told = [process("lidar", TIMER), process("brake", BRAKE)]
    lines = drawn(looks(*told), State(), Size(80, 24))
    assert "2 processes, 1 chain, 2 callbacks" in lines[0]
    assert "†: crosses processes; `takt trace` joins it" in lines[-2]
    assert drawn(looks(*told), State(), Size(80, 24, "ascii"))[3].startswith("hot_path +")


def test_the_document_has_null_for_figures_that_nobody_counts(once, start):
    start(process("lidar", TIMER))
    start(process("brake", BRAKE))
    (found,) = json.loads(once("--json").out)["chains"]
    assert found["process"] == "brake"
    assert found["elsewhere"] == [TIMER, POINTS]
    for name in ("activations", "misses", "consecutive_misses", "misses_in_window"):
        assert found[name] is None
    assert set(found["last"].values()) == {None}
    assert found["deadline_ns"] == 10**8


@pytest.mark.parametrize(
    ("kind", "depth", "words"),
    [("subscription", None, "7/–"), ("subscription", 10, "7/10"), ("timer", 1, "7"),
     ("service", 0, "7")],
)  # fmt: skip
def test_a_history_that_keeps_all_has_no_depth(kind, depth, words):
    told = statistics("/p", callbacks=[callback("/n:x", kind=kind, depth=depth, waiting=7)])
    table = State(shown="b").kind.make((pair(None, told),))
    assert table.rows[0][table.columns.index("waiting")].text == words
    assert read(told).executors[0].callbacks[0].depth == depth
