"""`takt exec --guard`: what the page of the guard shows, and what wrong command lines get."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.built import WORKLOAD, need
from support.exec_prefix import TAKT_EXEC
from test_docs import DOCS, FILE, SHELL

PAGE = DOCS / "guard.md"
LIKE = re.compile(r"<!-- test: like -->\n```text\n(.*?)```", re.DOTALL)
INSTALL = Path(os.environ.get("TAKT_INSTALL", "/nowhere"))

SCOPE = """\
#include <cstdlib>
#include "takt_rt/guard/guard.hpp"
int main()
{
  static const takt_rt::GuardName name("planner");
  const takt_rt::Guard guard(name);
  void * volatile block = std::malloc(10);
  std::free(block);
}
"""

pytestmark = pytest.mark.skipif(
    TAKT_EXEC is None or not (INSTALL / "lib/libtakt_guard.so").exists(),
    reason="takt_rclcpp or takt_rt is not installed",
)


def takt(*arguments, **options):
    """Run the command as a user does."""
    command = [sys.executable, "-m", "takt_cli", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, **options
    )


def shapes(table):
    """Give the rows of a table without their numbers: callback, kind, function and line."""
    row = r"^  (\S+) +([a-z][a-z ]*?) +\d+ +\d+ +\S+  (.*)$"
    return re.findall(row, table, re.MULTILINE)


@pytest.fixture(scope="module")
def control(tmp_path_factory):
    """The page's program, built by the page's command."""
    folder = tmp_path_factory.mktemp("guard")
    text = PAGE.read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")
    build(folder, SHELL.findall(text)[0].splitlines()[0])
    return folder


def build(folder, command):
    """Run the command of a page that compiles a program."""
    path = os.pathsep.join([str(INSTALL / "lib/pkgconfig"), os.environ.get("PKG_CONFIG_PATH", "")])
    environment = os.environ | {"PKG_CONFIG_PATH": path}
    command += f" -Wl,-rpath,{INSTALL / 'lib'}"
    subprocess.run(["bash", "-ec", command], cwd=folder, check=True, env=environment, timeout=300)


def test_the_page_shows_what_the_command_says(control):
    text = PAGE.read_text(encoding="utf-8")
    lines = [line for block in SHELL.findall(text) for line in block.splitlines()]
    _, watched, ignoring = ([*line.split()[1:]] for line in lines)
    said = takt(*watched, cwd=control)
    assert said.returncode == 0, said.stderr
    shown = LIKE.findall(text)[0]
    # A page fault is where the memory happened to end.
    assert [row for row in shapes(said.stderr) if row[1] != "page fault"] == [
        row for row in shapes(shown) if row[1] != "page fault"
    ]
    said = takt(*ignoring, cwd=control)
    kinds = {kind for _, kind, _ in shapes(said.stderr)} - {"page fault"}
    assert kinds == {"allocation", "lock"}
    assert re.search(r"\d+ events in functions of the ignore list are left out", said.stderr)


def test_the_report_has_each_place_with_its_stack(control, tmp_path):
    from support.schemas import faults

    file = tmp_path / "report.json"
    said = takt("exec", "--guard=all", "--report", file, "--", "./control", cwd=control)
    assert said.returncode == 0, said.stderr
    assert said.stderr == ""
    report = json.loads(file.read_text(encoding="utf-8"))
    assert faults("exec_report", report) == []
    (process,) = report["guard"]
    (callback,) = process["callbacks"]
    assert callback["id"] == "control"
    lock = next(one for one in callback["events"] if one["kind"] == "lock")
    assert lock["worst_ns"] >= max(one["worst_ns"] for one in lock["places"]) > 0
    stack = lock["places"][0]["stack"]
    assert any(one["function"].startswith("control(") for one in stack)
    assert not any("libtakt_guard" in one["object"] for one in stack)


def test_the_page_has_each_kind_with_its_stack(control, tmp_path):
    file, page = tmp_path / "report.json", tmp_path / "page.html"
    said = takt("exec", "--guard=all", "--report", file, "--", "./control", cwd=control)
    assert said.returncode == 0, said.stderr
    said = takt("report", file, "-o", page)
    assert said.returncode == 0, said.stderr
    assert "1 of 1 callbacks that ran did what real-time code should not do" in said.stdout
    text = page.read_text(encoding="utf-8")
    for kind in ("allocation", "free", "lock", "output"):
        assert f">{kind}<" in text
    assert "control(takt_rt::Cycle const&amp;) (control.cpp:17)" in text
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_report_and_page_name_threads_whose_page_faults_lack_places(control, tmp_path):
    from support.schemas import faults

    file, page = tmp_path / "report.json", tmp_path / "page.html"
    if os.uname().machine != "x86_64":
        pytest.skip("only here each thread has a second counter")
    # The thread gets one counter of the kernel, and has no number left for a second file.
    few = ("bash", "-c", "ulimit -n 4; exec ./control")
    said = takt("exec", "--guard=all", "--report", file, "--", *few, cwd=control)
    assert said.returncode == 0, said.stderr
    report = json.loads(file.read_text(encoding="utf-8"))
    assert faults("exec_report", report) == []
    (process,) = report["guard"]
    (limited,) = process["limited_faults"]
    if limited["limit"] == "rights":
        pytest.skip("this kernel gives page faults no places")
    assert (limited["name"], limited["limit"]) == ("control", "open_files")
    assert limited["has"] == "instructions"
    events = process["callbacks"][0]["events"]
    if not any(one["kind"] == "page_fault" for one in events):  # all memory was there
        events.append(events[0] | {"kind": "page_fault"})
    assert process["limited_faults_more"] == 0
    process["limited_faults_more"] = 7  # as with more threads than the account has room for
    file.write_text(json.dumps(report), encoding="utf-8")
    said = takt("report", file, "-o", page)
    assert said.returncode == 0, said.stderr
    text = page.read_text(encoding="utf-8")
    assert (
        "Page faults of 1 thread (control) have the instruction without its callers: the program "
        "has no room for more open files; raise `ulimit -n`." in text
    )
    assert (
        "Page faults of 7 more threads lack places, too; the guard&#x27;s account names 1 thread."
        in text
    )


def test_a_page_of_a_report_without_the_guard_is_refused(tmp_path):
    file = tmp_path / "report.json"
    said = takt("exec", "--guard", "--report", file, "--", "true")
    assert said.returncode == 0, said.stderr
    said = takt("report", file, "-o", tmp_path / "page.html")
    assert said.returncode == 2
    assert "is a report of takt exec without the guard" in said.stderr


def test_a_thread_without_priority_is_not_watched_by_default(control):
    said = takt("exec", "--guard", "--", "./control", cwd=control)
    assert "no callback ran on real-time threads; --guard=all" in said.stderr


def test_a_thread_with_a_priority_is_watched(control):
    if subprocess.run(["chrt", "-f", "1", "true"], capture_output=True).returncode != 0:
        pytest.skip("this needs the right to real-time priorities")
    program = ("chrt", "-f", "1", "./control")
    said = takt("exec", "--guard", "--", *program, cwd=control)
    assert "1 of 1 callbacks that ran on real-time threads did" in said.stderr
    assert {"lock", "output"} <= {kind for _, kind, _ in shapes(said.stderr)}


def test_lines_of_the_ignore_list_without_an_event_are_named(control, tmp_path):
    from support.schemas import faults

    (tmp_path / "list.txt").write_text(
        "output control\nfree nowhere\n# mine\n  long my::f<*>\n", encoding="utf-8"
    )
    words = ("exec", "--guard=all", "--guard-ignore", tmp_path / "list.txt")
    said = takt(*words, "--", "./control", cwd=control)
    assert (
        f"{tmp_path / 'list.txt'}: no event is in the functions of line 2: free nowhere; "
        "line 4: long my::f<*>\n" in said.stderr
    )
    file = tmp_path / "report.json"
    assert takt(*words, "--report", file, "--", "./control", cwd=control).returncode == 0
    report = json.loads(file.read_text(encoding="utf-8"))
    assert faults("exec_report", report) == []
    assert report["guard_ignore_unused"] == ["2: free nowhere", "4: long my::f<*>"]


def test_scopes_on_threads_without_priority_are_not_called_real_time(tmp_path):
    (tmp_path / "scope.cpp").write_text(SCOPE, encoding="utf-8")
    build(tmp_path, "g++ -std=c++17 -O1 scope.cpp $(pkg-config --cflags --libs takt_rt) -o scope")
    file, page = tmp_path / "report.json", tmp_path / "page.html"
    scopes = "1 of 1 scopes of takt_rt::Guard did what real-time code should not do, on any thread"
    said = takt("exec", "--guard", "--", "./scope", cwd=tmp_path)
    assert (
        "no callback ran on real-time threads; --guard=all watches callbacks on all threads; "
        f"{scopes}\n" in said.stderr
    )
    takt("exec", "--guard", "--report", file, "--", "./scope", cwd=tmp_path)
    said = takt("report", file, "-o", page)
    assert f"no callback ran on real-time threads; {scopes}" in said.stdout


def test_a_program_without_callbacks_says_so():
    said = takt("exec", "--guard", "--", "true")
    assert said.returncode == 0
    assert "so it knows of no callback" in said.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--guard=some"], "--guard=some: write --guard for callbacks on real-time threads"),
        (["--guard-ignore", "none.txt"], "--guard-ignore needs --guard"),
        (["--guard", "--guard-ignore", "none.txt"], "none.txt: cannot be read: No such file"),
        (["--guard", "--guard-ignore", "kind.txt"], "kind.txt:2:1: 'lock' names a kind"),
        (
            ["--guard", "--guard-ignore", "misspelt.txt"],
            "misspelt.txt:3:1: 'alocation control' begins with no kind, but nearly with "
            "'allocation'; the kinds are allocation, free, lock, ",
        ),
        (["--guard", "--guard-ignore", "words.txt"], "words.txt:1:1: 'page fault *' begins with"),
        (["--guard", "all"], "for the guard write --guard=all without a space"),
    ],
)
def test_wrong_options_are_one_sentence_and_exit_code_2(tmp_path, options, words):
    (tmp_path / "kind.txt").write_text("# mine\nlock\n", encoding="utf-8")
    (tmp_path / "misspelt.txt").write_text(
        "# types of results are no kinds\nvoid my::f<*>\nalocation control\n", encoding="utf-8"
    )
    (tmp_path / "words.txt").write_text("page fault *\n", encoding="utf-8")
    said = takt("exec", *options, "--", "true", cwd=tmp_path)
    assert said.returncode == 2
    assert words in said.stderr
    assert len(said.stderr.splitlines()) == 1


GRAPH = """\
version: 1
name: small
nodes:
  - {name: Front, kind: sensor, period: 20ms}
  - {name: Filter, kind: transform, input: Front, work: 100us}
