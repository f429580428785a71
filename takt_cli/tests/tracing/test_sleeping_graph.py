"""A graph that sleeps and takes a topic twice: run, traced, modelled, planned, and run again."""

import json

import pytest
import yaml
from support.built import WORKLOAD, need
from support.running_graph import convert, running_graph, traced
from takt_cli.base.units import parse_duration

pytestmark = need(*WORKLOAD, ("takt_trace", "takt_trace"), ("takt_plan", "takt_plan"))

GRAPH = """
version: 1
name: sleepers
message: Int32
defaults: {depth: 10}
nodes:
  - {name: Camera, kind: sensor, period: 100ms, work: 1ms, sleep: 12ms}
  - name: Eyes
    kind: intersection
    connections:
      - {input: Camera, output: left, work: 1ms}
      - {input: Camera, output: right, work: 1ms, sleep: {min: 5ms, max: 6ms}}
  - {name: Both, kind: fusion, inputs: [left, right], work: 2ms}
chains:
  - {name: left, path: [Camera, "/Eyes:sub(/Camera)", Both], deadline: 90ms}
  - {name: right, path: [Camera, "/Eyes:sub(/Camera)#2", Both], deadline: 90ms}
"""
SCHEDULE = """
version: 1
executors:
  main: {missing_rights: report, threads: {main: {}}, default: main}
"""
CAMERA, LEFT, RIGHT = "/Camera:timer(100ms)", "/Eyes:sub(/Camera)", "/Eyes:sub(/Camera)#2"
SLEEPS = {CAMERA: 12e6, RIGHT: 6e6}


def by_id(model):
    return {
        id_: one
        for one in model["callbacks"]
        for id_ in (one["id"] if isinstance(one["id"], list) else [one["id"]])
    }


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sleepers")
    (folder / "graph.yaml").write_text(GRAPH)
    (folder / "one.yaml").write_text(SCHEDULE)
    return folder


def test_the_model_of_the_graph_has_its_sleeps_and_both_subscriptions(graph, takt):
    said = takt("graph", "system", graph / "graph.yaml", "--core-count", "2")
    assert said.code == 0, said.err
    found = by_id(yaml.safe_load(said.out))
    assert {id_: one["sleep"] for id_, one in found.items() if "sleep" in one} == {
        CAMERA: "12ms",
        RIGHT: "6ms",
    }
    (graph / "declared.yaml").write_text(said.out)
    said = takt("plan", graph / "declared.yaml", "-o", graph / "schedule.yaml")
    assert said.code == 0, said.err
    said = takt("check", graph / "schedule.yaml", "--against", graph / "graph.yaml")
    assert (said.code, said.err) == (0, "")
    said = takt("explain", graph / "schedule.yaml", "--system", graph / "declared.yaml")
    assert f"{CAMERA} sleeps within a run, at most 12" in said.out


@pytest.mark.parametrize("kernel", [True, False])
def test_a_trace_of_the_running_graph_gives_a_model_with_its_sleeps(graph, takt, kernel):
    options = ("--schedule", graph / "one.yaml", "--duration", "2min")
    with running_graph(graph, graph / "graph.yaml", *options, processes=2) as sockets:
        files = traced(sockets, 20, cpu_times=True, kernel=kernel)
    trace, model = graph / f"{kernel}.takttrace", graph / f"{kernel}.yaml"
    convert([file["file"] for file in files], trace, "takt")
    said = takt("model", trace, "-o", model)
    assert said.code == 0, said.err
    found = by_id(yaml.safe_load(model.read_text()))
    assert found.keys() == {CAMERA, LEFT, RIGHT, "/Both:sub(/left)", "/Both:sub(/right)"}
    assert all(found[id_]["triggers"] in ("/Camera", ["/Camera"]) for id_ in (LEFT, RIGHT))
    # A sleep lasts for what was asked, or longer on a busy machine.
    for id_, asked in SLEEPS.items():
        assert f"{id_} sleeps or waits within its runs" in said.err, json.dumps(found)
        assert parse_duration(found[id_]["sleep"]) >= 0.9 * asked
        assert parse_duration(found[id_]["time"]["worst"]) < asked, "CPU time is without the sleep"
    said = takt("plan", model, "-o", graph / f"{kernel}_schedule.yaml")
    assert said.code in (0, 1), said.err  # how long a busy machine slept decides
