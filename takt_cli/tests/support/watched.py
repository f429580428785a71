"""An unmodified program of rclcpp under `takt exec`, driven by lines on its standard input.

takt_rclcpp/test/programs/program_watched.cpp says which lines there are.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.built import adopted_program, need
from support.private import private
from support.schemas import faults
from takt_cli.control import client, frames
from takt_cli.control.frames import Message

PATIENCE_S = 60.0
"""Guards against hanging; it measures nothing."""
HEAD = """version: 1
executors:
  main:
    order: priority
"""
ONE_THREAD = f"""{HEAD}
    threads: {{only: {{}}}}
    default: only
"""
WATCHED = [
    pytest.mark.skipif(
        adopted_program() is None, reason="takt was built without rclcpp, or without its tests"
    ),
    need(("takt_exec", "takt_rclcpp")),
]
"""Marks of tests that use the program."""


def rules(*lines: str) -> str:
    """Give rules of a schedule for callbacks."""
    return "    callbacks:\n" + "".join(f"      - {{{line}}}\n" for line in lines)


@contextlib.contextmanager
def starting() -> Iterator[Callable[..., Any]]:
    """Start programs, and let all of them end."""
    started: list[Program] = []

    def start(program: Program) -> Program:
        started.append(program)
        return program

    try:
        yield start
    finally:
        for one in started:
            one.end()


def wait_for(holds: Callable[[], Any], what: Callable[[], object] | str = "") -> Any:
    """Wait until something holds, and give it."""
    value = holds_within(PATIENCE_S, holds)
    assert value, what if isinstance(what, str) else what()
    return value


def holds_within(seconds: float, holds: Callable[[], Any]) -> Any:
    """Wait for so long at most, and give what `holds` gave last."""
    until = time.monotonic() + seconds
    while not (value := holds()) and time.monotonic() < until:
        time.sleep(0.02)
    return value


class Program:
    """A program that reads commands; by itself, or under takt."""

    def __init__(self, command: Sequence[object], folder: Path, name: str) -> None:
        self.environment = private(folder)
        self._errors = folder / f"{name}.err"
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command], env=self.environment, text=True, bufsize=1,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def declare(self, *lines: str) -> None:
        """Say what the program has; it does not answer."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def tell(self, command: str) -> str:
        """Give a command, and give the answer."""
        self.declare(command)
        try:
            return self._lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise AssertionError(f"no answer to '{command}': {self.errors()}") from None

    def state(self) -> dict[str, Any]:
        """Give what the program itself counted."""
        state: dict[str, Any] = json.loads(self.tell("state"))
        return state

    def runs(self, what: str) -> int:
        """Give how often a callback has run to its end."""
        return int(self.state()["runs"][what])

    def errors(self) -> str:
        """Give what it wrote on standard error."""
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def end(self) -> None:
        """Let it end."""
        with contextlib.suppress(BrokenPipeError):
            self.declare("quit")
        try:
            self.process.wait(timeout=PATIENCE_S)
        finally:
            self.process.kill()
            self.process.wait()


class Watched(Program):
    """The program under takt and a schedule; an empty one: without a schedule."""

    def __init__(self, folder: Path, schedule: str, threads: int, lines: Sequence[str]) -> None:
        file = folder / "schedule.yaml"
        file.write_text(schedule, encoding="utf-8")
        takt = [sys.executable, "-m", "takt_cli", "exec", "--strict"]
        takt += ["--schedule", str(file)] if schedule else []
        super().__init__([*takt, "--", adopted_program(), "watched"], folder, "watched")
        self.folder = folder
        self.declare(*lines, f"spin {threads}")
        try:
            self.socket: Path = wait_for(self._socket, self.errors)
        except BaseException:
            self.process.kill()
            raise
        self.alarms = Alarms(self.socket)

    def _socket(self) -> Path | None:
        assert self.process.poll() is None, self.errors()
        for path in (self.folder / "run").glob("*.sock"):
            with contextlib.suppress(client.Gone):
                answer = client.ask(path, Message.status, {}, PATIENCE_S)[1]
                if any(one["spinning"] and one["callbacks"] for one in answer["executors"]):
                    return path
        return None

    def ask(self, kind: Message, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Ask over the control socket."""
        told = client.ask(self.socket, kind, request or {}, PATIENCE_S)[1]
        if kind in (Message.status, Message.statistics):
            assert faults(kind.name, told) == []
        return told

    @property
    def pid(self) -> int:
        """Give the number of the process; the one that was started is takt exec."""
        return int(self.socket.stem)

    def executor(self) -> dict[str, Any]:
        """Give the statistics of its only executor."""
        (executor,) = self.ask(Message.statistics)["executors"]
        return dict(executor)

    def callback(self, name: str) -> dict[str, Any]:
        """Give the statistics of one callback."""
        wanted = f"/watched:{name}"
        all_ = self.executor()["callbacks"]
        return next(dict(one) for one in all_ if one["id"] == wanted)

    def wait_until_quiet(self, name: str) -> dict[str, Any]:
        """Wait until no message waits for a callback, and it does not run; gives its statistics."""

        def quiet() -> dict[str, Any] | None:
            executor = self.executor()
            (one,) = (one for one in executor["callbacks"] if one["id"] == f"/watched:{name}")
            busy = any(thread["running"] for thread in executor["threads"])
            return None if one["waiting"] or busy else one

        return dict(wait_for(quiet, lambda: f"{name} is not quiet: {self.callback(name)}"))

    def takt(self, *words: object) -> dict[str, Any]:
        """Run another command of takt on the process; gives its document."""
        said = self.takt_output(*words)
        return dict(json.loads(said)) if said.startswith("{") else {}

    def takt_output(self, *words: object) -> str:
        """Run another command of takt on the process; gives its standard output."""
        command = [sys.executable, "-m", "takt_cli", *map(str, words)]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False,
            cwd=self.folder, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def end(self) -> None:
        """Let it end as a program does by itself."""
        self.alarms.end()
        super().end()
        assert self.process.returncode == 0, self.errors()


class Alarms:
    """All alarms of a process since it is subscribed."""

    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.connect(str(path))
        self._connection.sendall(frames.frame(Message.subscribe, b"{}"))
        self._line = client.Line(time.monotonic() + 3600, 3600)
        kind, payload = self._line.receive(self._connection)
        assert kind == Message.result, payload
        self.all: list[dict[str, Any]] = json.loads(payload)["active"]
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(frames.NoAnswer, OSError):
            while True:
                _, payload = self._line.receive(self._connection)
                self.all.append(json.loads(payload))

    def of(self, kind: str, state: str = "raised") -> list[dict[str, Any]]:
        """Give those of one kind, in their order."""
        told = list(self.all)
        assert [fault for one in told for fault in faults("alarm", one)] == []
        return [one for one in told if (one["kind"], one["state"]) == (kind, state)]

    def wait(self, kind: str, state: str = "raised", after: int = 0) -> dict[str, Any]:
        """Wait for one of a kind, and give it; `after` so many that are known."""
        found = wait_for(
            lambda: self.of(kind, state)[after:], lambda: f"no {kind} was {state}: {self.all}"
        )
        return dict(found[0])

    def ended(self, kind: str) -> int:
        """Wait until none of a kind is active; gives how many were raised until then."""

        def all_ended() -> list[int]:
            raised = len(self.of(kind))
            return [raised] if raised == len(self.of(kind, "cleared")) else []

        return wait_for(all_ended, lambda: f"a {kind} is active: {self.all}")[0]

    def end(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()
