"""The README's example, as it stands there.

It publishes, Ctrl-C ends it at any moment, and bad input ends it with one sentence.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
import rclpy
from std_msgs.msg import Int32

EXAMPLE = os.environ["TAKT_RCL_EXAMPLE"]
PATIENCE = 60.0  # seconds; only a failing test waits this long


def catches_interrupts(process: subprocess.Popen[str]) -> bool:
    """Whether the program has got as far as to handle Ctrl-C."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1)
    return False


def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    """Run the example."""
    return subprocess.Popen(
        [EXAMPLE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | variables,
    )


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Press Ctrl-C; return the exit code and what was said."""
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, said


def test_the_example_publishes() -> None:
    """Another node hears it count."""
    heard: list[int] = []
    rclpy.init()
    node = rclpy.create_node("listener")
    node.create_subscription(Int32, "count", lambda message: heard.append(message.data), 10)
    program = start()
    until = time.monotonic() + PATIENCE
    # A machine that stands still for a second loses messages between two others.
    while not any(b == a + 1 for a, b in pairwise(heard)) and time.monotonic() < until:
        rclpy.spin_once(node, timeout_sec=0.1)
    node.destroy_node()
    rclpy.shutdown()
    code, said = interrupt(program)
    assert len(heard) >= 2
    assert heard[-1] == heard[-2] + 1
    assert heard == sorted(set(heard))
    assert code == 0, said


def schedule_of_the_readme() -> str:
    """The schedule file that the README gives to its node."""
    text = (Path(__file__).parents[2] / "README.md").read_text()
    return text.split("```yaml\n")[1].split("```")[0]


def first_line(program: subprocess.Popen[str]) -> str:
    """What it prints first."""
    assert program.stdout is not None
    return program.stdout.readline()


def thread_names(process: subprocess.Popen[str]) -> set[str]:
    """Names of its threads, as the kernel has them."""
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    return {(task / "comm").read_text().strip() for task in tasks}


def test_the_example_prints_and_can_be_reached(tmp_path: Path) -> None:
    """It has a control socket while it spins."""
    program = start(TAKT_RUNTIME_DIR=str(tmp_path))
    printed = first_line(program)
    sockets = [path.name for path in tmp_path.iterdir()]
    code, said = interrupt(program)
    assert (printed, code) == ("published 1\n", 0), said
    assert f"{program.pid}.sock" in sockets


def test_the_example_takes_the_schedule_of_the_readme(tmp_path: Path) -> None:
    """The environment names the file; the thread of the file runs the callback."""
    schedule = tmp_path / "talker.yaml"
    schedule.write_text(schedule_of_the_readme())
    program = start(TAKT_SCHEDULE=str(schedule), TAKT_RUNTIME_DIR=str(tmp_path))
    printed = first_line(program)
    names = thread_names(program)
    code, said = interrupt(program)
    assert (printed, code) == ("published 1\n", 0), said
    assert "hot" in names


@pytest.mark.parametrize(
    ("text", "executor", "told"),
    [
        (None, "", "No such file"),
        ("version: 1\nexecutors: {main: {threads: {a: {}}}}\n", "", "default"),
        (
            "version: 1\nexecutors:\n"
            "  one: {threads: {a: {}}, default: a}\n  two: {threads: {a: {}}, default: a}\n",
            "",
            "TAKT_EXECUTOR",
        ),
        ("version: 1\nexecutors:\n  one: {threads: {a: {}}, default: a}\n", "two", "two"),
    ],
)
def test_a_schedule_that_does_not_fit_is_told(
    text: str | None, executor: str, told: str, tmp_path: Path
) -> None:
    """Exit code 2, and nothing runs."""
    schedule = tmp_path / "talker.yaml"
    if text is not None:
        schedule.write_text(text)
    program = start(TAKT_SCHEDULE=str(schedule), TAKT_EXECUTOR=executor)
    printed, said = program.communicate(timeout=PATIENCE)
    assert (program.returncode, printed) == (2, ""), said
    assert told in said


def test_an_interrupt_ends_the_example_at_any_moment() -> None:
    """From when it handles interrupts on: while it makes node, publisher and timer, and spins."""
    for moment in range(60):
        program = start()
        until = time.monotonic() + PATIENCE
        while not catches_interrupts(program):
            assert program.poll() is None
            assert time.monotonic() < until
        time.sleep(moment * 0.0005)
        code, said = interrupt(program)
        assert code == 0, f"{moment / 2} ms after it began to handle interrupts: {said}"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--nonsense"], "--nonsense"),
        (["--params-file", "/nonexistent.yaml"], "/nonexistent.yaml"),
        (["--params-file", "{broken}"], "{broken}"),
        (["--params-file", "{mistyped}"], "use_sim_time"),
        (["-r", "__node:=a/b"], "a/b"),
        (["--log-level", "loud"], "loud"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], told: str, tmp_path: Path
) -> None:
    """No abort, and nothing that looks like a crash."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("talker: [1, {b: 2}\n")
    mistyped = tmp_path / "mistyped.yaml"
    mistyped.write_text("/talker:\n  ros__parameters:\n    use_sim_time: 3\n")
    files = {"broken": broken, "mistyped": mistyped}
    program = start("--ros-args", *(argument.format(**files) for argument in arguments))
    try:
        _, said = program.communicate(timeout=PATIENCE)
    finally:
        program.kill()
    assert program.returncode == 2, said
    assert len(said.splitlines()) == 1
    assert said.startswith(f"{EXAMPLE}: ")
    assert told.format(**files) in said