"""
CALLBACKS = {"/Front:timer(20ms)", "/Filter:sub(/Front)"}


@pytest.fixture
def graph(tmp_path):
    (tmp_path / "small.yaml").write_text(GRAPH, encoding="utf-8")
    return ("run", "small.yaml", "--duration", "300ms", "--warmup", "100ms", "-o", "results.json")


@need(*WORKLOAD)
def test_takt_run_tells_of_the_callbacks_of_all_processes(graph, tmp_path):
    from support.schemas import faults

    file = tmp_path / "guard.json"
    words = ("--guard", "all", "--split", "2", "--guard-report", file)
    said = takt(*graph, *words, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    report = json.loads(file.read_text(encoding="utf-8"))
    assert faults("exec_report", report) == []
    names = {one["id"] for process in report["guard"] for one in process["callbacks"]}
    assert names == CALLBACKS
    assert len([one for one in report["guard"] if one["callbacks"]]) == 2
    page = takt("report", file, "-o", "page.html", cwd=tmp_path)
    assert page.returncode == 0, page.stderr


@need(*WORKLOAD)
def test_takt_run_prints_the_table_without_a_file_for_it(graph, tmp_path):
    said = takt(*graph, "--guard", "all", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert re.search(r"guard of process \d+ \(takt_run\): \d of 2 callbacks that ran", said.stderr)
    # As a graph without real-time threads.
    said = takt(*graph, "--guard", "rt", "--force", cwd=tmp_path)
    assert "no callback ran on real-time threads" in said.stderr


SCHEDULE = """\
version: 1
watch: {period: 20ms}
executors:
  main:
    order: priority
    threads: {only: {}}
    default: only
    callbacks:
      - {match: "**", budget: 1s}
