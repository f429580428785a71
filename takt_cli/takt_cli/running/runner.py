"""Starts one `takt_run`, watches it and reads its results."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from takt_cli.base.console import note
from takt_cli.base.errors import EXIT_FAILED, EXIT_INTERRUPTED, TaktError
from takt_cli.base.processes import program_failed, start
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.document import DamagedError, Document
from takt_cli.files.graphs import PACKAGE
from takt_cli.files.outputs import check_file, deliver, part_of
from takt_cli.results.results_file import load_results
from takt_cli.results.run_results import Results
from takt_cli.running.interrupts import Interrupts
from takt_cli.running.middleware import check_middleware
from takt_cli.running.other_programs import OtherPrograms

# Discovery, calibration and writing results, on top of warm-up and duration.
_OVERHEAD_S = 2.0
_GRACE_S = 120.0
# Time for an interrupted run to write its results.
_LAST_WORDS_S = 30.0
_POLL_S = 0.1
# The guard speaks while the program runs: of a wait that may be a deadlock, and of its ignore list.
_GUARD_SAYS = "[takt] guard: "
# So many bytes at the end of the results have the last bracket.
_END = 64
# The first interrupt ends the measurement, the second gets a sentence, the third drops the results.
_DISCARDS = 3

Report = Callable[[float], None]  # called with the finished share, 0 to 1


@dataclass(frozen=True)
class RunRequest:
    """The options of one `takt_run`. None and empty values are the runner's defaults."""

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
    seed: int | None = None
    witness: str | None = None
    domain: int | None = None
    split_map: str | None = None
    restart: str | None = None  # PART@TIME
    reference_timer: int | None = None
    match_timeout_ns: int | None = None
    records: Path | None = None  # the raw record of each run, too
    environment: Mapping[str, str] | None = None  # of the program; None: this process's
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
        add("--split-map", self.split_map)
        add("--restart", self.restart)
        add("--seed", self.seed)
        add("--witness", self.witness)
        add("--records", self.records)
        add("--domain", self.domain)
        add("--reference-timer", self.reference_timer)
        if self.match_timeout_ns is not None:
            add("--match-timeout", duration_flag(self.match_timeout_ns))
        add("--work-scale", f"{self.work_scale:.6g}" if self.work_scale is not None else None)
        add("--label", self.label)
        add("--output", self.output)
        return [*flags, "--json-progress", "--quiet", *self.extra]

    def expected_s(self) -> float:
        """How long it should take."""
        return (self.duration_ns + self.warmup_ns) / NS_PER_S + _OVERHEAD_S


def run(
    request: RunRequest, report: Report | None = None, *, keep_interrupted: bool = False
) -> Results:
    """Run to the end and read the results.

    Ctrl-C ends the run early. If it had begun, its results stay (see Results.ended_early):
    `keep_interrupted` returns them. Only a third interrupt drops them. The earlier content of the
    output stays until new results replace it.
    """
    program = find_program("takt_run", PACKAGE)
    check_middleware()
    check_file(request.output)
    if request.records:
        check_file(request.records)
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        part = part_of(request.output, Path(scratch))
        try:
            with Interrupts(_DISCARDS if keep_interrupted else _DISCARDS - 1) as interrupts:
                results = _run_into(part, request, program, report, interrupts, keep_interrupted)
            if interrupts.count and not keep_interrupted:
                raise TaktError("interrupted", code=EXIT_INTERRUPTED)
            return results
        finally:
            part.unlink(missing_ok=True)


def _run_into(
    part: Path,
    request: RunRequest,
    program: Path,
    report: Report | None,
    interrupts: Interrupts,
    keep_interrupted: bool,
) -> Results:
    others = OtherPrograms(request.cores)
    command = [str(program), *replace(request, output=part).arguments()]
    code, words, interrupted = _watch(command, request, report, interrupts)
    written = part.is_file()
    # Code 1 with results: some part failed or did not end; the records of the others are there.
    ended = code in (0, EXIT_FAILED) and written
    if interrupted and not (keep_interrupted and ended):
        raise TaktError("interrupted", code=EXIT_INTERRUPTED)
    if not written:
        if code != 0:
            raise program_failed(program.name, code, words)
        raise TaktError("takt_run wrote no results", code=EXIT_FAILED)
    _note_others(part, others.cores())
    results = load_results(part)
    if results.nothing_measured:
        raise TaktError(
            "the run ended in its warm-up, before the measurement began", code=EXIT_INTERRUPTED
        )
    deliver(part, request.output)
    if code != 0:
        failed = program_failed(program.name, code, words)
        raise TaktError(
            failed.message,
            hint=f"The records until then are in {request.output}, marked incomplete.",
            code=failed.code,
        )
    return results


