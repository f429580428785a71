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
    table = State(shown="c").kind.make(looks(*told).pairs)
    return [{t: c.text for t, c in zip(table.columns, row, strict=True)} for row in table.rows]


def row_of(*told):
    """Give the only row: where it counts from, and the figures that a crossing chain may lack."""
    (row,) = rows(*told)
    shown = ("chain", "from", "deadline", "missed", "missed*", "in a row", "max*")
    return [row.get(name) for name in shown]


def test_the_process_of_the_last_callback_has_the_only_row():
    found = rows(process("lidar", TIMER), process("fusion", POINTS), process("brake", BRAKE))
    assert len(found) == 1
    assert found[0]["process"] == "brake 4713"
    assert set(found[0].values()) == {"hot_path", "brake 4713", "100 ms", "–"}


def test_a_chain_within_one_process_has_its_figures():
    whole = process("robot", TIMER, POINTS, BRAKE)
    assert row_of(whole) == ["hot_path", None, "100 ms", "0", "0", "0", "–"]
    whole = process("robot", TIMER, POINTS, BRAKE, activations=5)
    (found,) = rates.chains(pair(whole, later(whole)))
    assert (found.rate_hz, found.total.counted, found.total.elsewhere) == (0, True, ())


def test_a_chain_that_leaves_and_comes_back_is_marked():
    (row,) = rows(process("robot", TIMER, BRAKE))
    assert (row["chain"], row["from"], row["rate/s"]) == ("hot_path", "–", "–")


def test_a_process_that_counts_from_the_arrival_on_has_figures_before_the_first_activation():
    told = process("brake", BRAKE, from_arrival=True)
    assert row_of(told) == ["hot_path", "/obstacles", "100 ms", "0", "0", "0", "–"]


def test_a_process_that_counts_from_the_arrival_on_is_believed():
    response = distribution(50, 2e6, 3e6)
    told = process("brake", BRAKE, activations=50, misses=1, response=response)
    assert row_of(told) == ["hot_path", "/obstacles", "100 ms", "0", "1", "0", "3.00 ms"]


def test_each_row_says_from_where_its_figures_count():
    told = process("robot", POINTS, BRAKE, from_arrival=True)
    alone = chain("display", path=[BRAKE], deadline_ns=10**9)
    told["executors"][0]["chains"].append(alone)
    found = {row["chain"]: row["from"] for row in rows(told)}
    assert found == {"hot_path": "/points", "display": "release"}
    timer = process("robot", "/brake:timer(1s)", path=(TIMER, "/brake:timer(1s)"), activations=1)
    assert rows(timer)[0]["from"] == "arrival"


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
    assert "from –: crosses processes, and is not counted; `takt trace` joins it" in said.out
    assert "arrival" not in said.out
    start(process("wheel", BRAKE, from_arrival=True, activations=3))
    said = once("wheel")
    assert "from TOPIC: counted from its arrival in this process; `takt trace` has" in said.out
    assert "crosses" not in said.out
    (found,) = json.loads(once("wheel", "--json").out)["chains"]
    assert (found["from_arrival"], found["activations"]) == (True, 3)
    start(process("camera", TIMER, path=(TIMER, "/gone:sub(/x)")) | {"since_ns": 1})
    said = once("camera")
    assert "no chains" in said.out
    assert "chains whose last callback is in none of these processes: hot_path" in said.out


def test_the_headline_counts_rows_and_the_legend_fits_any_terminal():
    told = [process("lidar", TIMER), process("brake", BRAKE)]
    lines = drawn(looks(*told), State(), Size(80, 24))
    assert "2 processes, 1 chain, 2 callbacks" in lines[0]
    legend = "from –: crosses processes, and is not counted; `takt trace` joins it"
    assert legend in lines
    assert legend in drawn(looks(*told), State(help=True), Size(80, 24))
    plain = drawn(looks(*told), State(), Size(80, 24, "ascii"))
    assert plain[3].startswith("hot_path ")
    assert legend.replace("–", "-") in plain


def test_80_columns_have_deadline_misses_and_origin_beside_the_longest_names():
    name = "front_lidar_to_obstacles_of_the_perception_of_the_car"
    told = process("brake", BRAKE, from_arrival=True, activations=7, misses=3)
    told["executors"][0]["chains"][0]["name"] = name
    lines = drawn(looks(told, process("lidar", TIMER)), State(), Size(80, 24))
    titles = lines[2].split("  ")
    found = [title.strip() for title in titles if title.strip()]
    assert found == ["chain", "deadline", "missed", "missed*v", "in a row", "from", "max*"]
    assert "…" in lines[3].split()[0]
    assert {"100", "ms", "0", "3", "/obstacles"} <= set(lines[3].split())
    legend = " ".join(lines[-4:-1])
    for words in ("columns 2-7 of 11", "from TOPIC", "*: since", "figures without *"):
        assert words in legend


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
