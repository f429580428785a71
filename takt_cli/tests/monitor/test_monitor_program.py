"""`takt monitor` as a program: signals, streams, its options and its page."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.fake_alarms import (
    RAISE,
    STATISTICS,
    alarm,
    wait_for,
)

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_ctrl_c_gives_back_and_says_so(start, program):
    one = start()
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        watching = program("--no-ros")
        watching.heard("is watched")
        sequence = one.following
        one.push(alarm(sequence, actions=RAISE))
        wait_for(lambda: one.value() == 200)
        assert watching.end(how) == 0
        assert watching.lines[-1].endswith("takt monitor ends; gave back 1 attribute\n")
        assert watching.errors == ""
        assert one.value() == 10


def test_json_is_one_object_on_each_line(start, program):
    one = start()
    watching = program("--json", "--no-ros", "--duration", "30s")
    watching.heard('"watched"')
    one.push(alarm(1, chain="zwölf\u2028", actions=RAISE))
    watching.heard('"alarm"')
    assert watching.end(signal.SIGINT) == 0
    documents = [json.loads(line) for line in watching.lines]
    assert [one["event"] for one in documents if one["event"] != "change"][:3] == [
        "start", "process", "alarm",
    ]  # fmt: skip
    assert documents[-1]["event"] == "end"
    assert documents[-1]["alarms raised"] == 1


def test_the_duration_ends_it(program):
    watching = program("--duration", "100ms", "--no-ros")
    assert watching.finished() == 0
    assert "no process runs under takt yet" in watching.lines[1]


def test_a_name_that_no_process_has_is_told_where_none_runs(program):
    watching = program("sing", "--duration", "100ms", "--no-ros")
    assert watching.finished() == 0
    words = "no process or container is named sing yet; none runs under takt, and the monitor waits"
    assert words in watching.lines[1]


def test_that_none_runs_is_told_also_where_a_process_left_its_socket(program, folder):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "4999999.sock"))
    watching = program("sing", "--no-ros")
    watching.heard("no process or container is named sing yet; none runs under takt")
    assert watching.end(signal.SIGINT) == 0


def test_a_reader_that_reads_nothing_holds_nothing_up(start, folder):
    one = start()
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "takt_cli", "monitor", "--no-ros"]
    watching = subprocess.Popen(
        command, stdout=writing, stderr=subprocess.DEVNULL, start_new_session=True
    )
    os.close(writing)
    try:
        wait_for(lambda: one.counts.get(STATISTICS))
        for n in range(1, 2000, 2):
            lost = {"kind": "lost", "chain": "x" * 400}
            one.push(alarm(n, **lost), alarm(n + 1, "cleared", **lost))
            if n % 100 == 1:
                time.sleep(0.01)
        one.push(alarm(5000, actions=RAISE))
        wait_for(lambda: one.value() == 200)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) is not None
        assert one.value() == 10
    finally:
        watching.kill()
        watching.wait()
        os.close(reading)


def test_a_reader_that_ends_ends_the_monitor(start, program):
    one = start()
    watching = program("--no-ros")
    watching.heard("is watched")
    one.push(alarm(1, actions=[{"priority": 200}]))
    wait_for(lambda: one.value() == 200)
    with subprocess.Popen(
        [sys.executable, "-m", "takt_cli", "monitor", "--no-ros"],
        stdout=subprocess.PIPE, start_new_session=True,
    ) as other:  # fmt: skip
        other.stdout.readline()
        other.stdout.close()
        # It may have written all of its first lines before.
        wait_for(lambda: one.push(alarm(one.following, kind="lost")) or other.poll() is not None)
        assert other.wait() == 1
    assert watching.end(signal.SIGINT) == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--duration", "soon"], "--duration: 'soon' is not a duration"),
        (["--programs", "0"], "--programs: '0' is not a whole number from 1 to 64"),
        (["--jsn"], "unknown option --jsn"),
        (["--no-ros", "--ros-args", "-p", "x:=1"], "--no-ros and --ros-args exclude each other"),
        (["--ros-args", "-p", "oh", "--no-ros"], "exclude each other"),
    ],
)
def test_wrong_words_are_one_message(takt, folder, arguments, why):
    said = takt("monitor", *arguments)
    assert said.code == 2
    assert said.out == ""
    assert why in said.err


# The page


def test_the_monitor_writes_what_its_page_shows(start, monitor, tmp_path, monkeypatch):
    page = (DOCS / "monitor.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"<!-- test: says -->\n```text\n(.*?)```", page, re.DOTALL)
    (tmp_path / "stop_robot").write_text("#!/bin/sh\n")
    (tmp_path / "stop_robot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    one = start("fusion", pid=4711)
    one.values = {("chain", "brake", "priority"): 100}
    watching = monitor()
    who = [
        {"name": "/map:timer(1s)", "share": 0.62},
        {"name": "process gzip (5120)", "share": 0.2},
    ]
    cause = {"kind": "too_little_processor_time", "arrival_rate_hz": 50, "demand": 0.7, "who": who}
    about = {"chain": "brake", "callback": None, "cause": cause}
    actions = [{"log": True}, {"priority": 200}, {"run": ["stop_robot"]}]
    one.push(alarm(1, actions=actions, **about))
    watching.heard("exit code 0")
    watching.heard("100 → 200")
    one.push(alarm(2, "cleared", **about))
    watching.heard("given back")
    watching.end()
    told = [line.partition(" ")[2] for line in shown.splitlines()]
    assert sorted(watching.said.words()) == sorted(told)


def test_every_option_is_on_the_page(takt):
    page = (DOCS / "monitor.md").read_text(encoding="utf-8")
    options = re.findall(r"--[a-z][a-z-]+", takt("monitor", "--help").out)
    for option in {*options, "exit code"} - {"--help"}:
        assert option in page, option
    for target in re.findall(r"\]\(([\w.]+)\)", page):
        assert (DOCS / target).exists(), target
