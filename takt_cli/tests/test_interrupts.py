"""Interrupts, and what becomes of programs when the command that started them ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from support.proc import ended


def begin(*arguments):
    """Start a command as a shell does, with signals as they are by default."""
    # A shell starts background jobs with SIGINT ignored, and children inherit that.
    return subprocess.Popen(
        [sys.executable, "-m", "takt_cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(condition):
    """Wait until it is true; fails after half a minute."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def noted_pid(path):
    """Wait for a stand-in to have noted its number, and give that."""
    wait_for(lambda: path.exists() and path.read_text())
    return int(path.read_text())


def interrupt_a_run(tmp_path, graph, how=signal.SIGINT):
    """Start `takt run`, interrupt it once the runner runs; gives it and what it said."""
    (tmp_path / "g.yaml").write_text(f"name: {graph}\n")
    started = begin("run", "g.yaml", "-o", "r.json", "--force")
    runner = noted_pid(tmp_path / "g.yaml.pid")
    started.send_signal(how)
    out, said = started.communicate(timeout=30)
    assert "Traceback" not in said
    assert ended(runner)
    return started.returncode, out, said


def interrupt_while_writing(tmp_path):
    """Start a run that writes slowly, and interrupt it twice; gives it and the runner's number."""
    (tmp_path / "g.yaml").write_text("name: slow\n")
    (tmp_path / "r.json").write_text("old")
    started = begin("run", "g.yaml", "-o", "r.json", "--force")
    runner = noted_pid(tmp_path / "g.yaml.pid")
    os.killpg(started.pid, signal.SIGINT)
    wait_for((tmp_path / "g.yaml.writing").exists)
    os.killpg(started.pid, signal.SIGINT)
    lines = []
    while "being written" not in (lines[-1] if lines else ""):
        lines.append(started.stderr.readline())
        assert lines[-1], "it ended"
    assert lines[-1] == "takt: results are being written; another interrupt discards them\n"
    return started, runner


