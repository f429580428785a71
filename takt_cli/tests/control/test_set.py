"""`takt set`: one value of running processes, of fake ones and of a real one."""

import contextlib
import json
import re
import shlex
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from support.built import need
from support.closing import each_numbered
from support.fake_control import (
    ERROR,
    RESULT,
    FakeProcess,
    attributes,
    callback,
    executor,
    process,
    thread,
)
from support.private import private
from takt_cli.base.programs import find_program
from takt_cli.control import frames, processes

DOCS = Path(__file__).resolve().parents[3] / "docs"
SET = 16
FIFO = attributes("fifo", 40)


class Changeable(FakeProcess):
    """Answers `set` from its status, and changes that."""

    def __init__(self, folder, pid, status):
        self.faults = []  # of the kernel
        self.refuses = []
        self.refuses_late = []
        self.hangs_late = False
        super().__init__(folder, pid, status)
        self.others = self.set

    def set(self, kind, request):
        if kind != SET:
            return ERROR, {"faults": [f"message {kind} is unknown"]}
        request = dict(request)
        check_only = request.pop("check_only", False)
        if self.refuses or (self.refuses_late and not check_only):
            return ERROR, {"faults": self.refuses or self.refuses_late}
        changed = [one for one in self.executor_changes(request, check_only) if one is not None]
        if self.hangs_late and not check_only:
            self.hang()
        return RESULT, {"changed": changed}

    def executor_changes(self, request, check_only):
        for one in self.status["executors"]:
            if "chain" in request:
                for chain in one["chains"]:
                    if chain["name"] == request["chain"]:
                        yield self.change(one, f"chain {chain['name']}", chain, request, check_only)
            elif "callback" in request:
                for own in one["callbacks"]:
                    if own["id"] == request["callback"]:
                        key = "rule_priority" if "priority" in request else "threads"
                        what = f"callback {own['id']}"
                        yield self.change(one, what, own, request, check_only, key)
            elif request["executor"] in (None, one["name"]):
                for own in one["threads"]:
                    name = request["thread"]
                    if own["name"] == name or own["name"].startswith(f"{name}."):
                        what = f"thread {own['name']}"
                        yield self.change(one, what, own["asked"], request, check_only)

    def change(self, one, what, where, request, check_only, key=None):
        attribute = next(name for name in ("priority", "threads", "nice") if name in request)
        before = where[key or attribute]
        if not check_only:
            where[key or attribute] = request[attribute]
        return {
            "executor": one["name"],
            "what": what,
            "before": {attribute: before},
            "now": {attribute: request[attribute]},
            "faults": self.faults,
        }


def robot(name, executor_name="main"):
    """Give a process with a chain, two callbacks and three threads."""
    return process(
        f"/opt/{name}",
        executor(
            executor_name,
            [
                thread("hot.0", 0, dict(FIFO)),
                thread("hot.1", 1, dict(FIFO)),
                thread("rest", 2, attributes(nice=0)),
            ],
            [
                callback(f"/{name}:sub(/points)", threads=["rest"], priority=10),
                callback(f"/{name}:timer(10ms)", rule_priority=5, priority=5),
            ],
            chains=[
                {"name": "hot_path", "path": ["/a", "/b"], "priority": 10, "deadline_ns": None}
            ],
        ),
    )


@pytest.fixture
def start(folder):
    """Start a process that can be changed."""
    with each_numbered(lambda pid, status: Changeable(folder, pid, status)) as call:
        yield call


def cells(text):
    """Give the rows of the tables, each as a list of texts."""
    rows = (re.split("  +", line) for line in text.splitlines())
    return [row for row in rows if "(pid " in row[0] and len(row) > 1]


def test_a_chain_changes_in_all_processes(takt, start):
    one, two, other = start(robot("talk")), start(robot("listen")), start(process("/opt/none"))
    said = takt("set", "chain", "hot_path", "priority", "200")
    assert said.code == 0, said.err
    assert said.out.startswith("chain hot_path: priority\n")
    assert cells(said.out) == [
        ["listen (pid 4000002)", "main", "hot_path", "10", "200"],
        ["talk (pid 4000001)", "main", "hot_path", "10", "200"],
    ]
    request = {"chain": "hot_path", "priority": 200}
    for fake in (one, two):
        assert fake.asked(SET) == [{**request, "check_only": True}, request]
    assert not other.asked(SET)


def test_processes_are_chosen_by_name(takt, start):
    one, two = start(robot("talk")), start(robot("listen"))
    assert takt("set", "chain", "hot_path", "priority", "0", "talk").code == 0
    assert len(one.asked(SET)) == 2
    assert not two.asked(SET)


