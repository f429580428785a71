"""`takt exec` and `takt model -- PROGRAM`: their program, with programs that need no ROS."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.built import adopted_program
from support.exec_prefix import TAKT_EXEC as PROGRAM
from support.exec_prefix import has_rclcpp, install_exec, report_of
from support.private import private
from support.proc import ended
from takt_cli.base.programs import find_program_or_none

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="takt_rclcpp is not built")


with_rclcpp = pytest.mark.skipif(not has_rclcpp(), reason="takt was built without rclcpp")


def takt(*arguments, **options):
    """Run the command as a user does."""
    command = [sys.executable, "-m", "takt_cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.skipif(PROGRAM is None or has_rclcpp(), reason="takt was built with rclcpp")
def test_without_rclcpp_exec_says_what_is_missing():
    said = takt("exec", "--", "true")
    assert said.returncode == 2
    assert "built without rclcpp" in said.stderr
    assert "make build" in said.stderr


@pytest.mark.parametrize(("command", "flag"), [("exec", "--quiet"), ("observe", "--observing")])
def test_help_lists_the_options_of_the_program(command, flag):
    said = takt(command, "--help")
    assert (said.returncode, said.stderr) == (0, "")
    of_program = subprocess.run([PROGRAM, flag, "--help"], capture_output=True, text=True).stdout
    options = r"^ +(?:-[a-z], ?)?(--[a-z-]+)"
    assert set(re.findall(options, said.stdout, re.M)) == set(
        re.findall(options, of_program, re.M)
    ) - {"--help-all"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["exec"], "takt exec: program is required; see takt exec --help"),
        (["model", "--colour", "--", "true"], "; see takt model --help"),
        (["exec", "--duration", "5 s", "--", "true"], "--duration: '5 s'"),
        (["exec", "--duration", "0s", "--", "true"], "takt exec: --duration must be above zero"),
        (["exec", "--executor", "main", "--", "true"], "takt exec: --executor needs --schedule"),
        (["exec", "--schedule", "/nowhere.yaml", "--", "true"], "/nowhere.yaml: cannot be read"),
        (["exec", "--colour", "--", "true"], "takt exec: "),
    ],
)
def test_a_wrong_command_line_is_one_sentence_and_exit_code_2(arguments, words):
    said = takt(*arguments)
    assert said.returncode == 2
    assert words in said.stderr
    assert said.stdout == ""
    assert len(said.stderr.splitlines()) == 1


def test_help_is_that_of_the_program():
    assert "--schedule" in takt("exec", "--help").stdout
    assert "--output" in takt("observe", "--help").stdout
    assert "-- PROGRAM" in takt("model", "--help").stdout
    assert "exec" in takt("--help").stdout


def test_the_old_name_of_a_model_of_a_program_says_the_new_one():
    old, new = (takt(name, "--nonsense", "--", "true") for name in ("observe", "model"))
    renamed = "takt: takt observe is now takt model [OPTION]... -- PROGRAM\n"
    assert old.stderr == renamed + new.stderr
    assert (old.returncode, new.returncode) == (2, 2)


def test_launchers_get_the_variables_of_a_run(tmp_path, monkeypatch):
    program = install_exec(tmp_path)
    schedule = tmp_path / "s.yaml"
    schedule.write_text(
        "version: 1\nexecutors: {main: {threads: {a: {}}, default: all}}\n", encoding="utf-8"
    )
    monkeypatch.setenv("LD_PRELOAD", "libdl.so.2")

    def ask(*options):
        command = [program, "--environment", *options, "/reports"]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    options = ("--schedule", "s.yaml", "--executor", "main", "--strict", "--children", "--quiet")
    given = json.loads(ask(*options).stdout)
    assert given == {
        "LD_PRELOAD": f"{tmp_path}/lib/libtakt_preload.so:libdl.so.2",
        "TAKT_SCHEDULE": str(schedule),
        "TAKT_EXECUTOR": "main",
        "TAKT_STRICT": "1",
        "TAKT_CHILDREN": "1",
        "TAKT_QUIET": "1",
        "TAKT_OBSERVE": None,
        "TAKT_GUARD": None,
        "TAKT_GUARD_DIR": None,
        "TAKT_GUARD_JUDGED": None,
        "TAKT_AUDIT_DIR": None,
        "TAKT_REPORT_DIR": "/reports",
        "TAKT_LD_PRELOAD": None,
    }
    bare = json.loads(ask().stdout)
    assert set(bare) == set(given)
    assert {name for name in bare if bare[name]} == {"LD_PRELOAD", "TAKT_REPORT_DIR"}
    faulty = ask("--schedule", "none.yaml")
    assert (faulty.returncode, faulty.stdout) == (2, "")
    assert "none.yaml: cannot be read" in faulty.stderr


def test_launchers_get_the_reports_joined(tmp_path):
    for number in (1, 2):
        text = report_of(f"/node_{number}")
        (tmp_path / f"1.{number}.json").write_text(text, encoding="utf-8")

    def join(*options):
        command = [PROGRAM, "--join", *options, tmp_path]
        return subprocess.run(command, capture_output=True, text=True, check=True)

    assert re.findall(r"^/node_\d", join().stderr, re.MULTILINE) == ["/node_1", "/node_2"]
    file = tmp_path / "report"
    assert join("--report", file).stderr == ""
    report = json.loads(file.read_text(encoding="utf-8"))
    assert [one["executor"] for one in report["executors"]] == ["/node_1", "/node_2"]


@with_rclcpp
def test_an_executor_that_the_schedule_does_not_have(tmp_path):
    schedule = tmp_path / "s.yaml"
    schedule.write_text(
        "version: 1\nexecutors: {main: {threads: {a: {}}, default: all}}\n", encoding="utf-8"
    )
    said = takt("exec", "--schedule", str(schedule), "--executor", "other", "--", "true")
    assert said.returncode == 2
    assert "other" in said.stderr
    assert "main" in said.stderr


@with_rclcpp
def test_a_program_without_rclcpp_runs_as_if_takt_were_not_there(tmp_path):
    said = takt("exec", "--", "sh", "-c", "echo out; echo err >&2; exit 5")
    assert (said.returncode, said.stdout) == (5, "out\n")
    assert said.stderr.startswith("err\n")
    assert takt("exec", "--", "sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL
    assert takt("exec", "--", "no_such_program").returncode == 127
    not_executable = tmp_path / "data"
    not_executable.write_text("", encoding="utf-8")
    assert takt("exec", "--", str(not_executable)).returncode == 126
    # Words that look like options belong to the program.
    assert takt("exec", "--", "echo", "--strict", "--", "-o").stdout == "--strict -- -o\n"


@with_rclcpp
def test_standard_input_is_the_programs():
    assert takt("exec", "--", "cat", input="words").stdout == "words"


@with_rclcpp
def test_the_program_finds_what_is_ignored_as_it_was():
    look = ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"]
    expected = subprocess.run(look, capture_output=True, text=True, check=True)
    assert takt("exec", "--", *look).stdout == expected.stdout


@with_rclcpp
def test_the_launcher_leaves_environment_and_streams_to_the_program(tmp_path):
    launcher = Path(__file__).resolve().parents[2] / "takt"
    given = {**os.environ, "LD_LIBRARY_PATH": "/mine", "MINE": "two\nlines", "TAKT_MINE": "1"}
    given.pop("LANG", None)
    command = [launcher, "exec", "--", "env", "-0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=given)
    found = dict(one.split("=", 1) for one in done.stdout.split("\0") if one)
    assert found.pop("LD_PRELOAD").endswith("libtakt_preload.so")
    assert found.pop("TAKT_REPORT_DIR")
    assert found == given
    look = "for i in 0 1 2; do [ -e /proc/self/fd/$i ] || echo $i >&9; done 9>$FOUND"
    told = 'exec ./takt exec -- sh -c "$LOOK" <&- >&-'
    report = tmp_path / "found"
    subprocess.run(
        ["bash", "-c", told],
        check=True,
        cwd=launcher.parent,
        env={**given, "LOOK": look, "FOUND": str(report)},
    )
    assert report.read_text(encoding="utf-8") == "0\n1\n"


@with_rclcpp
def test_a_signal_for_takt_is_passed_on(tmp_path):
    ready = tmp_path / "ready"
    script = f"trap 'echo got it; exit 3' TERM; touch {ready}; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [str(PROGRAM), "--", "sh", "-c", script], stdout=subprocess.PIPE, text=True
    )
    wait_for(ready)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (3, "got it\n")


@with_rclcpp
def test_the_program_ends_with_takt(tmp_path):
    pid_file = tmp_path / "pid"
    script = f"echo $$ > {pid_file}.part; mv {pid_file}.part {pid_file}; exec sleep 60"
    process = subprocess.Popen([str(PROGRAM), "--", "sh", "-c", script])
    wait_for(pid_file)
    process.kill()
    process.wait(timeout=60)
    child = int(pid_file.read_text(encoding="utf-8"))
    for _ in range(600):
        if ended(child):
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the program goes on without takt")


@with_rclcpp
def test_duration_ends_the_program_and_all_that_it_started():
    began = time.monotonic()
    said = takt("exec", "--duration", "300ms", "--", "sh", "-c", "sleep 60 & sleep 60; echo late")
    assert said.returncode == 0
    assert "late" not in said.stdout
    assert time.monotonic() - began < 50


@with_rclcpp
def test_a_model_needs_an_executor_that_ran(tmp_path):
    model = tmp_path / "system.yaml"
    said = takt("model", "-o", str(model), "--", "true")
    assert said.returncode == 1
    assert "no model is written" in said.stderr
    assert not model.exists()


@with_rclcpp
@pytest.mark.alone
@pytest.mark.skipif(adopted_program() is None, reason="takt_rclcpp's tests are not built")
@pytest.mark.skipif(find_program_or_none("takt_plan", "takt_plan") is None, reason="no takt_plan")
def test_the_four_commands_of_the_page_run(tmp_path):
    page = Path(__file__).resolve().parents[2] / "docs" / "exec.md"
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^\$ takt (.*?)(?:\s+#.*)?$", text, re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["exec", "model", "plan", "exec"]
    environment = private(tmp_path)
    for line in lines:
        program = f"{adopted_program()} ended_outside_of_callbacks"
        command = line.replace("ros2 run my_robot bringup", program)
        said = takt(*shlex.split(command), cwd=tmp_path, env=environment)
        assert said.returncode == 0, line + said.stdout + said.stderr
    model = (tmp_path / "robot.yaml").read_text(encoding="utf-8")
    for callback in ("/a:timer(2ms)", "/a:sub(/a/count)", "/b:timer(2ms)", "/b:sub(/b/count)"):
        assert f'"{callback}"' in model
    assert "as executor main of the schedule" in said.stderr
    assert "rclcpp's own loop" not in said.stderr


with_plan = pytest.mark.skipif(
    adopted_program() is None or find_program_or_none("takt_plan", "takt_plan") is None,
    reason="takt_rclcpp's tests or takt_plan are not built",
)


@with_rclcpp
@with_plan
def test_a_plan_of_what_was_observed_does_not_stop_the_program(tmp_path):
    """A timer waits for an answer that another callback of the process brings."""
    environment = private(tmp_path)
    program = f"{adopted_program()} calls_in_a_callback"

    def run(command):
        said = takt(*shlex.split(command), cwd=tmp_path, env=environment)
        assert said.returncode == 0, said.stdout + said.stderr
        return said

    run(f"model -o m.yaml -- {program}")
    model = (tmp_path / "m.yaml").read_text(encoding="utf-8")
    waits = 'waits_for: ["/caller:service(/work)", "/caller:client(/work)"]'
    assert waits in model
    run("plan m.yaml -o p.yaml")
    assert "10 answers, 0 timeouts" in run(f"exec --schedule p.yaml -- {program}").stdout
    # On one thread the wait would not end, and the check of the schedule says so.
    one = "version: 1\nexecutors: {main: {threads: {one: {}}, default: one}}\n"
    (tmp_path / "one.yaml").write_text(one, encoding="utf-8")
    said = takt("check", "one.yaml", "--system", "m.yaml", cwd=tmp_path, env=environment)
    assert "waits within a run for '/caller:service(/work)'" in said.stdout + said.stderr


@with_rclcpp
@with_plan
def test_a_model_has_the_load_of_messages_that_were_lost(tmp_path):
    """Of four messages three are lost: the period is that of all."""
    command = [sys.executable, "-m", "takt_cli", "model", "-o", "m.yaml", "--"]
    command += [str(adopted_program()), "watched"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=private(tmp_path),
    ) as program:
        assert program.stdin is not None
        lines = ["sub /numbers 1 reliable", "pub /numbers 1 1 reliable", "spin 0"]
        for line in [*lines, "work /numbers 80000", "pace /numbers 50"]:
            print(line, file=program.stdin, flush=True)
        time.sleep(6)
        print("pace /numbers 0", file=program.stdin, flush=True)
        said = program.communicate("quit\n", timeout=60)
    assert program.returncode == 0, said
    model = (tmp_path / "m.yaml").read_text(encoding="utf-8")
    line = next(one for one in model.splitlines() if "/watched:sub(/numbers)" in one)
    period = re.search(r"period: ([0-9.]+)ms", line)
    assert period is not None, model
    # 20 ms; of what was taken it would be 80 ms.
    assert 15 < float(period[1]) < 40, line
    assert re.search(r"LOST \d+ of \d+ messages", model)
    assert "messages before it took them" in said[1]


def wait_for(path):
    """A minute guards against hanging; it measures nothing."""
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.1)
    pytest.fail(f"{path} did not come")
