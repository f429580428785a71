"""Processes under takt as `takt status` and its companions see them: sockets in a folder."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from support.schemas import request_faults

HEADER = struct.Struct("<4sHHI")
STATUS, APPLY, RESET, PART, ERROR, RESULT = 10, 11, 12, 20, 101, 110
TRACE_START, TRACE_STOP, TRACE_SNAPSHOT = 13, 14, 15
MOST = 64 << 10


def attributes(policy="inherit", priority=0, nice=None, cores=(), **more):
    """Spell attributes as a process does."""
    return {
        "policy": policy, "priority": priority, "nice": nice, "runtime_ns": 0, "deadline_ns": 0,
        "period_ns": 0, "cores": list(cores), **more,
    }  # fmt: skip


PLAIN = attributes("other", nice=0, cores=[0, 1])


def thread(name, number=0, asked=None, granted=None, now=None, **more):
    """Give an executor thread; by default nothing is asked of it."""
    granted = granted or PLAIN
    return {
        "number": number, "name": name, "tid": 1000 + number, "group": "", "follow": False,
        "asked": asked or attributes(), "granted": granted, "now": now or granted, "faults": [],
        **more,
    }  # fmt: skip


def callback(id_, group="/n:group(default)", threads=("rest",), **more):
    """Give a callback."""
    return {
        "id": id_, "kind": "timer", "group": group, "reentrant": False, "isolated": False,
        "threads": list(threads), "priority": 0, "rule_priority": None, "deadline_ns": None,
        "runs": None, **more,
    }  # fmt: skip


def executor(name, threads, callbacks=(), **more):
    """Give an executor."""
    return {
        "name": name, "order": "priority", "schedule": "", "spinning": True,
        "missing_rights": "report", "default": ["rest"], "threads": list(threads),
        "callbacks": list(callbacks), "chains": [], **more,
    }  # fmt: skip


def process(program, *executors, process_threads=()):
    """Give all that a process tells."""
    return {
        "pid": 1, "program": program, "command": [program, "--fast"], "user": "somebody",
        "started": 5, "configurator": "", "executors": list(executors),
        "process_threads": list(process_threads),
    }  # fmt: skip


def frame(kind, payload, version=1, magic=b"takt", length=None):
    """Give the bytes of one frame, right or wrong."""
    size = len(payload) if length is None else length
    return HEADER.pack(magic, version, kind, size) + payload


def message(kind, data):
    """Give all frames of a message."""
    payload = data if isinstance(data, bytes) else json.dumps(data).encode()
    cuts = [payload[start : start + MOST] for start in range(0, len(payload), MOST)] or [b""]
    return b"".join(frame(PART, cut) for cut in cuts[:-1]) + frame(kind, cuts[-1])


class FakeProcess:
    """Serves one control socket in a thread until `close`."""

    serving: ClassVar[dict[Path, FakeProcess]] = {}
    """Those of this process, by their sockets."""

    def __init__(self, folder: Path, pid: int, status: Any) -> None:
        """`status`: what it tells; or bytes, with which it answers all messages."""
        self.path = folder / f"{pid}.sock"
        self.status = status
        self.requests: list[tuple[int, Any]] = []
        self.apply: Callable[[Any], tuple[int, Any]] = lambda request: (
            RESULT,
            {"executors": [], "not_in_file": []},
        )
        self.reset: Callable[[], tuple[int, Any]] = lambda: (RESULT, {"executors": []})
        self.others: Callable[[int, Any], tuple[int, Any] | bytes] = lambda kind, _: (
            ERROR,
            {"faults": [f"message {kind} is unknown"]},
        )
        self.wrong: list[str] = []  # where requests are not what their schemas have
        self.hangs = threading.Event()
        self.silent = threading.Event()  # it does not answer any more
        self._over = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(8)
        self.serving[self.path] = self
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self, leave_socket: bool = False) -> None:
        """End; the file stays only if it is told to."""
        self._over.set()
        self.serving.pop(self.path, None)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        if not leave_socket:
            self.path.unlink(missing_ok=True)
        assert self.wrong == []

    def hang(self) -> None:
        """Keep the thread of the caller, which is to answer, until the end."""
        self.silent.set()
        self._over.wait()

    def asked(self, kind: int) -> list[Any]:
        """Give the requests of one type."""
        return [request for one, request in self.requests if one == kind]

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        kind, payload = self._request(connection)
        request = json.loads(payload)
        self.requests.append((kind, request))
        self.wrong += request_faults(kind, request)
        if self.hangs.is_set():
            self.silent.set()
            connection.recv(1)  # until the client gives up
            return
        if isinstance(self.status, bytes):
            connection.sendall(self.status)
        elif kind == STATUS:
            connection.sendall(message(RESULT, self.status))
        elif kind == APPLY:
            connection.sendall(message(*self.apply(request)))
        elif kind == RESET:
            connection.sendall(message(*self.reset()))
        else:
            answer = self.others(kind, request)
            connection.sendall(answer if isinstance(answer, bytes) else message(*answer))

    @staticmethod
    def _request(connection: socket.socket) -> tuple[int, bytes]:
        got = b""
        while True:
            magic, version, kind, length = HEADER.unpack(exactly(connection, HEADER.size))
            assert (magic, version) == (b"takt", 1)
            assert length <= MOST
            got += exactly(connection, length)
            if kind != PART:
                return kind, got


class FakeTracer(FakeProcess):
    """Traces: its files are for the stand-in of `takt_trace`, which prints their figures."""

    def __init__(self, folder: Path, pid: int, status: Any, **figures: Any) -> None:
        """`figures`: what its trace holds, beside number and program."""
        self.figures = {"pid": pid, "program": status["program"], **figures}
        self.tracing: Any = None  # the request that began it
        self.written: list[Path] = []
        super().__init__(folder, pid, status)
        self.others = self.trace

    def trace(self, kind: int, request: Any) -> tuple[int, Any]:
        """Answer as a process does."""
        if kind == TRACE_START:
            if self.tracing is not None:
                return ERROR, {"faults": ["a trace runs already"]}
            self.tracing = request
            return RESULT, {"threads": self.figures.get("threads", 1)}
        if self.tracing is None:
            return ERROR, {"faults": ["no trace runs"]}
        if kind == TRACE_STOP:
            self.tracing = None
        path = self.path.with_name(f"{self.path.stem}.{len(self.written)}.trace")
        path.write_text(json.dumps(self.figures))
        self.written.append(path)
        # In a container the folder may have another name.
        return RESULT, {"file": f"/elsewhere/{path.name}", "records": 5, "dropped": 0}


def exactly(connection: socket.socket, count: int) -> bytes:
    """Read so many bytes; OSError at the end."""
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise OSError("closed")
        data += more
    return data