def test_a_callback_gets_a_priority_or_threads(takt, start):
    one = start(robot("talk"))
    id_ = "/talk:timer(10ms)"
    said = takt("set", "callback", id_, "priority", "none")
    assert cells(said.out) == [["talk (pid 4000001)", "main", id_, "5", "that of its chains"]]
    said = takt("set", "callback", id_, "priority", "255")
    assert cells(said.out)[0][3:] == ["that of its chains", "255"]
    said = takt("set", "callback", id_, "threads", "hot, rest")
    assert cells(said.out)[0][3:] == ["rest", "hot, rest"]
    sent = [request for request in one.asked(SET) if "check_only" not in request]
    assert sent == [
        {"callback": id_, "priority": None},
        {"callback": id_, "priority": 255},
        {"callback": id_, "threads": ["hot", "rest"]},
    ]


def test_a_timer_may_have_another_spelling_of_its_period(takt, start):
    one, other = start(robot("talk")), start(robot("listen"))

    def normal(kind, request):
        """Answer as a process does, which has one spelling."""
        spelled = {"/talk:timer(10000us)": "/talk:timer(10ms)"}
        return one.set(kind, {**request, "callback": spelled.get(request["callback"])})

    one.others = normal
    said = takt("set", "callback", "/talk:timer(10000us)", "priority", "7")
    assert said.code == 0, said.err
    assert cells(said.out) == [["talk (pid 4000001)", "main", "/talk:timer(10ms)", "5", "7"]]
    assert not other.asked(SET)


def test_threads_are_chosen_by_name_and_executor(takt, start):
    start(robot("talk", "front"))
    start(robot("listen", "rear"))
    said = takt("set", "thread", "hot", "priority", "41")
    assert said.code == 0, said.err
    assert [row[1:] for row in cells(said.out)] == [
        [executor_name, name, "40", "41"]
        for executor_name in ("rear", "front")
        for name in ("hot.0", "hot.1")
    ]
    said = takt("set", "thread", "hot.1", "priority", "42", "--executor", "rear")
    assert [row[1:] for row in cells(said.out)] == [["rear", "hot.1", "41", "42"]]
    said = takt("set", "thread", "rest", "nice", "-5", "talk", "--json")
    assert said.code == 0, said.err
    data = json.loads(said.out)
    assert data["ok"] is True
    assert (data["what"], data["attribute"], data["value"]) == ("thread rest", "nice", -5)
    (told,) = data["processes"]
    assert told["changed"] == [
        {
            "executor": "front",
            "what": "thread rest",
            "before": {"nice": 0},
            "now": {"nice": -5},
            "faults": [],
        }
    ]


def test_what_the_kernel_refuses_makes_the_exit_code_1(takt, start):
    start(robot("talk")).faults = ["policy fifo 50 was refused: no right"]
    said = takt("set", "thread", "hot.0", "priority", "50")
    assert said.code == 1
    assert "hot.0: policy fifo 50 was refused: no right\n" in said.out


def test_a_name_that_is_nowhere_is_told_with_the_closest_ones(takt, start):
    start(robot("talk"))
    for arguments, sentence, hint in (
        (("chain", "hotpath", "priority", "5"), "no process has a chain hotpath", "hot_path"),
        (
            ("callback", "/talk:timer(1ms)", "priority", "5"),
            "no process has a callback /talk:timer(1ms)",
            "/talk:timer(10ms)",
        ),
        (("thread", "hut", "priority", "5"), "no process has a thread hut", "hot"),
        (
            ("thread", "hot", "priority", "5", "--executor", "mein"),
            "no process has an executor mein",
            "main",
        ),
        (("chain", "x\x1b[1m", "priority", "5"), "no process has a chain x\\x1b[1m", ""),
    ):
        said = takt("set", *arguments)
        assert said.code == 2
        assert said.out == ""
        assert sentence in said.err
        assert hint in said.err
        assert "\x1b" not in said.err


def test_a_thread_without_an_executor_is_for_takt_apply(takt, start):
    told = robot("talk")
    told["process_threads"] = [{"tid": 7, "name": "lidar", "now": FIFO, "asked": FIFO}]
    start(told)
    said = takt("set", "thread", "lidar", "priority", "5")
    assert said.code == 2
    assert "thread lidar belongs to no executor" in said.err
    assert "takt apply" in said.err


