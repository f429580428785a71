"""Starts other programs, which end with this process, and waits for short ones."""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from takt_cli.base.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, TaktError

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_ORPHANED = 1
_PART = 1 << 16
# Names of files in what programs print, and what the user called these files.
SPELLED: dict[str, str] = {}
# Looked up before a child is forked: between fork and exec nothing may be loaded.
_prctl = ctypes.CDLL(None, use_errno=True).prctl


@dataclass(frozen=True)
class Finished:
    """Exit code and output of a program that ended."""

    code: int
    stdout: str
    stderr: str


def start(
    command: Sequence[str],
    *,
    cores: Sequence[int] = (),
    input: int = subprocess.DEVNULL,  # noqa: A002: as that of subprocess
    output: int = subprocess.DEVNULL,
    errors: int = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program on these cores (all, if none are named), by default without input.

    The kernel kills it when the calling thread ends, also after SIGKILL. So call it from the main
    thread. The program has its own session: Ctrl-C in a terminal reaches only this process, which
    ends its programs.
    """
    us = os.getpid()

    def prepare() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != us:  # this process ended before the kernel knew
            os._exit(_ORPHANED)
        if cores:
            os.sched_setaffinity(0, cores)

    try:
        return subprocess.Popen(
            command,
            stdin=input,
            stdout=output,
            stderr=errors,
            env=environment,
            start_new_session=True,
            preexec_fn=prepare,
        )
    except OSError as error:
        raise TaktError(f"{command[0]} cannot be started: {error.strerror}") from error


def run_program(
    program: Path,
    arguments: Sequence[str],
    *,
    timeout_s: float = 120,
    check: bool = True,
    follow: Callable[[str], None] | None = None,
    environment: Mapping[str, str] | None = None,
    cores: Sequence[int] = (),
    last_words_s: float = 0,
) -> Finished:
    """Run a program to its end; with `check`, a bad exit code raises an error with its text.

    `follow` gets the program's lines on standard error as soon as the program writes them; the
    result has them, too. An interrupt ends the program; with `last_words_s` the interrupt is passed
    on to the program, which has so long to end with EXIT_INTERRUPTED and its own words. It runs on
    `cores`; on all, if none are named.
    """
    process = start(
        [str(program), *arguments],
        output=subprocess.PIPE,
        errors=subprocess.PIPE,
        environment=environment,
        cores=cores,
    )
    try:
        try:
            stdout, stderr = _collect(process, time.monotonic() + timeout_s, follow)
        except KeyboardInterrupt:
            if not last_words_s:
                raise
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(TimeoutError):
                stdout, stderr = _collect(process, time.monotonic() + last_words_s, follow)
            if process.returncode != EXIT_INTERRUPTED:
                raise
    except TimeoutError as error:
        raise TaktError(
            f"{program.name} did not end within {timeout_s:g} s", code=EXIT_FAILED
        ) from error
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()
    finished = Finished(process.returncode, respelled(stdout), respelled(stderr))
    if check and finished.code != 0:
        raise program_failed(program.name, finished.code, finished.stderr or finished.stdout)
    return finished


def _collect(
    process: subprocess.Popen[bytes], until: float, follow: Callable[[str], None] | None
) -> tuple[str, str]:
    """Read both streams to their ends and wait; TimeoutError after `until` (monotonic, s)."""
    words: dict[IO[bytes] | None, list[str]] = {process.stdout: [], process.stderr: []}
    with selectors.DefaultSelector() as ready:
        for stream in words:
            assert stream is not None
            ready.register(stream, selectors.EVENT_READ, _decoder())
        while ready.get_map():
            for key, _ in ready.select(_left(until)):
                data = os.read(key.fd, _PART)
                text = key.data.decode(data, final=not data)
                words[key.fileobj].append(text)  # type: ignore[index]
                if follow and text and key.fileobj is process.stderr:
                    follow(respelled(text))
                if not data:
                    ready.unregister(key.fileobj)
    try:
        process.wait(_left(until))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    return "".join(words[process.stdout]), "".join(words[process.stderr])


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _decoder() -> codecs.IncrementalDecoder:
    """Make a decoder of the output of takt's programs: UTF-8 under every locale."""
    return codecs.getincrementaldecoder("utf-8")(errors="replace")


def run_json(program: Path, arguments: Sequence[str], *, timeout_s: float = 120) -> Any:
    """Run a short program that prints JSON."""
    finished = run_program(program, arguments, timeout_s=timeout_s)
    try:
        return json.loads(finished.stdout)
    except json.JSONDecodeError as error:
        raise TaktError(
            f"{program.name} printed no JSON: {error}", hint=last_lines(finished.stdout, 3)
        ) from error


def program_failed(name: str, code: int, words: str) -> TaktError:
    """Make the error for a program with a bad exit code; it begins with the program's words."""
    words = respelled(words)
    if code == EXIT_USAGE and words.strip():  # of bad input every fault counts
        return TaktError(last_lines(words, 200).replace(f"{name}: ", "takt: "), quoted=True)
    said = last_lines(words, 12)
    how = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    return TaktError(
        said or f"{name} {how} and said nothing",
        hint=f"{name} {how}" if said else "",
        code=code if code in (1, 2) else EXIT_FAILED,
    )


def respelled(text: str) -> str:
    """Replace the file names of a program's command line by the names that the user gave."""
    for name, words in SPELLED.items():
        text = text.replace(name, words)
    return text


def last_lines(text: str, count: int) -> str:
    """Take the last lines that are not empty."""
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])
