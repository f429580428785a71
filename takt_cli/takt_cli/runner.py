"""Starts one `takt_run`, watches it and reads what it wrote."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from takt_cli.errors import EXIT_FAILED, TaktError
from takt_cli.graphs import PACKAGE
from takt_cli.other_load import OtherLoad
from takt_cli.programs import find_program, program_failed
from takt_cli.results import Results
from takt_cli.results_file import load_results
from takt_cli.units import NS_PER_S, duration_flag

# Discovery, calibration and writing results, on top of warm-up and duration.
_OVERHEAD_S = 2.0
_GRACE_S = 120.0

Report = Callable[[float], None]  # called with the share that is done, 0 to 1


@dataclass(frozen=True)
class RunRequest:
    """One run, as `takt_run` takes it. None and empty: left to the runner."""

    graph: Path
    output: Path
    schedule: Path | None = None
    executor: str | None = None
    order: str | None = None
    threads: int | None = None
    cores: tuple[int, ...] = ()  # the whole run is confined to these
    duration_ns: int = 10 * NS_PER_S
    warmup_ns: int = NS_PER_S
    phases: str = "fixed"
    split: int | None = None
    work_scale: float | None = None
    label: str = ""
    extra: tuple[str, ...] = field(default=())

    def arguments(self) -> list[str]:
        """Spell the flags of the C++ program."""
        flags = [str(self.graph)]

        def add(flag: str, value: object) -> None:
            if value is not None and value != "":
                flags.extend((flag, str(value)))

        add("--schedule", self.schedule)
        add("--executor", self.executor)
        add("--order", self.order)
        add("--threads", self.threads)
        add("--duration", duration_flag(self.duration_ns))
        add("--warmup", duration_flag(self.warmup_ns))
        add("--phases", self.phases)
        add("--split", self.split)
        add("--work-scale", f"{self.work_scale:.6g}" if self.work_scale is not None else None)
        add("--label", self.label)
        add("--output", self.output)
        return [*flags, "--json-progress", "--quiet", *self.extra]

    def expected_s(self) -> float:
        """How long it should take."""
        return (self.duration_ns + self.warmup_ns) / NS_PER_S + _OVERHEAD_S


def run(request: RunRequest, report: Report | None = None) -> Results:
    """Run to the end and read the results."""
    program = find_program("takt_run", PACKAGE)
    request.output.parent.mkdir(parents=True, exist_ok=True)
    request.output.unlink(missing_ok=True)
    others = OtherLoad(request.cores)
    code, words = _watch([str(program), *request.arguments()], request, report)
    if code != 0:
        raise program_failed(program.name, code, words)
    if not request.output.is_file():
        raise TaktError(f"takt_run wrote no {request.output}", code=EXIT_FAILED)
    _note_others(request.output, others.cores())
    return load_results(request.output)


def _watch(command: Sequence[str], request: RunRequest, report: Report | None) -> tuple[int, str]:
    """Run the command; gives its exit code and its last words that are no progress."""
    cores = request.cores

    def confine() -> None:
        if cores:
            os.sched_setaffinity(0, cores)

    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C is handed on once, by us
        preexec_fn=confine if cores else None,
    )
    listener = _Listener(process.stdout)
    began = time.monotonic()
    expected = request.expected_s()
    try:
        while process.poll() is None:
            elapsed = time.monotonic() - began
            if elapsed > 2 * expected + _GRACE_S:
                raise TaktError(
                    f"takt_run did not end within {elapsed:.0f} s; it was stopped",
                    hint=listener.words(),
                    code=EXIT_FAILED,
                )
            if report:
                told = listener.fraction
                report(min(0.99, told if told is not None else elapsed / expected))
            time.sleep(0.1)
    finally:
        _stop(process)
    listener.join()
    if report:
        report(1.0)
    return process.returncode, listener.words()


def _stop(process: subprocess.Popen[str]) -> None:
    """End the run if it still runs: politely, then not."""
    if process.poll() is not None:
        return
    for how, patience in ((signal.SIGINT, 5.0), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(process.pid, how)
            process.wait(patience)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


class _Listener:
    """Reads the program's output on a thread of its own, so that the pipe never fills."""

    def __init__(self, stream: IO[str] | None) -> None:
        self.fraction: float | None = None
        self._lines: list[str] = []
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(timeout=5)

    def words(self) -> str:
        return "\n".join(self._lines[-200:])

    def _read(self, stream: IO[str] | None) -> None:
        for line in stream or ():
            told = progress_of(line)
            if told is not None:
                self.fraction = told
            elif not line.startswith("{"):
                self._lines.append(line.rstrip())


def progress_of(line: str) -> float | None:
    """Read the share in a progress line, {"elapsed_s": 1.5, "of_s": 11.0}; None for other lines."""
    if not line.startswith("{"):
        return None
    try:
        data: Any = json.loads(line)
        return max(0.0, float(data["elapsed_s"]) / float(data["of_s"]))
    except (ValueError, KeyError, TypeError, ZeroDivisionError):
        return None


def _note_others(path: Path, cores: float) -> None:
    """Keep in the results what other programs used, so that reports made later know it."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["other_programs_cores"] = round(cores, 3)
    path.write_text(json.dumps(raw), encoding="utf-8")