@pytest.mark.parametrize("delay_s", [0.1, 0.2, 0.3, 0.4, 0.5, 0.8])
def test_an_interrupt_at_any_time_is_no_traceback(fakes, delay_s):
    # Waits for the interpreter itself to have begun: what it does before is not ours.
    command = "import runpy, sys; print('begun', flush=True); sys.argv = ['takt', 'host']; "
    command += "runpy.run_module('takt_cli', run_name='__main__')"
    started = subprocess.Popen(
        [sys.executable, "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert started.stdout.readline() == "begun\n"
    time.sleep(delay_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert "Traceback" not in said


def ended_in_a_callback(begin, how, sigint=signal.SIG_DFL):
    """Run `takt host`, of which the code `begin` lets a callback interrupt it."""
    # Python drops an exception in a callback: it writes a traceback, and goes on.
    script = f"""
import atexit, os, runpy, sys, time, weakref
class Gone:
    pass
def interrupt(*_):
    os.kill(os.getpid(), {int(how)})
{begin}
sys.argv = ["takt", "host"]
runpy.run_module("takt_cli", run_name="__main__", alter_sys=True)
"""
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, sigint),
    )


WITHOUT_A_COMMAND = {
    "in an import": """
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "takt_cli.app":
            gone = weakref.ref(Gone(), interrupt)
sys.meta_path.insert(0, Finder())
""",
    "at the end": "atexit.register(interrupt)",
}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", WITHOUT_A_COMMAND)
def test_an_interrupt_before_or_after_the_command_just_ends_it(fakes, where, how):
    done = ended_in_a_callback(WITHOUT_A_COMMAND[where], how)
    assert (done.returncode, done.stderr) == (-how, "")


@pytest.mark.parametrize(
    ("how", "sigint"),
    [
        (signal.SIGINT, signal.SIG_DFL),
        (signal.SIGTERM, signal.SIG_DFL),
        (signal.SIGTERM, signal.SIG_IGN),
    ],
)
def test_an_interrupt_in_a_callback_of_a_command_is_not_lost(fakes, how, sigint):
    begin = """
import takt_cli.verbs.host.command
def measure_host():
    gone = weakref.ref(Gone(), interrupt)
    time.sleep(60)
takt_cli.verbs.host.command.measure_host = measure_host
"""
    done = ended_in_a_callback(begin, how, sigint)
    assert (done.returncode, done.stderr) == (130, "takt: interrupted\n")


def test_an_interrupted_run_ends_the_runner_too(fakes, tmp_path):
    (tmp_path / "r.json").write_text("old")
    code, _, said = interrupt_a_run(tmp_path, "endless")
    assert code == 130
    assert "interrupted" in said
    assert (tmp_path / "r.json").read_text() == "old"
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_shows_what_it_has(fakes, tmp_path, how):
    code, out, said = interrupt_a_run(tmp_path, "patient", how)
    assert code == 130
    assert "Ended early" in out
    assert "Chains (response in ms)" in out
    assert "Raw results are in r.json" in said
    assert json.loads((tmp_path / "r.json").read_text())["warnings"] == ["ended early"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_of_which_a_part_does_not_end_keeps_the_others(fakes, tmp_path, how):
    (tmp_path / "r.json").write_text("old")
    code, out, said = interrupt_a_run(tmp_path, "hanging", how)
    assert (code, out) == (1, "")
    assert "part 1 of 2 (/b) did not end when it was told to, and was killed" in said
    assert "The records until then are in r.json, marked incomplete." in said
    assert json.loads((tmp_path / "r.json").read_text())["incomplete"]


def test_a_run_that_ends_in_its_warm_up_says_so_and_leaves_old_results_alone(fakes, tmp_path):
    (tmp_path / "r.json").write_text("old")
    code, out, said = interrupt_a_run(tmp_path, "warming")
    assert code == 130
    assert out == ""
    assert said == "takt: the run ended in its warm-up, before the measurement began\n"
    assert (tmp_path / "r.json").read_text() == "old"


def test_a_second_interrupt_does_not_lose_the_results(fakes, tmp_path):
    started, runner = interrupt_while_writing(tmp_path)
    assert not ended(runner)
    (tmp_path / "g.yaml.go").touch()
    out, said = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "Ended early" in out
    assert "Raw results are in r.json" in said
    assert json.loads((tmp_path / "r.json").read_text())["warnings"] == ["ended early"]


def test_a_third_interrupt_discards_them(fakes, tmp_path):
    started, runner = interrupt_while_writing(tmp_path)
    os.killpg(started.pid, signal.SIGINT)
    out, said = started.communicate(timeout=30)
    assert (started.returncode, out) == (130, "")
    assert said == "takt: interrupted\n"
    assert (tmp_path / "r.json").read_text() == "old"
    assert ended(runner)


LONG = (
    ("run endless.yaml -o r.json", "endless.yaml.pid"),
    ("plan endless.yaml", "endless.yaml.pid"),
    ("simulate endless.yaml autoware_takt", "endless.yaml.pid"),
    ("bench --only endless", "endless.yaml.pid"),
)


@pytest.mark.parametrize(("command", "noted"), LONG)
def test_what_a_command_started_ends_when_it_is_killed(fakes, tmp_path, command, noted):
    (tmp_path / "endless.yaml").write_text("name: endless\n")
    started = begin(*command.split())
    program = noted_pid(tmp_path / noted)
    assert not ended(program)
    started.kill()
    started.communicate(timeout=30)
    wait_for(lambda: ended(program))


@pytest.mark.parametrize(("command", "noted"), LONG[1:])
def test_an_interrupted_command_says_one_sentence(fakes, tmp_path, command, noted):
    (tmp_path / "endless.yaml").write_text("name: endless\n")
    started = begin(*command.split())
    program = noted_pid(tmp_path / noted)
    os.killpg(started.pid, signal.SIGINT)
    out, said = started.communicate(timeout=30)
    assert (started.returncode, out) == (130, "")
    assert said.splitlines()[-1] == "takt: interrupted"
    assert ended(program)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_plan_says_what_it_left(fakes, tmp_path, how):
    (tmp_path / "keeping_endless.yaml").write_text("name: endless\n")
    started = begin("plan", "keeping_endless.yaml", "-o", "s.yaml")
    program = noted_pid(tmp_path / "keeping_endless.yaml.pid")
    started.send_signal(how)
    out, said = started.communicate(timeout=30)
    assert (started.returncode, out) == (130, "")
    words = "takt: interrupted: s.yaml has the best plan until then"
    assert said.splitlines() == ["10 of 400 callbacks", words]
    assert ended(program)


@pytest.mark.parametrize("command", ["plan endless.yaml", "simulate endless.yaml autoware_takt"])
def test_progress_is_shown_while_a_program_runs(fakes, tmp_path, command):
    (tmp_path / "endless.yaml").write_text("name: endless\n")
    started = begin(*command.split())
    assert started.stderr.readline() == "10 of 400 callbacks\n"
    assert started.poll() is None
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=30)


def test_nothing_is_started_for_a_command_that_ended_meanwhile(tmp_path):
    # The parent ends between fork and prctl: the child looks for it, and starts nothing.
    script = """
import os, signal, sys, time
from takt_cli.base import processes
us = os.getpid()
real = processes._prctl
def late(*arguments):
    open("child.pid", "w").write(str(os.getpid()))
    os.kill(us, signal.SIGKILL)
    while os.getppid() == us:
        time.sleep(0.001)
    return real(*arguments)
processes._prctl = late
processes.start(["/usr/bin/touch", "started"])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    child = noted_pid(tmp_path / "child.pid")
    wait_for(lambda: ended(child))
    assert not (tmp_path / "started").exists()
