"""Runs `takt_live`: its lines out, commands in."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import program_failed, start
from takt_cli.base.programs import find_program
from takt_cli.verbs.demo.pauses import Pauses

NAME, PACKAGE = "takt_live", "takt_workload"
_RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
_PART = 1 << 16
_LOOK_S = 0.1
# Of a program that was asked to end.
_PATIENCE_S = 20.0
_LONGEST_LINE = 1 << 20


class LiveProgram:
    """Runs within a `with` block. Any thread may call `send`, the main thread the others.

    All threads of the program run on `cores`, and its messages stay on this machine unless the user
    sets ROS_AUTOMATIC_DISCOVERY_RANGE. Ctrl-Z stops the program, too.
    """

    def __init__(self, arguments: Sequence[str], cores: Sequence[int]) -> None:
        self._arguments = arguments
        self._cores = cores
        self._lock = threading.Lock()

    def __enter__(self) -> LiveProgram:
        """Start it."""
        program = find_program(NAME, PACKAGE)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115: until the end of the block
        self._process = start(
            [str(program), *self._arguments, "--commands"],
            cores=self._cores,
            input=subprocess.PIPE,
            output=subprocess.PIPE,
            errors=self._said.fileno(),
            environment={_RANGE: "LOCALHOST", **os.environ},
        )
        self._pauses = Pauses(self._process).__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and drop what it says."""
        self._pauses.__exit__()
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def send(self, values: Mapping[str, Any]) -> None:
        """Ask it to set parameters. A program that has ended gets nothing."""
        line = json.dumps({"set": dict(values)}) + "\n"
        with self._lock, contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()

    def lines(self, ended: Callable[[], bool]) -> Iterator[tuple[str, str]]:
        """Give its lines with their kinds, to its end. Raises how it failed.

        It is asked to end as soon as `ended` says so.
        """
        stream = self._process.stdout
        assert stream is not None
        rest, asked = b"", False
        with selectors.DefaultSelector() as ready:
            ready.register(stream, selectors.EVENT_READ)
            while True:
                if not asked and ended():
                    asked = True
                    self._process.terminate()
                if not ready.select(_LOOK_S):
                    continue
                part = os.read(stream.fileno(), _PART)
                if not part:
                    break
                *whole, rest = (rest + part).split(b"\n")
                if len(rest) > _LONGEST_LINE:
                    raise TaktError(f"{NAME} wrote a line that is too long", code=EXIT_FAILED)
                yield from map(_with_kind, whole)
        self._finish()

    def _finish(self) -> None:
        try:
            code = self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            raise TaktError(f"{NAME} did not end", code=EXIT_FAILED) from error
        if code != 0:
            self._said.seek(0)
            raise program_failed(NAME, code, self._said.read().decode("utf-8", "replace"))


def _with_kind(line: bytes) -> tuple[str, str]:
    text = line.decode("utf-8", "replace")
    try:
        kind = json.loads(text)["kind"]
    except (ValueError, KeyError, TypeError) as error:
        raise TaktError(
            f"{NAME} wrote a line that is not one of its own", code=EXIT_FAILED
        ) from error
    return str(kind), text
