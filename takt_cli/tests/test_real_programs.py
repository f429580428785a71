"""Whole commands with the real programs; short, and skipped where those are not built."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.built import CHECK, PLAN, WORKLOAD, need
from support.schemas import faults
from takt_cli.base.errors import TaktError


@need(*WORKLOAD)
@pytest.mark.smoke
@pytest.mark.alone
def test_a_graph_runs_and_its_chains_complete(takt, tmp_path):
    said = takt("run", "three_chains", "--duration", "2s", "--json", "-o", tmp_path / "r.json")
    assert said.code == 0, said.err
    assert faults("results", json.loads((tmp_path / "r.json").read_text())) == []
    chains = json.loads(said.out)["chains"]
    assert len(chains) == 3
    for chain in chains:
        # Six or seven releases in two seconds of 300 ms periods.
        assert 5 <= chain["released"] <= 8
        # Three callbacks of 10 ms: nothing can be faster.
        assert chain["response_ns"]["min"] >= 30_000_000
    page = takt("report", tmp_path / "r.json", "-o", tmp_path / "r.html")
    assert page.code == 0, page.err


@need(*WORKLOAD)
@pytest.mark.alone
def test_a_graph_runs_with_isolated_groups(takt, tmp_path):
    schedule = tmp_path / "isolated.yaml"
    schedule.write_text(
        "version: 1\n"
        "executors:\n"
        "  main:\n"
        "    threads: {rest: {}}\n"
        "    default: rest\n"
        "    groups:\n"
        '      - {match: "/**:group(**)", isolate: true}\n',
        encoding="utf-8",
    )
    said = takt("run", "three_chains", "--schedule", schedule, "--duration", "2s", "--json")
    assert said.code == 0, said.err
    for chain in json.loads(said.out)["chains"]:
        assert 5 <= chain["released"] <= 8
        assert chain["completed"] >= chain["released"] - 1


@need(*WORKLOAD)
@pytest.mark.alone
def test_the_demonstration_loads_the_cores_as_said(takt, tmp_path, unmeasured):
    said = takt("demo", "--duration", "1s", "--json", "-o", tmp_path)
    assert said.code == 0, said.err
    cores = min(4, len(os.sched_getaffinity(0)))
    raw = json.loads((tmp_path / "takt.json").read_text())
    assert faults("results", raw) == []
    assert raw["load"]["asked"] <= 0.86 * cores
    rows = {row[0]: row[1:] for row in json.loads(said.out)["tables"][0]["rows"]}
    assert "hot path max (ms)" in rows
    # No run can beat the physical limit.
    *times, limit = rows["hot path max (ms)"]
    assert all(time >= limit for time in times if isinstance(time, int | float))


@need(*WORKLOAD, *CHECK)
@pytest.mark.parametrize("kind", ["executors", "binding", "policy"])
def test_generated_schedules_are_good(takt, tmp_path, kind, monkeypatch):
    planned = []

    def only_note(items):
        planned.extend(items)
        raise TaktError("planned, not run")

    monkeypatch.setattr("takt_cli.verbs.experiment.graph_studies.run_all", only_note)
    takt("experiment", kind, "--quick", "-o", tmp_path)
    files = {(item.request.schedule, item.request.graph) for item in planned}
    assert files
    for schedule, graph in files:
        said = takt("check", schedule, "--against", graph)
        assert said.code == 0, said.err


@need(*CHECK)
def test_faults_have_file_line_and_column(takt, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("version: 1\nexecutors:\n  main:\n    oder: fifo\n")
    said = takt("check", path)
    assert said.code == 2
    assert f"{path}:4:5:" in said.err


@need(*CHECK)
def test_a_schedule_is_checked_against_the_groups_of_a_system_model(takt, tmp_path):
    rule = '{match: "/x:timer(%ds)", threads: t.%d}'
    (tmp_path / "s.yaml").write_text(
        "version: 1\nexecutors: {main: {threads: {t: {count: 2}}, default: t, callbacks: ["
        f"{rule % (1, 0)}, {rule % (2, 1)}]}}}}\n"
    )
    callback = '{id: "/x:timer(%ds)", time: 1ms, period: %ds, group: "/x:group(default)"}'
    (tmp_path / "car.yaml").write_text(
        "version: 1\nhosts: {car: {cores: 2}}\noverheads: {}\n"
        'groups: {"/x:group(default)": mutually_exclusive}\n'
        f"callbacks: [{callback % (1, 1)}, {callback % (2, 2)}]\n"
    )
    said = takt("check", tmp_path / "s.yaml", "--system", tmp_path / "car.yaml")
    assert said.code == 0, said.err
    assert "group '/x:group(default)' holds '/x:timer(2s)' and '/x:timer(1s)'" in said.err


@need(*PLAN)
def test_a_schedule_of_another_system_is_explained_in_one_sentence(takt, tmp_path):
    plan = tmp_path / "plan.yaml"
    made = takt("plan", "autoware_reference", "--time", "0s", "--cpus", "0-1", "-o", plan)
    assert made.code == 0, made.err
    said = takt("explain", plan, "--system", "three_chains")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert "the system lacks all of them, such as '/BehaviorPlanner" in said.err


@need(*WORKLOAD)
def test_graph_info_lists_callbacks_and_chains(takt):
    told = takt("graph", "info", "autoware_reference").out.splitlines()
    assert "13 chains" in told[0]
    rows = {line.split()[0]: line.split()[1:] for line in told if line}
    assert rows["/VehicleDBWSystem:sub(/VehicleInterface)"] == ["10.00", "0.000", "0.000"]
    assert rows["chain"] == ["callbacks", "priority", "deadline", "ms"]
    assert rows["front_lidar_to_obstacles"] == ["7", "200", "100.000"]
    assert rows["settings_to_output"] == ["3", "120", "25.000"]


@need(*WORKLOAD)
@pytest.mark.parametrize("environment", ["nothing", "sourced"])
def test_an_installed_takt_runs_sourced_or_not(tmp_path, environment):
    prefix = os.environ.get("TAKT_INSTALL", "")
    programs = [Path(prefix, "bin/takt"), Path(prefix, "lib/takt_cli/takt")]
    if not all(program.is_file() for program in programs):
        pytest.skip("takt_cli is not installed")
    (tmp_path / "takt").symlink_to(programs[0])
    bare = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
    commands = [[program, "check", "autoware_takt"] for program in [*programs, tmp_path / "takt"]]
    if environment == "sourced":
        script = f"source {prefix}/setup.bash && takt check autoware_takt"
        commands = [["bash", "-c", script]]
    for command in commands:
        done = subprocess.run(command, env=bare, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        assert "Traceback" not in done.stderr


@need(*WORKLOAD)
@pytest.mark.alone
def test_the_machine_is_measured(takt, unmeasured):
    said = takt("host", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["measured"]
