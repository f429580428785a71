"""A whole system under one schedule file and one daemon: three processes without rights.

Two processes have executors: programs of takt_rcl, or compiled rclcpp programs under `takt exec`.
The third is a C program without ROS. The callbacks of the programs look at their own threads at
their first instruction, so a callback that ran before its thread had its attributes shows in what
the program says.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from support.built import adopted_program, need
from support.private import private
from takt_cli.base.processes import start
from takt_cli.base.programs import find_program

FIRST, LAST = (choose(os.sched_getaffinity(0)) for choose in (min, max))
CALLBACKS = ("hot", "rest", "alone", "late")

SCHEDULE = f"""\
version: 1
executors:
  front:
    missing_rights: fail
    middleware_ceiling: off
    threads:
      hot: {{policy: fifo, priority: 40, cores: [{FIRST}]}}
      rest: {{count: 2, nice: -5, cores: [{LAST}]}}
    default: rest
    callbacks:
      - {{match: "/front:timer(10ms)", threads: hot}}
    groups:
      - {{match: "/front:group(3)", isolate: true, policy: rr, priority: 30, cores: [{LAST}]}}
      - {{match: "/front:group(4)", isolate: true, policy: fifo, priority: 31, cores: [{FIRST}]}}
  rear:
    missing_rights: fail
    middleware_ceiling: off
    threads:
      hot: {{policy: rr, priority: 25, cores: [{LAST}]}}
      rest: {{nice: -3, cores: [{FIRST}]}}
    default: rest
    callbacks:
      - {{match: "/rear:timer(10ms)", threads: hot}}
    groups:
      - {{match: "/rear:group(3)", isolate: true, policy: fifo, priority: 20, cores: [{FIRST}]}}
      - {{match: "/rear:group(4)", isolate: true, policy: rr, priority: 21, cores: [{LAST}]}}
  drivers:
    threads: {{none: {{}}}}
    default: none
    process_threads:
      - {{match: lidar, policy: fifo, priority: 45, cores: [{LAST}]}}
"""
POLICY = """\
version: 1
rules:
  - {users: root, policies: [fifo, rr, other], max_priority: 50, min_nice: -10}
"""

# What the schedule asks for: policy, priority, nice value and cores by executor and callback. The
# nice value of a real-time thread means nothing.
ASKED = {
    ("front", "hot"): (os.SCHED_FIFO, 40, None, {FIRST}),
    ("front", "rest"): (os.SCHED_OTHER, 0, -5, {LAST}),
    ("front", "alone"): (os.SCHED_RR, 30, None, {LAST}),
    ("front", "late"): (os.SCHED_FIFO, 31, None, {FIRST}),
    ("rear", "hot"): (os.SCHED_RR, 25, None, {LAST}),
    ("rear", "rest"): (os.SCHED_OTHER, 0, -3, {FIRST}),
    ("rear", "alone"): (os.SCHED_FIFO, 20, None, {FIRST}),
    ("rear", "late"): (os.SCHED_RR, 21, None, {LAST}),
    ("", "lidar"): (os.SCHED_FIFO, 45, None, {LAST}),
}
# Threads of them, as `takt status` names them.
THREADS = Counter({**dict.fromkeys(ASKED, 1), ("front", "rest"): 2})

# Root without the rights of a real-time process is like any user; files stay readable for it.
WITHOUT_RIGHTS = [
    "setpriv", "--bounding-set=-sys_nice,-sys_resource", "--inh-caps=-sys_nice,-sys_resource",
    "prlimit", "--rtprio=0", "--nice=0",
]  # fmt: skip


def can_run():
    """Whether a daemon of this user could grant anything, and setpriv takes rights away."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, *before)
        plain, realtime = (
            subprocess.run([*WITHOUT_RIGHTS, *command], capture_output=True, check=False)
            for command in (["true"], ["chrt", "--fifo", "1", "true"])
        )
    except OSError:
        return False
    return os.geteuid() == 0 and plain.returncode == 0 and realtime.returncode != 0


@pytest.fixture(scope="module")
def rights():
    if not can_run():
        pytest.skip("needs root with CAP_SYS_NICE, and setpriv, which takes it from the programs")


