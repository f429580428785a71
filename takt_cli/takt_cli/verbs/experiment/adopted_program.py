"""Runs a program of rclcpp under `takt exec`, and counts the context switches of its threads."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import last_lines, start
from takt_cli.base.programs import find_program, find_program_or_none
from takt_cli.documents.document import DamagedError, Document

NAME, PACKAGE = "autoware_default_multithreaded", "autoware_reference_system"
_ENDS_S = 30.0
_LOOK_S = 0.02
_WITHIN_S = 60.0
# The lines of the reference system's commands: whose sample, and how old its oldest input was.
_SAMPLE = re.compile(
    r"sample path: \((?P<node>\w+)\)|^  latency: .*average=(?P<average>[0-9.e+-]+)ms", re.MULTILINE
)


class Executor(Document, at="exec_report#executor"):
    """What takt exec reports of an executor."""


@dataclass(frozen=True)
class Counts:
    """Context switches of one thread."""

    name: str
    voluntary: int
    involuntary: int


@dataclass(frozen=True)
class Run:
    """One run of the program under one schedule."""

    seconds: float  # of the switches
    threads: tuple[Counts, ...]
    executor: Executor
    ages_ms: Mapping[str, float]  # by command: mean age of the oldest input of its messages


def program_or_none() -> Path | None:
    """Find the reference system's program in the environment."""
    return find_program_or_none(NAME, PACKAGE)


def run(
    program: Sequence[str],
    schedule: Path,
    raw: Path,
    cores: Sequence[int],
    warm_up_s: float,
    length_s: float,
) -> Run:
    """Run `program` for both times and count in the second one; its words stay at `raw`."""
    report, words = raw.with_suffix(".json"), raw.with_suffix(".txt")
    options = ["--strict", "--schedule", str(schedule), "--report", str(report), "--force"]
    command = [str(find_program("takt_exec", "takt_rclcpp")), *options, "--", *program]
    with words.open("wb") as output, raw.with_suffix(".err").open("wb") as errors:
        process = start(command, output=output.fileno(), errors=errors.fileno(), cores=cores)
        try:
            pid = _child(process)
            _pass(process, warm_up_s)
            before, began = _counts(pid), time.monotonic()
            _pass(process, length_s)
            after, seconds = _counts(pid), time.monotonic() - began
            process.send_signal(signal.SIGINT)
            process.wait(_ENDS_S)
        except (OSError, subprocess.TimeoutExpired, _EndedError) as error:
            said = last_lines(raw.with_suffix(".err").read_text(errors="replace"), 5)
            raise TaktError(
                f"{program[0]} did not run to its end under takt exec", hint=said, code=EXIT_FAILED
            ) from error
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
    try:
        executor = Executor.read(_only_executor(json.loads(report.read_text(encoding="utf-8"))))
    except (OSError, ValueError, DamagedError) as error:
        raise TaktError(f"{report} is no report that takt can read: {error}", code=1) from error
    threads = tuple(
        Counts(name, *(now - then for now, then in zip(counts, before[tid][1], strict=True)))
        if tid in before
        else Counts(name, *counts)
        for tid, (name, counts) in after.items()
    )
    return Run(seconds, threads, executor, ages(words.read_text(errors="replace")))


class _EndedError(Exception):
    """The program ended too soon."""


def _only_executor(report: Any) -> Any:
    if not isinstance(report, Mapping) or len(report.get("executors") or ()) != 1:
        raise ValueError("it has not exactly one executor")
    return report["executors"][0]


def _pass(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let time pass while the program runs."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return
    raise _EndedError


def _child(process: subprocess.Popen[bytes]) -> int:
    """Give the process that takt exec started."""
    until = time.monotonic() + _WITHIN_S
    while time.monotonic() < until:
        for stat in Path("/proc").glob("[1-9]*/stat"):
            try:
                fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            if int(fields[1]) == process.pid:
                return int(stat.parent.name)
        _pass(process, _LOOK_S)
    raise _EndedError


def _counts(pid: int) -> dict[int, tuple[str, tuple[int, int]]]:
    """Read name and switches, voluntary and not, of each thread."""
    found = {}
    for status in Path(f"/proc/{pid}/task").glob("[1-9]*/status"):
        try:
            lines = status.read_text(errors="replace").splitlines()
        except OSError:
            continue  # the thread ended meanwhile
        values = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        found[int(status.parent.name)] = (
            values["Name"],
            (int(values["voluntary_ctxt_switches"]), int(values["nonvoluntary_ctxt_switches"])),
        )
    return found


def ages(words: str) -> dict[str, float]:
    """Read the last mean latency of each command from what the reference system prints."""
    found: dict[str, float] = {}
    node = ""
    for match in _SAMPLE.finditer(words):
        if match["node"]:
            node = match["node"]
        else:
            found[node] = float(match["average"])
    return found


def published(runs: Sequence[Run]) -> dict[str, float]:
    """Give messages a second of each topic that callbacks published to."""
    counts: dict[str, int] = defaultdict(int)
    for one in runs:
        for callback in one.executor.callbacks:
            if not callback.background:
                for topic in callback.publishes:
                    counts[topic.topic] += topic.count
    seconds = sum(one.executor.seconds for one in runs)
    return {topic: count / seconds for topic, count in counts.items()}
