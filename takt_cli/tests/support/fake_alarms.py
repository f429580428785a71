"""Processes as `takt monitor` sees them: connections that stay, alarms that are pushed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from support import fake_control as control
from support.fake_control import (
    ERROR,
    HEADER,
    PART,
    RESULT,
    STATUS,
    TRACE_SNAPSHOT,
    exactly,
    message,
)
from support.fake_statistics import chain, statistics, thread
from takt_cli.verbs.monitor.monitor import Monitor, Settings
from takt_cli.verbs.monitor.ros_side import UNWANTED

SET, STATISTICS, SUBSCRIBE, ALARM = 16, 17, 18, 111
PATIENCE_S = 120.0
STARTED = itertools.count(1)
LATE_NS = 4_000_000_000_123_456_789  # after the begin of each monitor
RAISE = [{"log": True}, {"priority": 200}]


def wait_for(condition, what=""):
    """Wait until it is true, and give its value; fails after half a minute."""
    deadline = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(0.01)
    return value


def alarm(sequence, state="raised", **more):
    """Give an alarm of the chain hot_path."""
    return {
        "sequence": sequence, "time_ns": 5, "realtime_ns": LATE_NS, "pid": 1,
        "program": "/p", "host": "robot", "executor": "main", "callback": "/n:sub(/points)",
        "chain": "hot_path", "thread": None, "kind": "deadline", "state": state, "level": "error",
        "value": 3, "limit": 1, "unit": "misses", "silent_ns": None,
        "deadline_ns": None, "cause": None, "stack": None, "text": "Words.",
        "actions": [{"log": True}], "fail_safe": False, "dropped_before": 0, **more,
    }  # fmt: skip


class FakeWatched:
    """Serves clients side by side, each of them as long as it likes."""

    def __init__(self, folder: Path, pid: int, name="fusion"):
        self.path = folder / f"{pid}.sock"
        executor = control.executor("main", [control.thread("hot")])
        self.status = control.process(f"/opt/{name}", executor) | {"started": next(STARTED)}
        chains = [chain("hot_path", priority=10, deadline_ns=10**7, activations=100, misses=0)]
        self.statistics = statistics(f"/opt/{name}", [thread("hot")], (), chains)
        self.values = {("chain", "hot_path", "priority"): 10}
        self.sets: list = []
        self.refuses = ""  # a `set`
        self.active: list = []
        self.following = 1
        self.hangs = threading.Event()
        self.answers_sets = threading.Event()  # cleared: it carries them out, and answers later
        self.answers_sets.set()
        self.raw = {}  # answers by kind, as bytes
        self.counts: dict[int, int] = {}
        self.snapshots = 0
        self._subscribed: list[socket.socket] = []
        self._clients: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        # A socket of this number that nobody listens at would be removed: no such process is there.
        early = self.path.with_suffix(".early")
        self._listener.bind(str(early))
        self._listener.listen(8)
        early.rename(self.path)
        threading.Thread(target=self._accept, daemon=True).start()

    def push(self, *alarms, to=1):
        """Push alarms, or bytes, to the subscribers, once there are so many."""
        data = b"".join(one if isinstance(one, bytes) else message(ALARM, one) for one in alarms)
        wait_for(lambda: self._listeners() >= to)
        with self._lock:
            self.following += len(alarms)
            for one in self._subscribed:
                with contextlib.suppress(OSError):
                    one.sendall(data)

    def _listeners(self):
        """Count the subscribers; its thread may not know yet that one has ended."""
        poll = select.poll()
        with self._lock:
            for one in self._subscribed:
                poll.register(one, select.POLLHUP)
            return len(self._subscribed) - len(poll.poll(0))

    def value(self, name="hot_path", what="chain", attribute="priority"):
        """Give the present value of an attribute."""
        return self.values[what, name, attribute]

    def drop_clients(self):
        """Close all connections."""
        with self._lock:
            for one in self._clients:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self._clients.clear()
            self._subscribed.clear()

    def close(self, leave_socket=False):
        """End."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop_clients()
        if not leave_socket:
            self.path.unlink(missing_ok=True)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError), self._forgotten(client):
            while True:
                kind, request = self._request(client)
                self.counts[kind] = self.counts.get(kind, 0) + 1
                if self.hangs.is_set():
                    client.recv(1)
                    return
                if kind in self.raw:
                    client.sendall(self.raw[kind])
                    continue
                if kind != SUBSCRIBE:
                    client.sendall(message(*self._answer(kind, request)))
                    continue
                with self._lock:  # no alarm between the answer and the subscription
                    client.sendall(message(*self._answer(kind, request)))
                    if client in self._clients:
                        self._subscribed = [*{*self._subscribed, client}]

    @contextlib.contextmanager
    def _forgotten(self, client):
        """Forget a client in the end."""
        try:
            yield
        finally:
            with self._lock:
                for clients in (self._clients, self._subscribed):
                    while client in clients:
                        clients.remove(client)

    def _answer(self, kind, request):
        if kind == STATUS:
            return RESULT, self.status
        if kind == STATISTICS:
            return RESULT, self.statistics
        if kind == SUBSCRIBE:
            return RESULT, {"alarms": self.following, "active": self.active}
        if kind == SET:
            return self._set(request)
        if kind == TRACE_SNAPSHOT:
            self.snapshots += 1
            name = f"{self.path.stem}.{self.snapshots}.trace"
            self.path.with_name(name).write_text("records")
            return RESULT, {"file": f"/elsewhere/{name}", "records": 1, "dropped": 0}
        return ERROR, {"faults": [f"message {kind} is unknown"]}

    def _set(self, request):
        self.sets.append(request)
        if self.refuses:
            return ERROR, {"faults": [self.refuses]}
        what = next(one for one in ("chain", "callback", "thread") if one in request)
        attribute = next(one for one in ("priority", "threads", "nice") if one in request)
        key = (what, request[what], attribute)
        if key not in self.values:
            return RESULT, {"changed": []}
        before, self.values[key] = self.values[key], request[attribute]
        self.answers_sets.wait(PATIENCE_S)
        changed = {
            "executor": "main", "what": f"{what} {request[what]}", "faults": [],
            "before": {attribute: before}, "now": {attribute: request[attribute]},
        }  # fmt: skip
        return RESULT, {"changed": [changed]}

    @staticmethod
    def _request(client):
        got = b""
        while True:
            _, _, kind, length = HEADER.unpack(exactly(client, HEADER.size))
            got += exactly(client, length)
            if kind != PART:
                return kind, json.loads(got)


