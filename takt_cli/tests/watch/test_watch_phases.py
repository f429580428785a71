"""Disturbed phases of programs that run: a timer overruns, a process is stopped for a while."""

import json
import os
import signal
import subprocess
import sys

import pytest
import yaml
from support.built import need
from support.private import private
from support.running_graph import answer, running_graph
from support.watched import HEAD, WATCHED, Watched, rules, starting, wait_for
from takt_cli.control.frames import Message

TIMER = "/watched:timer(20ms)"
PARTS = """version: 1
epoch: host
settles: 600ms
executors:
  main:
    threads: {only: {}}
    default: only
    callbacks:
      - {match: "/callback_1:timer(**)", offset: 0ms}
      - {match: "/callback_4:timer(**)", offset: 100ms}
      - {match: "/callback_7:timer(**)", offset: 200ms}
      - {match: "/callback_*:sub(**)"}
"""


def phases(told):
    (executor,) = told["executors"]
    return executor["phases"]


@pytest.fixture
def watched(tmp_path):
    """Start the program under a schedule; it must end well."""
    with starting() as start:
        yield lambda schedule, *lines: start(Watched(tmp_path, schedule, 2, lines))


def with_marks(test):
    """Mark a test that needs a program of rclcpp."""
    for mark in WATCHED:
        test = mark(test)
    return test


@with_marks
@pytest.mark.parametrize("rule", ["", ", settles: never"])
def test_an_overrun_of_a_program_of_rclcpp_is_noted_and_settles(watched, rule):
    schedule = "settles: 1s\n" + HEAD + "    threads: {only: {}}\n    default: only\n"
    program = watched(schedule + rules(f'match: "{TIMER}", offset: 5ms{rule}'), "timer 20")

    def now(kind=Message.status):
        return phases(program.ask(kind))

    def words(*command):
        return " ".join(program.takt_output(*command).split())

    wait_for(lambda: program.runs("timer") > 3)
    before = now()["disturbances"]  # the machine may have held it up by itself
    program.tell("work timer 70000")
    wait_for(lambda: now()["disturbances"] > before)
    program.tell("work timer 0")
    last = now()["last"]
    assert (last["cause"], last["callback"]) == ("skipped period", TIMER)
    assert now(Message.statistics)["disturbances"] > before
    if rule:
        assert now()["bounds_hold"] == "after a new start"
        assert "bounds hold again after a new start" in words("status")
    else:
        wait_for(lambda: now()["bounds_hold"] == "yes")
        assert "bounds hold again" in words("status")
    program.declare("quit")
    program.process.wait(timeout=60)
    assert "the phases of timers were disturbed" in program.errors()


@need(("takt_run", "takt_workload"))
def test_a_process_that_is_stopped_for_a_while_disturbs_itself_and_settles(tmp_path):
    schedule = tmp_path / "s.yaml"
    schedule.write_text(PARTS, encoding="utf-8")
    with running_graph(
        tmp_path, "three_chains", "--schedule", schedule, "--work-scale", "0.1", "--duration",
        "10min", processes=3,
    ) as sockets:  # fmt: skip
        socket = sockets[0]
        wait_for(lambda: phases(answer(socket, Message.status))["bounds_hold"] == "yes")
        before = phases(answer(socket, Message.status))["disturbances"]
        pid = int(socket.stem)
        os.kill(pid, signal.SIGSTOP)
        try:
            signal.sigtimedwait([], 1.5)  # five periods
        finally:
            os.kill(pid, signal.SIGCONT)
        wait_for(lambda: phases(answer(socket, Message.status))["disturbances"] > before)
        last = phases(answer(socket, Message.status))["last"]
        assert last["cause"] in ("skipped period", "lost message")
        assert last["callback"].startswith("/callback_")
        wait_for(lambda: phases(answer(socket, Message.status))["bounds_hold"] == "yes")


SPLIT = (
    "FrontLidarDriver,RearLidarDriver,PointsTransformerFront,PointsTransformerRear,"
    "PointCloudFusion,RayGroundFilter,EuclideanClusterDetector,EuclideanClusterSettings,"
    "ObjectCollisionEstimator;"
    "BehaviorPlanner,MPCController,VehicleInterface,VehicleDBWSystem,IntersectionOutput"
)


@need(("takt_run", "takt_workload"), ("takt_plan", "takt_plan"))
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the plan is for two cores")
def test_a_plan_of_three_processes_runs_while_one_of_them_starts_again(tmp_path):
    def takt(*words, wanted=0):
        command = [sys.executable, "-m", "takt_cli", *map(str, words)]
        done = subprocess.run(
            command, env=private(tmp_path), capture_output=True, text=True, check=False,
            cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode in (0, wanted), done.stderr
        return done

    split = ("--split", 3, "--split-map", SPLIT)
    model = takt("graph", "system", "autoware_reference", *split, "--core-count", 2).stdout
    (tmp_path / "model.yaml").write_text(model, encoding="utf-8")
    takt("plan", "model.yaml", "--time", "0s", "-o", "plan.yaml")
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text(encoding="utf-8"))
    assert plan["epoch"] == "host"
    assert sorted(plan["executors"]) == ["part_1", "part_2", "part_3"]
    for executor in plan["executors"].values():
        executor["missing_rights"] = "report"
        executor.pop("process_threads", None)
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan), encoding="utf-8")
    for warmup in ("8s", "100s"):  # a busy machine takes longer until the process is back
        done = takt(
            *("run", "autoware_reference", "--schedule", "plan.yaml", *split, "--restart", "1@1s"),
            *("--work-scale", 0.05, "--duration", "2s", "--warmup", warmup, "-o", "r.json"),
            wanted=1,
        )
        if done.returncode == 0:
            break
        assert "choose a longer --warmup" in done.stderr
    told = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert told["incomplete"] == []
    assert told["messages"]["unmatched"] == 0
    assert all(chain["completed"] for chain in told["chains"])
    before = {one["executor"]: one["before"] for one in told["phase_states"]}
    assert sorted(before) == ["part_1", "part_2", "part_3"]
    assert before["part_2"]["disturbances"] >= 2  # of /ObjectCollisionEstimator and the settings
    assert before["part_3"]["disturbances"] >= 1
