"""What programs in C++ write, held against the schemas.

Of other documents the tests that have a running program do the same: support/running_graph.py and
support/watched.py check each status, statistics, summary of a trace and alarm that they get,
tracing/test_trace_programs.py the report of a trace, test_exec_report.py that of takt exec, and
test_real_programs.py results.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.built import BENCHMARKS, LATENCY, PLAN, SIMULATE, TIGHTNESS, WORKLOAD, need
from support.private import private
from support.running_graph import answer, raw_answer, running_graph
from support.schemas import faults
from takt_cli.base.programs import find_program
from takt_cli.control.frames import Message
from takt_cli.files.graphs import available_graphs
from takt_cli.files.systems import available_systems
from takt_cli.verbs.experiment.oracle import oracle_directory, three_chains_scenario

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
    done = subprocess.run(
        [program, "--duration", "200ms", "--output", file, "--progress"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    assert lines
    for line in lines:
        assert faults("latency_progress", json.loads(line)) == []
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
        answer(socket, Message.subscribe)
        for kind, wrong in (
            (Message.trace_stop, {}),
            (Message.set, {"callback": callback, "threads": ["nosuch"]}),
            (Message.apply, {"file": "s.yaml", "text": "a: 1\nb: 2\n", "check_only": True}),
            (Message.alarm, {}),  # no request
        ):
            answered, told = raw_answer(socket, kind, wrong)
            assert answered == Message.error, told
            assert faults("error", told) == []
            assert told["faults"]


@need(*WORKLOAD)
def test_progress_and_records_of_a_run(tmp_path):
    file = tmp_path / "records.json"
    program = find_program("takt_run", "takt_workload")
    more = ["--duration", "300ms", "--json-progress", "--output", tmp_path / "r.json"]
    done = subprocess.run(
        [program, available_graphs()["three_chains"], *more, "--records", file],
        check=True, capture_output=True, timeout=120, env=private(tmp_path),
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
    assert lines
    for line in lines:
        assert faults("progress", json.loads(line)) == []
    found = json.loads(file.read_text(encoding="utf-8"))
    assert faults("records", found) == []
    assert found["runs"]
    assert {len(row) for row in found["runs"]} == {len(found["columns"])}


@need(*BENCHMARKS)
@pytest.mark.parametrize(
    ("name", "only", "unit", "grows"),
    [
        ("planning_benchmark", "^analyse_(250|1000)$", "ns", True),
        ("dispatch_benchmark", "^fifo_10_of", "x", False),
    ],
)
def test_limits_of_benchmarks(name, only, unit, grows):
    program = find_program(name, "takt_bench")
    command = [program, "--json", f"--benchmark_filter={only}", "--benchmark_min_time=0.001"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)
    assert done.returncode in (1, 3), done.stderr  # most limits are not measured
    found = json.loads(done.stdout)
    assert faults("limits", found) == []
    measured = [one["unit"] for one in found["limits"] if one["verdict"] != "not measured"]
    assert measured == [unit]
    assert len(measured) < len(found["limits"])
    assert bool(found["growth"]) == grows


@pytest.mark.skipif(oracle_directory() is None, reason="oracles/ is not in this checkout")
@pytest.mark.parametrize("limit", ["100ms", "60s"])
def test_reports_of_the_oracle(tmp_path, limit):
    file = tmp_path / "scenario.json"
    groups = [range(1, 10)]
    numbers = {"cost_ns": 10_000_000, "period_ns": 300_000_000}
    scenario = three_chains_scenario(groups, threads=1, cores=1, kernel="fair", **numbers)
    file.write_text(json.dumps(scenario), encoding="utf-8")
    command = [sys.executable, "-m", "takt_oracle", "run", file, "--report", "--json"]
    done = subprocess.run(
        [*command, "--limit", limit],
        cwd=oracle_directory(), capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    (found,) = json.loads(done.stdout).values()
    assert faults("oracle_report", found) == []
    assert found["chains"]
    assert (found["cycle_ns"] is None) == (limit == "100ms")


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