"""


@need(*WORKLOAD)
@pytest.mark.alone
@pytest.mark.parametrize("ignored", ["lock nothing\n", "*\n"])
def test_events_of_the_ignore_list_raise_no_alarm(graph, tmp_path, ignored):
    from support.running_graph import answer, running_graph, wait_for_runs
    from takt_cli.control.frames import Message

    (tmp_path / "list.txt").write_text(ignored, encoding="utf-8")
    (tmp_path / "schedule.yaml").write_text(SCHEDULE, encoding="utf-8")
    files = {"--schedule": "schedule.yaml", "--guard-ignore": "list.txt"}
    words = [word for name, file in files.items() for word in (name, tmp_path / file)]
    words = [tmp_path / graph[1], *words, "--guard", "all", "--duration", "120s"]

    def raised(sockets):
        active = [one for each in sockets for one in answer(each, Message.subscribe)["active"]]
        return [one["callback"] for one in active if one["kind"] == "guard"]

    with running_graph(tmp_path, *words, processes=1) as sockets:
        wait_for_runs(sockets, 50)
        until = time.monotonic() + 60
        alarms = raised(sockets)
        while ignored != "*\n" and not alarms and time.monotonic() < until:
            time.sleep(0.05)
            alarms = raised(sockets)
    assert bool(alarms) == (ignored != "*\n"), alarms


def test_the_guard_is_heard_once_while_the_graph_runs(capsys):
    from takt_cli.running.runner import _Listener

    words = b"[takt] guard: /planner:timer(50ms) has waited for 0.5 s\nanother word\n"
    listener = _Listener(io.BytesIO(words))
    listener.join()
    assert capsys.readouterr().err.split() == words.decode().splitlines()[0].split()
    assert listener.words() == "another word", "an error's hint does not repeat the guard's line"


def test_a_judge_that_does_not_end_is_killed(monkeypatch, tmp_path):
    from takt_cli.running import guard

    monkeypatch.setattr(guard, "_JUDGE_ENDS_S", 0.1)
    program = tmp_path / "judge"
    program.write_text("#!/bin/sh\nexec sleep 1000\n", encoding="utf-8")
    program.chmod(0o755)
    judge = guard.Judge(program, [], str(tmp_path))
    judge.end()
    assert judge._process.returncode == -signal.SIGKILL


@need(*WORKLOAD)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--guard-ignore", "none.txt"], "--guard-ignore needs --guard"),
        (["--guard-report", "x.json"], "--guard-report needs --guard"),
        (["--guard", "all", "--guard-ignore", "none.txt"], "none.txt: cannot be read"),
        (["--guard", "all", "--guard-report", "small.yaml"], "--guard-report names"),
    ],
)
def test_wrong_options_of_takt_run_are_refused(graph, tmp_path, options, words):
    said = takt(*graph, *options, "--force", cwd=tmp_path)
    assert said.returncode == 2, said.stderr
    assert words in said.stderr
    assert not (tmp_path / "results.json").exists()