def wait_for(condition, what):
    """A minute guards against hanging; it measures nothing."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what()}"
        time.sleep(0.01)


def attributes(policy, priority, nice, cores):
    """Give attributes as `ASKED` has them."""
    return policy, priority, nice if policy == os.SCHED_OTHER else None, cores


def kernel_says(tid):
    """Give the attributes of a thread."""
    priority = os.sched_getparam(tid).sched_priority
    nice = os.getpriority(os.PRIO_PROCESS, tid)
    return attributes(os.sched_getscheduler(tid), priority, nice, os.sched_getaffinity(tid))


def cores_of(word):
    return set(map(int, word.split(",")))


class System:
    """The programs of one system, what they say, and their daemon."""

    def __init__(self, folder, kind):
        self.folder = folder
        self.kind = kind
        self.schedule = folder / "system.yaml"
        self.schedule.write_text(SCHEDULE, encoding="utf-8")
        (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        (folder / "policy.yaml").chmod(0o644)
        (folder / "run").mkdir(mode=0o755)
        self.socket = folder / "run/configurator.sock"
        self.environment = private(
            folder,
            TAKT_RUNTIME_DIR=str(folder / "control"),
            TAKT_CONFIGURATOR=str(self.socket),
        )
        self.processes = []

    def start(self, name, *command):
        """Start a program that writes what it says into a file of this name."""
        with (
            (self.folder / name).open("wb") as out,
            (self.folder / f"{name}.err").open("wb") as err,
        ):
            process = start(
                [str(word) for word in command],
                output=out.fileno(), errors=err.fileno(), environment=self.environment,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def start_daemon(self):
        program = find_program("takt-configurator", "takt_configurator")
        policy = self.folder / "policy.yaml"
        daemon = self.start("daemon", program, "--socket", self.socket, "--policy", policy)
        wait_for(lambda: self.socket.exists() or daemon.poll() is not None, self.all_said)

    def start_programs(self):
        """Start both programs with executors."""
        for name in ("front", "rear"):
            remap = ["--ros-args", "-r", f"__node:={name}"]
            if self.kind == "takt_rcl":
                command = [find_program("takt_rcl_looks", "takt_rcl"), self.schedule, name]
            else:
                command = [sys.executable, "-m", "takt_cli", "exec", "--strict", "--schedule"]
                command += [self.schedule, "--", adopted_program(), "looks"]
            self.start(name, *WITHOUT_RIGHTS, *command, *remap)

    def start_lidar(self):
        self.environment["TAKT_SCHEDULE"] = str(self.schedule)
        program = find_program("takt_control_lidar", "takt_control")
        lidar = self.start("lidar", *WITHOUT_RIGHTS, program)
        del self.environment["TAKT_SCHEDULE"]
        return lidar

    def said(self, name):
        """Give the lines that a program wrote so far, each as a list of words."""
        whole = (self.folder / name).read_text(encoding="utf-8").rpartition("\n")[0]
        return [line.split() for line in whole.splitlines()]

    def seen(self):
        """Give all that callbacks saw: (executor, callback) and what the kernel told it."""
        names = [("front", "front"), ("rear", "rear"), ("", "lidar")]
        return [
            ((executor, line[0]), attributes(*map(int, line[1:4]), cores_of(line[4])))
            for executor, file in names
            if (self.folder / file).exists()
            for line in self.said(file)
            if line[0] in (*CALLBACKS, "lidar")
        ]

    def wait_for_all(self, wanted):
        wait_for(lambda: {name for name, _ in self.seen()} >= set(wanted), self.all_said)

    def all_said(self):
        files = sorted(path for path in self.folder.iterdir() if path.is_file())
        return "\n".join(f"{path.name}:\n{path.read_text()}" for path in files)

    def granted(self):
        """Give the threads that the daemon says it gave something."""
        text = (self.folder / "daemon.err").read_text(encoding="utf-8")
        return set(
            map(int, re.findall(r"^granted pid \d+ uid 0 thread (\d+):", text, re.MULTILINE))
        )

    def close(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            process.kill()
            process.wait()


def early(seen):
    """Give all that callbacks saw other than asked."""
    return [(name, had) for name, had in seen if had != ASKED[name]]


def status_of(takt):
    """Give exit code, headline and, by thread number, (executor, callback) and state of threads."""
    said = takt("status", "--json")
    told = json.loads(said.out)
    threads = {}
    for process in told["processes"]:
        for executor in process["executors"]:
            for thread in executor["threads"]:
                name = thread["name"].partition(".")[0]
                if thread["group"]:
                    name = {"3": "alone", "4": "late"}[thread["group"][-2]]
                threads[thread["tid"]] = ((executor["name"], name), thread["state"])
        for thread in process["process_threads"]:
            threads[thread["tid"]] = (("", thread["name"]), thread["state"])
    return said.code, told["headline"], threads


@pytest.fixture(
    params=[
        pytest.param("takt_rcl", marks=need(("takt_rcl_looks", "takt_rcl"))),
        pytest.param(
            "rclcpp",
            marks=pytest.mark.skipif(
                adopted_program() is None, reason="takt was built without rclcpp, or without tests"
            ),
        ),
    ]
)
def system(request, rights, tmp_path, monkeypatch):
    one = System(tmp_path, request.param)
    monkeypatch.setenv("TAKT_RUNTIME_DIR", one.environment["TAKT_RUNTIME_DIR"])
    yield one
    one.close()


whole = need(("takt_control_lidar", "takt_control"), ("takt-configurator", "takt_configurator"))


@whole
def test_one_file_and_one_daemon_are_for_a_whole_system(takt, system):
    system.start_daemon()
    system.start_lidar()
    system.start_programs()
    system.wait_for_all(ASKED)
    assert early(system.seen()) == []

    code, headline, threads = status_of(takt)
    assert (code, headline) == (0, "3 processes, 10 threads: all as asked"), system.all_said()
    assert Counter(name for name, _ in threads.values()) == THREADS
    assert {state for _, state in threads.values()} == {"as_asked"}
    for tid, (name, _) in threads.items():
        assert kernel_says(tid) == ASKED[name], name
    # No process gave its threads anything by rights of its own.
    wait_for(lambda: system.granted() == set(threads), system.all_said)

    # The twin: behind the daemon's back two threads lose what they had.
    taken = {("front", "hot"): "changed", ("", "lidar"): "changed"}
    for tid, (name, _) in threads.items():
        if name in taken:
            os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))
    code, headline, now = status_of(takt)
    assert code == 1
    assert headline.startswith("3 processes, 10 threads: 8 as asked, 2 not: ")
    assert {name: state for name, state in now.values() if state != "as_asked"} == taken
    wait_for(lambda: early(system.seen()), system.all_said)
    ((name, (policy, *_)),) = early(system.seen())
    assert (name, policy) == (("front", "hot"), os.SCHED_OTHER)

    # `takt apply` gives back what they lost, also to the program without ROS.
    said = takt("apply", str(system.schedule), "--json")
    told = json.loads(said.out)
    assert (said.code, told["executors_not_running"]) == (0, []), said.out
    assert told["counts"]["applied"] == len(taken)
    assert status_of(takt)[:2] == (0, "3 processes, 10 threads: all as asked")
    for tid, (name, _) in threads.items():
        assert kernel_says(tid) == ASKED[name], name


@whole
def test_apply_and_reset_change_a_program_without_ros(takt, system, tmp_path):
    """Its threads alone make it concerned; what no rule is for is said."""
    system.start_daemon()
    system.start_lidar()
    system.wait_for_all([("", "lidar")])
    ((tid, _),) = status_of(takt)[2].items()
    other = tmp_path / "other.yaml"
    other.write_text(
        SCHEDULE.replace("match: lidar, policy: fifo, priority: 45", "match: lidar, nice: 3"),
        encoding="utf-8",
    )
    said = takt("apply", str(other))
    assert said.code == 0, said.err
    assert "executor drivers: thread lidar: applied: SCHED_FIFO priority 45" in said.out
    assert "that no running process has: front, rear\n" in said.out
    assert kernel_says(tid) == (os.SCHED_OTHER, 0, 3, {LAST})
    assert status_of(takt)[:2] == (0, "1 process, 1 thread: all as asked")

    said = takt("reset")
    assert said.code == 0, said.err
    assert "executor drivers: thread lidar: applied" in said.out
    assert kernel_says(tid) == ASKED["", "lidar"]

    # Refused by the daemon's policy under missing_rights: fail, the thread keeps what it has.
    other.write_text(
        SCHEDULE.replace("priority: 45", "priority: 60").replace(
            "drivers:", "drivers:\n    missing_rights: fail"
        ),
        encoding="utf-8",
    )
    said = takt("apply", str(other))
    assert said.code == 2, said.out
    assert kernel_says(tid) == ASKED["", "lidar"]

    # Nothing in it is for any process.
    other.write_text(SCHEDULE.replace("match: lidar", "match: radar"), encoding="utf-8")
    said = takt("apply", str(other))
    assert said.code == 1, said.out
    assert "no process has an executor of" in said.err


@whole
def test_without_the_daemon_the_callbacks_and_takt_status_say_so(takt, system):
    text = SCHEDULE.replace("missing_rights: fail", "missing_rights: report")
    system.schedule.write_text(text, encoding="utf-8")
    system.environment["TAKT_CONFIGURATOR"] = "none"
    lidar = system.start_lidar()
    system.start_programs()
    wanted = [name for name in ASKED if name[0]]
    system.wait_for_all(wanted)
    assert {name for name, _ in early(system.seen())} == set(wanted)
    wait_for(lambda: lidar.poll() is not None, system.all_said)
    assert lidar.returncode == 1
    assert "SCHED_FIFO priority 45 refused" in (system.folder / "lidar.err").read_text()
    code, _, threads = status_of(takt)
    assert code == 1
    assert {state for _, state in threads.values()} == {"not_granted"}
