"""Runs `takt_latency` and cyclictest, and reads what they found."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import program_failed, start
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.document import DamagedError, Document
from takt_cli.running.busy_cores import hogs
from takt_cli.running.interrupts import Interrupts
from takt_cli.verbs.latency.results import LatencyRun, read_cyclictest, read_own

_POLL_S = 0.05
_LAST_WORDS_S = 30.0
# Above this many microseconds cyclictest keeps the maximum only.
_MOST_US = 50_000
_PRIORITY = 80


class LatencyProgress(Document, at="latency_progress"):
    """How far a measurement is."""


Follow = Callable[[LatencyProgress], None]


@dataclass(frozen=True)
class LatencySetting:
    """The options of a measurement. Times are in ns; None: the program's default."""

    cores: tuple[int, ...]
    policy: str = "fifo"
    priority: int | None = None
    runtime_ns: int | None = None
    deadline_ns: int | None = None
    period_ns: int | None = None
    interval_ns: int = NS_PER_S // 1000
    duration_ns: int = 10 * NS_PER_S
    load: bool = False
    strict: bool = False

    @property
    def real_time(self) -> bool:
        """Whether the policy has real-time priorities."""
        return self.policy in ("fifo", "rr")

    def words(self) -> str:
        """Name the policy: 'SCHED_FIFO 80'."""
        name = f"SCHED_{self.policy.upper()}"
        return f"{name} {self.priority or _PRIORITY}" if self.real_time else name

    def arguments(self) -> list[str]:
        """Spell the flags of `takt_latency`."""
        flags = ["--policy", self.policy, "--cores", ",".join(map(str, self.cores))]
        if self.priority is not None:
            flags += ["--priority", str(self.priority)]
        for name in ("runtime", "deadline", "period", "interval", "duration"):
            value = getattr(self, f"{name}_ns")
            if value is not None:
                flags += [f"--{name}", duration_flag(value)]
        for name in ("load", "strict"):
            if getattr(self, name):
                flags.append(f"--{name}")
        return flags

    def command_words(self) -> list[str]:
        """Spell the options of `takt latency`."""
        return ["--cpus" if flag == "--cores" else flag for flag in self.arguments()]

    def cyclictest_arguments(self) -> list[str]:
        """Spell the same setting for cyclictest, without its changes to the machine."""
        flags = [f"--policy={self.policy}", f"--interval={max(1, self.interval_ns // 1000)}"]
        if self.real_time:
            flags.append(f"--priority={self.priority or _PRIORITY}")
        flags += [f"--affinity={','.join(map(str, self.cores))}", f"--threads={len(self.cores)}"]
        # Without --distance each further thread has a longer interval.
        flags += [f"--loops={max(1, self.duration_ns // self.interval_ns)}", "--distance=0"]
        return [*flags, f"--histogram={_MOST_US}", "--mlockall", "--default-system", "--quiet"]


def find_cyclictest() -> Path:
    """Find the path of cyclictest; the error for a missing one says how to get it."""
    found = shutil.which("cyclictest")
    if found is None:
        raise TaktError(
            "--cyclictest: cyclictest is not installed; install the package rt-tests, or omit "
            "--cyclictest"
        )
    return Path(found)


def run_own(
    setting: LatencySetting, virtual: bool, interrupts: Interrupts, follow: Follow
) -> LatencyRun:
    """Measure with takt's own program; an interrupt ends it early."""
    program = find_program("takt_latency", "takt_bench")
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        file = Path(scratch, "latency.json")
        command = [str(program), *setting.arguments(), "--progress", "--output", str(file)]
        code, words = _watch(command, interrupts, follow)
        if code == EXIT_FAILED and setting.strict:
            refused = words.replace(f"{program.name}: ", "").strip()
            raise TaktError(f"--strict: nothing was measured. {refused}", code=code)
        if code != 0:
            raise program_failed(program.name, code, words)
        with _reading(program.name):
            return read_own(setting.words(), json.loads(file.read_text("utf-8")), virtual)


def run_cyclictest(setting: LatencySetting, interrupts: Interrupts) -> LatencyRun:
    """Measure the same setting with cyclictest; an interrupt ends it early."""
    program = find_cyclictest()
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        file = Path(scratch, "cyclictest.json")
        command = [str(program), *setting.cyclictest_arguments(), f"--json={file}"]
        began = time.monotonic_ns()
        with hogs(setting.cores if setting.load else ()):
            code, words = _watch(command, interrupts, lambda _: None)
        if code != 0:
            raise program_failed(program.name, code, words)
        measured = min(time.monotonic_ns() - began, setting.duration_ns)
        with _reading(program.name):
            raw = json.loads(file.read_text("utf-8"))
            return read_cyclictest(f"cyclictest, {setting.words()}", raw, setting.cores, measured)


@contextlib.contextmanager
def _reading(name: str) -> Any:
    """Turn the error of a bad document into a sentence."""
    try:
        yield
    except (DamagedError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TaktError(
            f"{name} wrote no result that takt can read: {error}", code=EXIT_FAILED
        ) from error


def _watch(command: Sequence[str], interrupts: Interrupts, follow: Follow) -> tuple[int, str]:
    """Run a program to its end, passing the first interrupt on; returns exit code and words."""
    process = start(command, errors=subprocess.PIPE)
    words: list[str] = []

    def listen() -> None:
        for line in process.stderr or ():
            text = line.decode("utf-8", "replace")
            told = _progress(text)
            if told is None:
                words.append(text)
            else:
                follow(told)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        until = float("inf")
        while process.poll() is None and time.monotonic() < until:
            if interrupts.count and until == float("inf"):
                until = time.monotonic() + _LAST_WORDS_S
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(signal.SIGINT)
            time.sleep(_POLL_S)
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        listener.join(timeout=5)
    return process.returncode, "".join(words[-200:])


def _progress(line: str) -> LatencyProgress | None:
    """Read a line of progress; None for other lines."""
    if not line.startswith("{"):
        return None
    try:
        progress = LatencyProgress.read(json.loads(line))
    except (ValueError, RecursionError, DamagedError):
        return None
    return progress if progress.of_s else None
