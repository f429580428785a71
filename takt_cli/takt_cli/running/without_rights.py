"""Programs without rights beside one configurator daemon, which grants what schedules ask for.

The daemon, a witness of host stalls and busy processes belong to the machine, not to the robot, and
keep this process's rights.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import last_lines, program_failed, start
from takt_cli.base.programs import find_program
from takt_cli.files.outputs import write_text
from takt_cli.running.runner import progress_of

LOOP = ("takt_control_loop", "takt_bench")
NODES = ("takt_run", "takt_workload")
DAEMON = ("takt-configurator", "takt_configurator")
# Root without the rights of a real-time process is like any user, and may read all files.
WITHOUT_RIGHTS = (
    *("setpriv", "--bounding-set=-sys_nice,-sys_resource,-ipc_lock"),
    "--inh-caps=-sys_nice,-sys_resource,-ipc_lock",
    *("prlimit", "--rtprio=0", "--nice=0"),
)
POLICY = """\
version: 1
rules:
  - {users: root, policies: [fifo, rr, other], max_priority: 98, min_nice: -10}
"""
_STARTS_S = 120.0  # discovery and calibration on a busy machine
_ENDS_S = 60.0
_LOOK_S = 0.05


def missing_right() -> str | None:
    """Say why the daemon could grant nothing here, or why programs could not lose their rights."""
    if os.geteuid() != 0:
        return "the daemon needs root's rights; run the experiment as root"
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, *before)
    except OSError:
        return "the kernel refuses real-time priorities to root here; give the container SYS_NICE"
    try:
        plain, realtime = (
            subprocess.run([*WITHOUT_RIGHTS, *command], capture_output=True, check=False)
            for command in (["true"], ["chrt", "--fifo", "1", "true"])
        )
    except OSError as error:
        return f"{error.filename} is missing; install util-linux"
    if plain.returncode != 0 or realtime.returncode == 0:
        return "setpriv cannot take the right to real-time priorities from a program here"
    return None


class Programs:
    """Runs within a `with` block, on the main thread; all programs end with the block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Programs:
        """Start the daemon."""
        self.folder.mkdir(parents=True, exist_ok=True)
        # The paths of sockets are short.
        self._sockets = tempfile.TemporaryDirectory(prefix="takt-")
        socket = Path(self._sockets.name) / "configurator.sock"
        self.environment = {
            **{name: word for name, word in os.environ.items() if name != "TAKT_SCHEDULE"},
            "TAKT_RUNTIME_DIR": f"{self._sockets.name}/control",
            "TAKT_CONFIGURATOR": str(socket),
        }
        policy = Path(self._sockets.name) / "policy.yaml"
        write_text(policy, POLICY)
        policy.chmod(0o644)
        self.start("daemon", [find_program(*DAEMON), "--socket", socket, "--policy", policy])
        self._wait_for(socket.exists, "daemon")
        return self

    def __exit__(self, *_: object) -> None:
        """End all."""
        for process in self._running.values():
            process.kill()
        for process in self._running.values():
            process.wait()
        with contextlib.suppress(OSError):
            self._sockets.cleanup()

    def start(self, name: str, command: Sequence[object], schedule: Path | None = None) -> None:
        """Start a program, which writes its words into files of this name."""
        environment = dict(self.environment)
        if schedule:
            environment["TAKT_SCHEDULE"] = str(schedule)
        with self._file(name, "out").open("wb") as out, self._file(name, "err").open("wb") as err:
            self._running[name] = start(
                [str(word) for word in command],
                output=out.fileno(), errors=err.fileno(), environment=environment,
            )  # fmt: skip

    def start_loop(self, name: str, schedule: Path, duration: str, *, stays: bool = False) -> None:
        """Start the plain C++ program.

        `stays`: it measures for the duration, and then goes on until `stop`.
        """
        words = ["loop", "--duration", duration, "--output", self._file(name, "json")]
        if stays:
            words.append("--stay")
        self.start(name, [*WITHOUT_RIGHTS, find_program(*LOOP), *words], schedule)

    def start_nodes(self, name: str, graph: Path, schedule: Path, duration: str) -> None:
        """Start the ROS nodes, and wait until they know each other."""
        words = [graph, "--schedule", schedule, "--executor", "nodes", "--duration", duration]
        words += ["--warmup", "100ms", "--witness", "off", "--json-progress", "--quiet"]
        words += ["--output", self._file(name, "json")]
        self.start(name, [*WITHOUT_RIGHTS, find_program(*NODES), *words])
        self._wait_for(lambda: self._runs(name), name)

    def start_witness(self, name: str, core: int, offset: str) -> None:
        """Start the witness of a core's host stalls."""
        words = [
            "witness",
            "--core",
            core,
            "--offset",
            offset,
            "--output",
            self._file(name, "json"),
        ]
        self.start(name, [find_program(*LOOP), *words])

    def wait(self, name: str, seconds: float) -> Any:
        """Wait until a program has ended, and give its document."""
        process = self._running[name]
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise TaktError(
                f"{name} did not end within {seconds:.0f} s", code=EXIT_FAILED
            ) from error
        if code != 0:
            raise program_failed(name, code, self._said(name))
        return self.document(name)

    def pause(self, name: str, seconds: float) -> None:
        """Let time pass while a program runs; raise how it failed if it ends meanwhile."""
        process = self._running[name]
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            raise program_failed(name, process.returncode, self._said(name))

    def stop(self, name: str, seconds: float = 0.0) -> Any:
        """Ask a program to end, and give its document. It may go on for so many seconds."""
        process = self._running[name]
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        return self.wait(name, seconds + _ENDS_S)

    def end(self, name: str) -> None:
        """End a program whose results do not matter."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def document(self, name: str) -> Any:
        """Give the document that a program wrote."""
        path = self._file(name, "json")
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TaktError(f"{name} wrote no result: {error}", code=EXIT_FAILED) from error

    def granted(self) -> int:
        """Count the threads to which the daemon granted their attributes."""
        return self._said("daemon").count("granted pid ")

    def status_of(self, names: Sequence[str]) -> Mapping[str, Any]:
        """Wait until `takt status` knows all programs, which run; give its document."""
        pids = {self._running[name].pid for name in names}
        found: Mapping[str, Any] = {}

        def known() -> bool:
            nonlocal found
            for name in names:
                self.pause(name, 0.0)
            found = self.status()
            return pids <= {process["pid"] for process in found["processes"]}

        self._wait_for(known, names[0])
        return found

    def status(self) -> Mapping[str, Any]:
        """Give the document of `takt status`."""
        done = subprocess.run(
            self.takt("status", "--json"), env=self.environment, capture_output=True, check=False
        )
        try:
            return dict(json.loads(done.stdout))
        except ValueError as error:
            said = done.stderr.decode("utf-8", "replace")
            raise TaktError(f"takt status failed: {said}", code=EXIT_FAILED) from error

    def takt(self, *words: str) -> list[str]:
        """Spell a command of takt for this interpreter."""
        return [sys.executable, "-m", "takt_cli", *words]

    def run_takt(self, *words: str) -> None:
        """Run a command of takt beside the programs, and raise how it failed."""
        done = subprocess.run(
            self.takt(*words), env=self.environment, capture_output=True, check=False
        )
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace") or done.stdout.decode("utf-8", "replace")
            raise program_failed(f"takt {words[0]}", done.returncode, said)

    def _runs(self, name: str) -> bool:
        text = self._file(name, "out").read_text(encoding="utf-8", errors="replace")
        return any(progress_of(line) is not None for line in text.splitlines())

    def _wait_for(self, condition: Callable[[], bool], name: str) -> None:
        until = time.monotonic() + _STARTS_S
        process = self._running[name]
        while not condition():
            if process.poll() is not None:
                raise program_failed(name, process.returncode, self._said(name))
            if time.monotonic() > until:
                raise TaktError(
                    f"{name} did not begin within {_STARTS_S:.0f} s",
                    hint=last_lines(self._said(name), 5),
                    code=EXIT_FAILED,
                )
            time.sleep(_LOOK_S)

    def _said(self, name: str) -> str:
        return self._file(name, "err").read_text(encoding="utf-8", errors="replace")

    def _file(self, name: str, ending: str) -> Path:
        return self.folder / f"{name}.{ending}"