def test_a_process_that_has_changed_since_is_told(takt, start):
    one = start(robot("talk"))
    one.others = lambda kind, request: (RESULT, {"changed": []})
    said = takt("set", "chain", "hot_path", "priority", "5")
    assert said.code == 2
    assert "no process has a chain hot_path" in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chain", "a", "nice", "5"), "a chain has no 'nice' to set; use priority"),
        (("callback", "a", "nice", "5"), "use priority or threads"),
        (("thread", "a", "threads", "b"), "use priority or nice"),
        (("chain", "a", "priority", "256"), "'256' is not a whole number from 0 to 255"),
        (("chain", "a", "priority", "none"), "'none' is not a whole number from 0 to 255"),
        (("callback", "a", "priority", "high"), "'high' is not a whole number from 0 to 255"),
        (("callback", "a", "threads", "b,,c"), "'b,,c' is not a list of threads"),
        (("thread", "a", "priority", "0"), "'0' is not a whole number from 1 to 99"),
        (("thread", "a", "nice", "-21"), "'-21' is not a whole number from -20 to 19"),
    ],
)
def test_wrong_values_are_refused_before_any_process_is_asked(takt, start, arguments, words):
    one = start(robot("talk"))
    said = takt("set", *arguments)
    assert said.code == 2
    assert words in said.err
    assert not one.requests


def test_without_a_process_one_sentence_says_how_to_start_one(takt, folder):
    said = takt("set", "chain", "a", "priority", "5")
    assert said.code == 1
    assert said.err.startswith("takt: no process runs under takt; `takt exec -- PROGRAM` starts")


def test_one_refusal_keeps_all_processes_as_they_are(takt, start):
    one, two = start(robot("one")), start(robot("two"))
    two.refuses = ["a following thread cannot take it"]
    said = takt("set", "chain", "hot_path", "priority", "5")
    assert said.code == 2
    assert said.out == ""
    assert said.err.splitlines() == [
        "a following thread cannot take it [in two (pid 4000002)]",
        "takt: the change was refused; no process was changed",
    ]
    for fake in (one, two):
        assert all(request["check_only"] for request in fake.asked(SET))
    said = takt("set", "chain", "hot_path", "priority", "5", "--json")
    data = json.loads(said.out)
    assert data["refused"] is True
    assert all(told["changed"] == [] for told in data["processes"])


def test_after_a_late_refusal_the_others_have_the_values_from_before(takt, start):
    one, two, three = start(robot("a")), start(robot("b")), start(robot("c"))
    two.refuses_late = ["raced"]
    said = takt("set", "chain", "hot_path", "priority", "5")
    assert said.code == 1
    assert said.err.splitlines() == [
        "raced",
        "b (pid 4000002) refused the change, although it had agreed",
        "a (pid 4000001) has the values from before again",
    ]
    assert one.status["executors"][0]["chains"][0]["priority"] == 10
    assert all(request["check_only"] for request in three.asked(SET))


def test_processes_undo_a_change_side_by_side(takt, start):
    together = threading.Barrier(2)
    those = [start(robot(name)) for name in "abc"]
    those[2].refuses_late = ["raced"]

    def undone(one):
        def answer(kind, request):
            if request.get("priority") == 10:
                together.wait(3)  # less than takt waits for an answer
            return one.set(kind, request)

        return answer

    for one in those[:2]:
        one.others = undone(one)
    said = takt("set", "chain", "hot_path", "priority", "5")
    assert said.code == 1
    for name, pid in (("b", 4000002), ("a", 4000001)):
        assert f"{name} (pid {pid}) has the values from before again" in said.err


def test_a_process_that_hangs_while_it_changes_gets_the_value_from_before(takt, start, hasty):
    one, two = start(robot("a")), start(robot("b"))
    two.hangs_late = True
    said = takt("set", "thread", "hot.0", "priority", "77")
    assert said.code == 1
    assert "b (pid 4000002) does not answer within 60 s" in said.err
    assert "a (pid 4000001) has the values from before again" in said.err
    assert one.status["executors"][0]["threads"][0]["asked"]["priority"] == 40
    # The same is asked of the other one, which is still busy.
    assert "b (pid 4000002) keeps the change: does not answer" in said.err


def test_a_silent_process_does_not_hold_up_the_others(takt, start, hasty):
    one, two = start(robot("a")), start(robot("b"))
    two.hangs.set()
    said = takt("set", "chain", "hot_path", "priority", "5")
    assert said.code == 1
    assert len(cells(said.out)) == 1
    assert "process 4000002 does not answer within 60 s" in said.err
    assert one.status["executors"][0]["chains"][0]["priority"] == 5


