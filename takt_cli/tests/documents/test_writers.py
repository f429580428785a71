"""What programs in C++ write, held against the schemas.

Of other documents the tests that have a running program do the same: support/running_graph.py and
support/watched.py check each status, statistics, summary of a trace and alarm that they get,
tracing/test_trace_programs.py the report of a trace, test_exec_report.py that of takt exec, and
test_real_programs.py results.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
from support.built import LATENCY, PLAN, SIMULATE, TIGHTNESS, WORKLOAD, need
from support.running_graph import answer, running_graph
from support.schemas import faults
from takt_cli.base.programs import find_program
from takt_cli.control.frames import Message
from takt_cli.files.graphs import available_graphs
from takt_cli.files.systems import available_systems

DOCS = Path(__file__).resolve().parents[3] / "docs"
# Timers at the same time on one core: the second chain is late.
LATE = """version: 1
hosts:
  car: {cores: 1}
callbacks:
  - {id: "/a:timer(10ms)", time: 6ms, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 2ms, triggers: /a}
  - {id: "/c:timer(40ms)", time: 13ms, period: 40ms}
chains:
  fast: {path: ["/a:timer(10ms)", "/b:sub(/a)"], priority: 9, deadline: 10ms}
  slow: {path: ["/c:timer(40ms)"], priority: 5, deadline: 40ms}
"""


@need(*LATENCY)
def test_latencies(tmp_path):
    file = tmp_path / "latency.json"
    program = find_program("takt_latency", "takt_bench")
    subprocess.run([program, "--duration", "200ms", "--output", file], check=True, timeout=60)
    assert faults("latency", json.loads(file.read_text(encoding="utf-8"))) == []


def written(program, folder, *arguments):
    """Give the document that a program of takt_plan prints."""
    command = [find_program(program, "takt_plan"), *arguments, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=300)
    assert done.returncode in (0, 1, 2), done.stderr
    return json.loads(done.stdout)


@need(*PLAN)
@pytest.mark.parametrize("planner", ["takt", "isolated", "picas"])
def test_plans(tmp_path, planner):
    (tmp_path / "late.yaml").write_text(LATE, encoding="utf-8")
    for system in ("late.yaml", available_systems()["three_chains"]):
        found = written("takt_plan", tmp_path, system, "--planner", planner, "--time", "0s")
        assert faults("plan", found) == []
        assert found["chains"]
        assert found["threads"]
        assert bool(found["misfits"]) == (system == "late.yaml")


def files_of(page, folder):
    """Write the files of a page of the docs; give the schedules of each system."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")
@need(*PLAN)
@pytest.mark.parametrize(
    ("page", "schedule", "options", "parts"),
    [
        ("explain.md", "one.yaml", "--system system.yaml", "segments"),
        ("explain.md", "two.yaml", "--system system.yaml", "segments"),
        ("explain.md", "control.yaml", "--system loop.yaml", "parts"),
        ("explain.md", "control.yaml", "--system one.yaml", "faults"),
        ("phases.md", "apart.yaml", "--jobs", "hyperperiod"),
        ("phases.md", "early.yaml", "--jobs", "hyperperiod"),
    ],
)
def test_explanations(tmp_path, page, schedule, options, parts):
    files_of(page, tmp_path)
    found = written("takt_explain", tmp_path, schedule, *options.split())
    assert faults("explanation", found) == []
    told = {name for one in [found, *found["chains"]] for name, value in one.items() if value}
    assert parts in told


@need(*WORKLOAD)
def test_graphs():
    program = find_program("takt_graph", "takt_workload")
    assert len(available_graphs()) > 2
    for graph in available_graphs().values():
        for words in (["info", graph, "--json"], ["ids", graph]):
            found = json.loads(subprocess.run([program, *words], capture_output=True).stdout)
            assert found["callbacks"]
            if words[0] == "info":
                assert faults("graph", found) == []
            for callback in found["callbacks"]:
                assert faults("graph#callback", callback) == []


@need(*WORKLOAD)
def test_measurements_of_the_machine():
    command = [find_program("takt_measure_host", "takt_workload"), "--stalls", "100ms"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    assert faults("host", json.loads(done.stdout)) == []


@need(*WORKLOAD)
def test_answers_to_changes(tmp_path):
    arguments = ("three_chains", "--schedule", "three_chains_single", "--duration", "60s")
    with running_graph(tmp_path, *arguments, processes=1) as (socket,):
        (executor,) = answer(socket, Message.status)["executors"]
        callback, thread = executor["callbacks"][0]["id"], executor["threads"][0]["name"]
        wishes = (
            {"callback": callback, "priority": 5},
            {"callback": callback, "priority": None},
            {"callback": callback, "threads": [thread]},
            {"thread": thread, "nice": 3, "executor": None},
        )
        for wish in wishes:
            assert answer(socket, Message.set, wish)["changed"], wish  # held against the schema
        text = "version: 1\nexecutors: {other: {threads: {a: {}}, default: a}}\n"
        request = {"file": "s.yaml", "text": text, "check_only": True}
        assert answer(socket, Message.apply, request)["not_in_file"] == [executor["name"]]
        assert answer(socket, Message.reset)["executors"]


@need(*PLAN)
def test_what_planners_did_with_generated_systems():
    program = find_program("takt_acceptance", "takt_bench")
    numbers = ["--published", "1", "--phases", "1", "--exhaustive", "1", "--seed", "1"]
    done = subprocess.run([program, *numbers], capture_output=True, check=False, timeout=300)
    found = json.loads(done.stdout)
    assert {one["part"] for one in found} == {"published", "phases", "exhaustive"}
    for one in found:
        assert faults("acceptance", one) == []


@need(*TIGHTNESS)
@pytest.mark.parametrize("kinds", [False, True])
def test_how_tight_bounds_are(kinds):
    program = find_program("takt_tightness", "takt_bench")
    command = [program, "--sets", "1", "--seed", "1", *(["--kinds"] if kinds else [])]
    done = subprocess.run(command, capture_output=True, check=True, timeout=600)
    found = json.loads(done.stdout)
    assert found
    for one in found:
        assert faults("tightness_of_kind" if kinds else "tightness", one) == []


@need(*SIMULATE)
@pytest.mark.parametrize("duration", ["1ns", "1s"])
def test_simulations(takt, tmp_path, duration):
    (tmp_path / "s.yaml").write_text(LATE)
    (tmp_path / "p.yaml").write_text(
        "version: 1\nexecutors: {main: {threads: {t: {policy: fifo, priority: 5}}, default: t}}\n"
    )
    program = find_program("takt_simulate", "takt_plan")
    command = [program, tmp_path / "s.yaml", tmp_path / "p.yaml", "--duration", duration, "--json"]
    found = json.loads(subprocess.run(command, capture_output=True).stdout)
    assert faults("simulation", found) == []
    assert bool(found["chains"][0]["ended"]) == (duration == "1s")
