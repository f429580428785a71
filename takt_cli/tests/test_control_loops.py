"""The page of control loops: takt's tools know the loop of a program without ROS."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from support.built import need
from takt_cli.base.programs import find_program_or_none

PROGRAM = ("control_loop", "takt_host")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "control_loops.md"
FILE = re.compile(r"<!-- file: (\S+) -->\n```yaml\n(.*?)```", re.DOTALL)
LOOP = "/controller:timer(control)"


@pytest.fixture
def loop(tmp_path, monkeypatch):
    """Start the program of the page; give its executor as `takt status` shows it."""
    monkeypatch.setenv("TAKT_RUNTIME_DIR", str(tmp_path / "run"))
    running = []

    def start(takt, **variables):
        program = subprocess.Popen(
            [find_program_or_none(*PROGRAM), "600"], env=os.environ | variables
        )
        running.append(program)
        while True:
            assert program.poll() is None
            said = takt("status", "--json")
            for process in json.loads(said.out)["processes"] if said.code == 0 else []:
                for executor in process["executors"]:
                    if any(one["id"] == LOOP for one in executor["callbacks"]):
                        return executor
            time.sleep(0.05)

    yield start
    for program in running:
        program.kill()
        program.wait()


@need(PROGRAM)
def test_status_knows_the_loop_without_a_schedule(takt, loop):
    executor = loop(takt)
    assert executor["name"] == "controller"
    assert [thread["name"] for thread in executor["threads"]] == ["control"]


@need(PROGRAM)
def test_the_loop_runs_on_the_threads_of_the_pages_schedule(takt, loop, tmp_path):
    ((name, text),) = FILE.findall(PAGE.read_text(encoding="utf-8"))
    (tmp_path / name).write_text(text, encoding="utf-8")
    executor = loop(takt, TAKT_SCHEDULE=str(tmp_path / name))
    assert [thread["name"] for thread in executor["threads"]] == ["hot"]


@need(PROGRAM, ("takt_trace", "takt_trace"), ("takt_plan", "takt_plan"))
def test_a_trace_gives_the_loop_to_a_model_and_a_plan(takt, loop, tmp_path):
    loop(takt)
    trace, system, plan = (str(tmp_path / name) for name in ("l.takttrace", "s.yaml", "p.yaml"))
    assert takt("trace", "record", "--duration", "1s", "-o", trace).code == 0
    assert takt("model", trace, "-o", system).code == 0
    said = takt("plan", system, "-o", plan)
    assert said.code == 0, said.err
    assert LOOP in Path(plan).read_text(encoding="utf-8")
