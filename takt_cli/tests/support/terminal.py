"""A takt command on a terminal of its own: keys go in, the last picture comes out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 30
_BEGIN = "\x1b[?1049h"
_END = "\x1b[?1049l"
# Runs the command line, with one function replaced by one that raises.
_RUN = """
import os, sys
broken = os.environ.get("TAKT_TEST_BREAKS", "")
if broken:
    import importlib
    module, _, name = broken.rpartition(".")
    def breaks(*_):
        raise RuntimeError("broken by a test")
    setattr(importlib.import_module(module), name, breaks)
import runpy
runpy.run_module("takt_cli", run_name="__main__", alter_sys=True)
"""


class Terminal:
    """Runs a command until it ends or is closed."""

    def __init__(self, arguments, columns=80, lines=24, environment=None) -> None:
        self._leader, self._follower = pty.openpty()
        self._modes = termios.tcgetattr(self._follower)
        self._said = b""
        self.resize(columns, lines)
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        told = {"TERM": "xterm", "PYTHONPATH": path, "LC_ALL": "C.UTF-8", **(environment or {})}
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
        }
        self._process = subprocess.Popen(
            [sys.executable, "-c", _RUN, *arguments],
            stdin=self._follower,
            stdout=self._follower,
            stderr=self._follower,
            env=inherited | told,
            preexec_fn=self._prepare,
        )

    def _prepare(self) -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)

    def resize(self, columns: int, lines: int) -> None:
        """Change the size, as a window manager does."""
        fcntl.ioctl(self._follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._leader, keys.encode())

    def send(self, number: int) -> None:
        """Send the command a signal."""
        self._process.send_signal(number)

    def said(self) -> str:
        """Give all that came out so far."""
        while select.select([self._leader], [], [], 0)[0]:
            self._said += os.read(self._leader, 1 << 16)
        return self._said.decode(errors="replace")

    def screen(self) -> str:
        """Give the last picture, without styles; after the end of the picture, the words since."""
        said = self.said()
        shown = said.rfind(_BEGIN) > said.rfind(_END)
        text = said.rpartition("\x1b[H" if shown else _END)[2]
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "")

    def until(self, condition: Callable[[str], bool]) -> None:
        """Wait until the picture is so; fails after half a minute."""
        self._until(lambda: condition(self.screen()))

    def until_stopped(self) -> None:
        """Wait until the command is stopped."""
        stat = Path(f"/proc/{self._process.pid}/stat")
        self._until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")

    def ended(self) -> int:
        """Wait for the end, and give the exit code."""
        self._until(lambda: self._process.poll() is not None)
        return self._process.returncode

    def until_restored(self) -> None:
        """Wait until it is restored; the kernel hands the last bytes over on its own time."""
        self._until(self.restored)

    def restored(self) -> bool:
        """Whether the terminal is as it was before: modes, screen and cursor."""
        said = self.said()
        return (
            termios.tcgetattr(self._follower) == self._modes
            and said.rfind(_END) >= said.rfind(_BEGIN)
            and said.rfind("\x1b[?25h") >= said.rfind("\x1b[?25l")
        )

    def close(self) -> None:
        """End the command, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        os.close(self._leader)
        os.close(self._follower)

    def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            # Output that nobody reads would stop the command.
            assert time.monotonic() < deadline, self.said()[-3000:]
            select.select([self._leader], [], [], 0.02)
            self.said()