def _watch(
    command: Sequence[str], request: RunRequest, report: Report | None, interrupts: Interrupts
) -> tuple[int, str, bool]:
    """Run the command; gives its exit code, its last words, and whether it was interrupted."""
    process = start(
        command,
        cores=request.cores,
        output=subprocess.PIPE,
        errors=subprocess.STDOUT,
        environment=request.environment,
    )
    listener = _Listener(process.stdout)
    try:
        _wait(process, listener, request, report, interrupts)
        interrupted = process.poll() is None
        if interrupted:
            _stop(process, interrupts)
    finally:
        _kill(process)
    listener.join()
    if report and not interrupted:
        report(1.0)
    return process.returncode, listener.words(), interrupted


def _wait(
    process: subprocess.Popen[bytes],
    listener: _Listener,
    request: RunRequest,
    report: Report | None,
    interrupts: Interrupts,
) -> None:
    """Wait until it has ended or we are interrupted, and report how far it is.

    An error if it takes far too long.
    """
    began = time.monotonic()
    expected = request.expected_s()
    while process.poll() is None and not interrupts.count:
        elapsed = time.monotonic() - began
        if elapsed > 2 * expected + _GRACE_S:
            raise TaktError(
                f"takt_run did not end within {elapsed:.0f} s, and takt stopped it",
                hint=listener.words(),
                code=EXIT_FAILED,
            )
        if report:
            told = listener.fraction
            report(min(0.99, told if told is not None else elapsed / expected))
        time.sleep(_POLL_S)


def _stop(process: subprocess.Popen[bytes], interrupts: Interrupts) -> None:
    """Let an interrupted run write its results, and answer a second interrupt with a sentence."""
    with contextlib.suppress(ProcessLookupError):
        # Signal only the runner, which ends its own parts.
        os.kill(process.pid, signal.SIGINT)
    until = time.monotonic() + _LAST_WORDS_S
    told = False
    while process.poll() is None and time.monotonic() < until:
        if interrupts.count > 1 and not told:
            told = True
            note("takt: results are being written; another interrupt discards them")
        time.sleep(_POLL_S)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it with all of its session, if it still runs."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Listener:
    """Reads the program's output on a thread of its own, so that the pipe never fills."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self.fraction: float | None = None
        self._lines: list[str] = []
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(timeout=5)

    def words(self) -> str:
        """Give the last lines, without those that the user has seen already."""
        return "\n".join(self._lines[-200:])

    def _read(self, stream: IO[bytes] | None) -> None:
        for line in (part.decode("utf-8", "replace") for part in stream or ()):
            told = progress_of(line)
            if told is not None:
                self.fraction = told
            elif line.startswith(_GUARD_SAYS):
                note(line.rstrip())
            elif not line.startswith("{"):
                self._lines.append(line.rstrip())


class Progress(Document, at="progress"):
    """How far a run is."""


def progress_of(line: str) -> float | None:
    """Read the share in a progress line, {"elapsed_s": 1.5, "of_s": 11.0}; None for other lines."""
    if not line.startswith("{"):
        return None
    try:
        progress = Progress.read(json.loads(line))
    except (ValueError, RecursionError, DamagedError):
        return None
    return max(0.0, progress.elapsed_s / progress.of_s) if progress.of_s else None


def _note_others(path: Path, cores: float) -> None:
    """Keep the CPU time of other programs in the results, for reports that are made later.

    It becomes the last value of their object. Megabytes before it are neither read nor written.
    """
    with path.open("rb+") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _END))
        end = file.read()
        if not end.rstrip().endswith(b"}"):
            return  # not whole; `load_results` says so
        file.seek(len(end.rstrip()) - len(end) - 1, os.SEEK_END)
        file.write(f',"other_programs_cores":{round(cores, 3)}}}\n'.encode())
