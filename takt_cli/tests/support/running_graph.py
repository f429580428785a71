"""A graph of `takt run` in three processes, while a test looks at them."""

import contextlib
import json
import os
import signal
import socket as python_socket
import subprocess
import sys
import time
from collections import Counter

from support.private import private
from support.schemas import faults, request_faults
from takt_cli.base.programs import find_program
from takt_cli.control.client import Gone, Line, ask
from takt_cli.control.frames import Message, spelled

_ANSWERS = {
    Message.status: "status",
    Message.statistics: "statistics",
    Message.set: "set",
    Message.apply: "change",
    Message.reset: "change",
    Message.subscribe: "subscribed",
    Message.trace_start: "trace_begun",
    Message.trace_stop: "trace_written",
    Message.trace_snapshot: "trace_written",
}


def all_listen(sockets, count):
    """Whether there are so many; a socket has its name before its process listens."""
    try:
        return len([ask(socket, Message.status, {}, 10.0) for socket in sockets]) == count
    except Gone:
        return False


def starts(sockets):
    """How often each callback of these processes has started."""
    return Counter(
        {
            callback["id"]: callback["starts"]
            for socket in sockets
            for executor in answer(socket, Message.statistics)["executors"]
            for callback in executor["callbacks"]
        }
    )


def wait_for_runs(sockets, more):
    """Wait until each callback of these processes has started so often, from now on."""
    before = starts(sockets)
    deadline = time.monotonic() + 60
    now = before
    while min(now[id_] - before[id_] for id_ in before) < more:
        assert time.monotonic() < deadline, (before, now)
        time.sleep(0.05)
        now = starts(sockets)


@contextlib.contextmanager
def running_graph(folder, *arguments, processes=3):
    """Run `takt run` with these arguments until the context ends; gives sockets once all run."""
    log = folder / "log"
    command = [sys.executable, "-m", "takt_cli", "run", *map(str, arguments)]
    with log.open("wb") as output:
        running = subprocess.Popen(
            [*command, "--split", str(processes), "-o", str(folder / "out"), "--force"],
            env=private(folder), stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not all_listen(sockets := sorted((folder / "run").glob("*.sock")), processes):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        # Each has its socket long before it has callbacks, and these before they know each other.
        while not all(starts([socket]).total() for socket in sockets):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield sockets
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGTERM)  # jobs of a shell may ignore SIGINT
        running.wait(timeout=30)


def answer(socket, kind, request=None):
    """Ask a process; gives its answer."""
    assert request_faults(kind, request or {}) == []
    _, data = ask(socket, kind, request or {}, 30.0)
    if kind in _ANSWERS:
        assert faults(_ANSWERS[kind], data) == []
    return data


def raw_answer(path, kind, request):
    """Ask a process; gives the type of its answer, and the document that it sent."""
    line = Line(time.monotonic() + 30, 30)
    with python_socket.socket(python_socket.AF_UNIX) as connection:
        line.connect(connection, path)
        line.send(connection, b"".join(spelled(kind, request)))
        answered, payload = line.receive(connection)
    return answered, json.loads(payload)


def traced(sockets, runs, pause=0.0, **options):
    """Record so many runs of each callback, and end them one by one; gives their files."""
    for socket in sockets:
        answer(socket, Message.trace_start, options)
    wait_for_runs(sockets, runs)
    files = []
    for socket in sockets:
        files.append(answer(socket, Message.trace_stop))
        time.sleep(pause)
    return files


def takt_trace(*arguments):
    """Run the program behind `takt trace`; gives the document that it prints."""
    program = find_program("takt_trace", "takt_trace")
    done = subprocess.run([program, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def convert(raws, output, form):
    """Make one trace of the files of processes."""
    told = takt_trace("convert", *raws, "-o", output, "--format", form, "--json")
    assert faults("trace_summary", told) == []
    return told