@pytest.mark.parametrize(
    "answer",
    [
        {"changed": 5},
        {"changed": [5]},
        {"changed": [{"executor": "main", "what": "thread x", "before": {}, "now": {}}]},
        {"changed": [{"executor": "", "what": "chain hot_path"}]},
        {"changed": [{"executor": "main", "what": "chain hot_path", "now": {"priority": "x"}}]},
        {"changed": [{"executor": "main", "what": "chain hot_path", "faults": [1]}]},
    ],
)
def test_damaged_answers_are_one_line(takt, start, answer):
    start(robot("talk")).others = lambda kind, request: (RESULT, answer)
    said = takt("set", "chain", "hot_path", "priority", "5")
    assert said.code == 1
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("talk (pid 4000001) answered with damaged data")


def test_the_page_says_what_the_command_says(takt, folder):
    text = (DOCS / "control.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## Change one value$.*?^## ", text, re.MULTILINE | re.DOTALL)
    (commands,) = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```text\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    told = robot("fusion")
    told["executors"][0]["threads"][1]["name"] = "hot.1"
    one = Changeable(folder, 4711, told)
    said = [takt(*shlex.split(line)[1:]) for line in commands.splitlines()]
    one.close()
    assert [(done.code, done.err) for done in said] == [(0, "")] * len(said)
    assert said[0].out == shown


# A real program

SCHEDULE = """\
version: 1
executors:
  front:
    missing_rights: report
    middleware_ceiling: off
    threads: {hot: {nice: 1}, rest: {nice: 2}}
    default: rest
chains:
  hot_path: {path: ["/front:timer(10ms)"], priority: 10}
"""


@pytest.fixture
def looks(tmp_path, monkeypatch):
    """A program of takt_rcl that runs under the schedule."""
    (tmp_path / "s.yaml").write_text(SCHEDULE, encoding="utf-8")
    monkeypatch.setenv("TAKT_RUNTIME_DIR", str(tmp_path / "control"))
    environment = private(
        tmp_path, TAKT_CONFIGURATOR="none", TAKT_RUNTIME_DIR=str(tmp_path / "control")
    )
    program = find_program("takt_rcl_looks", "takt_rcl")
    command = [program, tmp_path / "s.yaml", "front", "--ros-args", "-r", "__node:=front"]
    with (tmp_path / "said").open("wb") as said:
        running = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
    yield running
    running.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(timeout=20)
    running.kill()
    running.wait()


def told_by(takt):
    """Give the executor of the one process as `takt status` tells of it."""
    (told,) = json.loads(takt("status", "--json").out)["processes"]
    return told["executors"][0]


@need(("takt_rcl_looks", "takt_rcl"))
def test_a_real_program_changes_while_it_runs(takt, looks):
    deadline = time.monotonic() + 60  # it guards against hanging
    while not any(
        one.id == "/front:timer(10ms)"
        for process_ in processes.find().processes
        for executor_ in process_.status.executors
        for one in executor_.callbacks
    ):
        assert looks.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)

    said = takt("set", "chain", "hot_path", "priority", "200")
    assert said.code == 0, said.err
    assert cells(said.out)[0][1:] == ["front", "hot_path", "10", "200"]
    told = told_by(takt)
    assert told["chains"][0]["priority"] == 200
    priorities = {one["id"]: one["priority"] for one in told["callbacks"]}
    assert priorities["/front:timer(10ms)"] == 200

    id_ = "/front:timer(10ms)"
    assert takt("set", "callback", id_, "threads", "hot").code == 0
    assert takt("set", "callback", id_, "priority", "7").code == 0
    assert takt("set", "thread", "rest", "nice", "3").code == 0
    told = told_by(takt)
    (timer,) = (one for one in told["callbacks"] if one["id"] == id_)
    assert (timer["threads"], timer["rule_priority"]) == (["hot"], 7)
    assert [one["now"]["nice"] for one in told["threads"]] == [1, 3]

    said = takt("set", "callback", id_, "threads", "cold")
    assert said.code == 2
    assert "cannot run on cold; its threads are hot, rest" in said.err
    assert "its nice level" in takt("set", "thread", "hot", "priority", "5").err

    if takt("reset").code == 0:  # lowering a nice level needs a right
        told = told_by(takt)
        (timer,) = (one for one in told["callbacks"] if one["id"] == id_)
        assert timer["rule_priority"] is None
        assert told["chains"][0]["priority"] == 10
    assert looks.poll() is None
    assert frames.Message.set == SET
