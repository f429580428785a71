"""Shipped system models by name, and the page of a plan."""

import json

import pytest
from support.built import PLAN, SIMULATE, WORKLOAD, need
from takt_cli.base.errors import TaktError
from takt_cli.files.systems import available_systems, resolve_system
from takt_cli.results.plan import Plan
from takt_cli.verbs.plan.page import plan_study, trade_figure

SMALL = """version: 1
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 2ms, triggers: /a}
  - {id: "/c:timer(40ms)", time: 3ms, period: 40ms}
chains:
  fast: {path: ["/a:timer(10ms)", "/b:sub(/a)"], priority: 9, deadline: 10ms}
  slow: {path: ["/c:timer(40ms)"], priority: 5, deadline: 40ms}
"""


def planned(**changes):
    found = {
        "system": "s.yaml",
        "planner": "takt",
        "chains": [
            {"name": "a", "priority": 9, "deadline_ns": 10_000_000, "bound_ns": 4_000_000,
             "met": True},
            {"name": "b", "priority": 5, "deadline_ns": None, "bound_ns": None, "met": True},
        ],
        "threads": [
            {"name": n, "executor": "main", "host": "car", "core": 0, "priority": 80, "load": 0.25,
             "callbacks": ["/x"]}
            for n in ("one", "two")
        ],
        "trade": [
            {"threads": 3, "slack": 0.5, "switches_per_second": 300.0},
            {"threads": 2, "slack": 0.4, "switches_per_second": 200.0},
            {"threads": 1, "slack": 0.05, "switches_per_second": 100.0},
        ],
        "shortfalls": [],
    }  # fmt: skip
    return {**found, **changes}


def plan(**changes):
    return Plan.read(planned(**changes))


def test_a_bare_name_is_a_shipped_model():
    assert {"autoware_reference", "picas_case_study", "three_chains"} <= set(available_systems())
    found = resolve_system("autoware_reference")
    assert found == str(available_systems()["autoware_reference"])


@need(*WORKLOAD)
@pytest.mark.parametrize("name", ["autoware_reference", "three_chains"])
def test_shipped_models_of_graphs_are_what_their_graphs_give(takt, name):
    overheads = ("--dispatch", "10us", "--middleware", "20us", "--context-switch", "40us")
    done = takt("graph", "system", name, *overheads)
    assert done.code == 0, done.err
    assert done.out == available_systems()[name].read_text()


def test_a_file_is_named_as_it_was_given_even_if_it_has_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three_chains").write_text("")
    assert resolve_system("three_chains") == "three_chains"
    assert resolve_system("./three_chains") == "./three_chains"
    for name in ("not/there", "there.yaml"):
        with pytest.raises(TaktError, match=f"{name}: cannot be read: No such file"):
            resolve_system(name)


def test_an_unknown_name_is_one_message_with_the_known_ones(takt, fakes):
    for command in (
        ("plan", "autoware"),
        ("explain", "autoware_takt", "--system", "autoware"),
        ("simulate", "autoware", "autoware_takt"),
    ):
        said = takt(*command)
        assert (said.code, said.out) == (2, ""), command
        assert "unknown system model 'autoware'" in said.err
        for name in available_systems():
            assert name in said.err


def test_commands_give_the_shipped_file_to_their_programs(takt, fakes):
    file = resolve_system("three_chains")
    said = takt("plan", "three_chains", "--json")
    assert json.loads(said.out)["arguments"][0] == file
    said = takt("explain", "autoware_takt", "--system", "three_chains", "--json")
    assert json.loads(said.out)["arguments"][1:3] == ["--system", file]
    said = takt("simulate", "three_chains", "autoware_takt", "--json")
    assert json.loads(said.out)[0] == file


def test_nothing_shipped_says_what_to_do(nothing_built):
    with pytest.raises(TaktError, match="no shipped system models are installed"):
        resolve_system("autoware_reference")


