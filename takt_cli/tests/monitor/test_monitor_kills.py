"""`kill -9` of a program, of its monitor, or of both: nobody hangs, and the next start works."""

import json
import os
import random
import select
import subprocess
import sys
import time

import pytest
from support.built import WORKLOAD, need
from support.private import private
from takt_cli.base.programs import find_program

PATIENCE_S = 60.0
# Each run is too long, so alarms come from the first run on.
SCHEDULE = """
version: 1
executors:
  main:
    order: priority
    missing_rights: report
    threads: {main: {}}
    default: main
    callbacks:
      - {match: "**", budget: 1us}
watch: {period: 20ms}
"""


class Monitor:
    """`takt monitor --json`, and what it says."""

    def __init__(self, environment):
        command = [sys.executable, "-m", "takt_cli", "monitor", "--json", "--no-ros"]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._rest = b""

    def reads_alarm_of(self, pid):
        """Read on until an alarm of that process comes."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            ready, _, _ = select.select([self.process.stdout], [], [], 0.2)
            data = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            if data == b"":
                return False
            *lines, self._rest = (self._rest + (data or b"")).split(b"\n")
            for line in map(json.loads, lines):
                if line["event"] == "alarm" and line["pid"] == pid:
                    return True
        return False


@pytest.fixture
def started(tmp_path):
    """Start programs and monitors in a folder of their own; all are gone afterwards."""
    environment = private(
        tmp_path,
        # What Fast DDS leaves in shared memory is not takt's to remove.
        FASTDDS_BUILTIN_TRANSPORTS="UDPv4",
    )
    (tmp_path / "schedule.yaml").write_text(SCHEDULE)
    command = [str(find_program("takt_run", "takt_workload")), "three_chains"]
    command += ["--schedule", str(tmp_path / "schedule.yaml"), "--duration", "10min", "--quiet"]
    processes = []

    def program():
        with (tmp_path / "log").open("ab") as log:
            processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        return processes[-1]

    def monitor():
        one = Monitor(environment)
        processes.append(one.process)
        return one

    yield program, monitor
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()


def until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def campaign(started, tmp_path, rounds, seed):
    program, monitor = started
    draw = random.Random(seed)
    watched, watching = program(), monitor()
    for number in range(rounds):
        assert watching.reads_alarm_of(watched.pid), f"round {number}: {watched.poll()}"
        victims = draw.choice(["program", "monitor", "both", "both the other way"])
        order = {
            "program": [watched],
            "monitor": [watching.process],
            "both": [watched, watching.process],
            "both the other way": [watching.process, watched],
        }[victims]
        for one in order:
            one.kill()
        if draw.random() < 0.5:  # else the next one starts while the last one is ending
            for one in order:
                one.wait()
        if watched in order:
            old = tmp_path / "run" / f"{watched.pid}.sock"
            watched.wait()
            watched = program()
            if watching.process not in order:
                until(lambda old=old: not old.exists())
        if watching.process in order:
            watching.process.wait()
            watching = monitor()
    assert watching.reads_alarm_of(watched.pid)
    # Both end as they should, and nothing of those that were killed is left.
    watched.terminate()
    assert watched.wait(PATIENCE_S) is not None
    until(lambda: not list((tmp_path / "run").glob("*.sock")))
    watching.process.terminate()
    assert watching.process.wait(PATIENCE_S) == 0


@need(*WORKLOAD)
def test_killed_programs_and_monitors_leave_nothing_behind(started, tmp_path):
    campaign(started, tmp_path, rounds=6, seed=1)


@need(*WORKLOAD)
@pytest.mark.soak
def test_two_hundred_kills_leave_nothing_behind(started, tmp_path):
    campaign(started, tmp_path, rounds=200, seed=int(os.environ.get("TAKT_TEST_SEED", "1")))
