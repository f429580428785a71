"""Ctrl-Z while a program runs that has a session of its own: the terminal stops only this one."""

from __future__ import annotations

import signal
import subprocess
import threading
from types import FrameType
from typing import Any

# Not SIGTSTP: the kernel drops that one for programs that no shell could continue.
_STOP = signal.SIGSTOP


class Pauses:
    """Within a `with` block the program stops and goes on with this process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._before: Any = None

    def __enter__(self) -> Pauses:
        """Take Ctrl-Z over, unless it is ignored, in the main thread only."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            self._before = signal.signal(signal.SIGTSTP, self._pause)
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        if self._before is not None:
            signal.signal(signal.SIGTSTP, self._before)

    def _pause(self, _number: int, _frame: FrameType | None) -> None:
        self._process.send_signal(_STOP)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)  # this process stops here until SIGCONT comes
        signal.signal(signal.SIGTSTP, self._pause)
        self._process.send_signal(signal.SIGCONT)