@need(*PLAN, *SIMULATE)
def test_a_shipped_model_is_planned_explained_and_simulated(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = takt("plan", "three_chains", "-o", "s.yaml")
    assert said.code == 0, said.err
    assert "\nsystem: three_chains " in (tmp_path / "s.yaml").read_text()
    said = takt("explain", "s.yaml", "--system", "three_chains")
    assert said.code == 0, said.err
    without = takt("explain", "s.yaml")
    assert (without.code, without.out) == (0, said.out), without.err
    assert takt("explain", "s.yaml", "--chain", "high").out != said.out
    said = takt("simulate", "three_chains", "s.yaml", "--duration", "1s")
    assert said.code == 0, said.err


def test_the_curve_has_every_plan_and_marks_the_chosen_one():
    figure = trade_figure(plan())
    (curve,) = figure["data"]
    assert curve["x"] == [1, 2, 3]
    assert curve["y"] == [5.0, 40.0, 50.0]
    assert curve["text"] == [
        "100 context switches a second",
        "200 context switches a second, chosen",
        "300 context switches a second",
    ]
    assert curve["marker"]["color"] == ["--s4", "--s1", "--s4"]
    assert trade_figure(plan(trade=[])) is None
    assert (
        trade_figure(plan(trade=[{"threads": 2, "slack": 0.5, "switches_per_second": 200.0}]))
        is None
    )


def test_the_page_says_what_holds_and_what_does_not():
    study = plan_study(plan(), "./takt plan s.yaml")
    assert study.sentences == ["Planner takt: 2 threads for 2 chains. All deadlines hold."]
    assert [table.title for table in study.tables] == [
        "Chains (ms)",
        "Threads",
        "What threads buy, without trigger: false and sequences",
    ]
    assert study.tables[0].rows[0][4].text == "6.00"
    assert study.tables[0].rows[1][4].text == "–"
    resting = plan_study(plan(when_bounds_hold="Bounds rest on phases."), "")
    assert resting.sentences[1:] == ["Bounds rest on phases."]
    short = plan_study(plan(warnings=["11 histories may be too short"]), "")
    assert short.sentences[1:] == ["11 histories may be too short"]
    late = planned(shortfalls=["core 0 is overloaded"], trade=[])
    late["chains"][0].update(met=False, bound_ns=12_000_000)
    study = plan_study(Plan.read(late), "")
    assert study.sentences[0].endswith("Not within their deadlines: a.")
    assert study.sentences[1] == "core 0 is overloaded"
    assert "no curve" in study.sentences[2]
    assert study.figures == []
    assert study.tables[0].rows[0][4].text == "-2.00"
    assert study.tables[0].rows[0][4].mood == "bad"
    late["chains"][0].update(pays_for_periods=True)
    late.update(periods_kept=300, periods_kept_of=["/low:timer(5ms)"])
    assert plan_study(Plan.read(late), "").sentences[1] == (
        "So that no timer skips a period, a pays for it: in another plan timers skip 300 periods "
        "in simulation (/low:timer(5ms))."
    )


@need(*PLAN)
@pytest.mark.parametrize("more", [(), ("--json",), ("--planner", "isolated"), ("--time", "0s")])
def test_a_plot_is_written_beside_the_plan(takt, tmp_path, monkeypatch, more):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    plain = takt("plan", "small.yaml", "-o", "plain.yaml", *more)
    said = takt("plan", "small.yaml", "-o", "s.yaml", "--plot", "plot.html", *more)
    assert (said.code, said.out) == (plain.code, plain.out.replace("plain.yaml", "s.yaml"))
    assert (tmp_path / "s.yaml").read_text() == (tmp_path / "plain.yaml").read_text()
    page = (tmp_path / "plot.html").read_text()
    assert "Threads and time to spare: small.yaml" in page
    assert ("What threads buy" in page) == ("isolated" not in more)
    assert "plot.html" in said.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--plot s.yaml", "names the system model"),
        ("--plot o -o o", "same file"),
        ("--plot p.pdf", "p.pdf: a plot is a page; let its name end in .html"),
        ("--plot old.html", "old.html exists; name another file, or replace it with --force"),
        ("--plot .", "directory"),
        ("--plot -", "'-' names no file"),
    ],
)
def test_a_plot_overwrites_nothing_that_is_needed(takt, fakes, tmp_path, options, words):
    for name in ("s.yaml", "old.html"):
        (tmp_path / name).write_text("x")
    said = takt("plan", "s.yaml", *options.split())
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    for name in ("s.yaml", "old.html"):
        assert (tmp_path / name).read_text() == "x"
    assert not (tmp_path / "p.pdf").exists()


def test_a_refused_plan_gives_no_page_and_nonsense_is_one_message(takt, fakes, tmp_path):
    (tmp_path / "bad.yaml").write_text("")
    (tmp_path / "s.yaml").write_text("")
    assert takt("plan", "bad.yaml", "--plot", "p.html").code == 2
    said = takt("plan", "s.yaml", "--plot", "p.html")
    assert said.code == 2
    assert "takt_plan wrote no plan" in said.err
    assert not (tmp_path / "p.html").exists()