class Collected:
    """Stands in for Output: keeps all events."""

    def __init__(self, as_json=False):
        self.as_json = as_json
        self.dropped = 0
        self.broken = False
        self.events: list = []
        self._times: list = []

    def say(self, event, words, data=None, *, level="", realtime_ns=None):
        """Keep one event."""
        self._times.append((event, realtime_ns))
        self.events.append((event, f"{level} {words}".strip(), dict(data or {})))

    def times(self, event):
        """Give the times of all events of one kind; None: that of the line."""
        return [at_ns for kind, at_ns in list(self._times) if kind == event]

    def words(self, event=None):
        """Give the words of all events, or of those of one kind."""
        return [words for kind, words, _ in list(self.events) if event in (None, kind)]


class InThread:
    """A monitor in a thread of this process."""

    def __init__(self, ros=UNWANTED, as_json=False, **settings):
        self.said = Collected(as_json)
        self.monitor = Monitor(Settings(**settings), self.said, ros)
        self.good = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        self.good = asyncio.run(self.monitor.run())

    def heard(self, part, number=1):
        """Wait until a line with these words was said."""

        def lines():
            found = [words for words in self.said.words() if part in words]
            return found if len(found) >= number else None

        return wait_for(lines, lambda: f"{part!r} is not in {self.said.words()}")

    def end(self):
        """End it, and give what it said."""
        if self._thread.is_alive():
            wait_for(lambda: hasattr(self.monitor, "_loop_of_run"))
            self.monitor.end()
            self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.said.words()


class Program:
    """A monitor as a program."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL, **environment):
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "takt_cli", "monitor", *map(str, arguments)],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | environment, start_new_session=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        self.lines += iter(self.process.stdout.readline, "")

    def heard(self, part):
        """Wait until a line with these words was written."""

        def line():
            assert self.process.poll() is None or any(part in one for one in self.lines), self.lines
            return next((one for one in list(self.lines) if part in one), None)

        return wait_for(line, lambda: f"{part!r} is not in {self.lines}")

    def end(self, how):
        """Send a signal, and give the exit code."""
        self.process.send_signal(how)
        return self.finished()

    def finished(self):
        """Wait for its end."""
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        self.errors = self.process.stderr.read()
        return code

    def close(self):
        """End it, however it goes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
