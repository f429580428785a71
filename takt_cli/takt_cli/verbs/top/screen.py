"""The terminal: taken over, drawn on, and restored at any end."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
import tty
from collections.abc import Sequence
from types import FrameType
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from takt_cli.verbs.top.layout import Size

# From this signal on the program ends at once, even if the terminal accepts no more characters.
_IMPATIENT = 3


class Signals:
    """Notes signals within a `with` block; a byte in a pipe wakes the wait for keys.

    No signal raises an exception, which could come while the terminal is being restored.
    """

    def __init__(self) -> None:
        self.ended_by: int | None = None
        self.stopped = False
        self.resized = False
        self._count = 0
        self._before: dict[int, Any] = {}
        self._awake, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def __enter__(self) -> Signals:
        """Handle the signals that are not ignored."""
        handlers = {
            signal.SIGINT: self._end, signal.SIGTERM: self._end, signal.SIGHUP: self._end,
            signal.SIGQUIT: self._end, signal.SIGTSTP: self._stop, signal.SIGWINCH: self._resize,
        }  # fmt: skip
        for number, handler in handlers.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, handler)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the handlers. The pipe stays: a thread that asks may still write to it."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def descriptor(self) -> int:
        """Give the descriptor that becomes readable after a signal or `wake`."""
        return self._awake

    def wake(self) -> None:
        """Wake the wait; any thread may call it."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"!")

    def heard(self) -> None:
        """Read all bytes of the pipe, which only wake the screen."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._awake, 4096):
                pass

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self.ended_by = number
        self._count += 1
        self.wake()
        if self._count >= _IMPATIENT:
            raise KeyboardInterrupt

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopped = True
        self.wake()

    def _resize(self, _number: int, _frame: FrameType | None) -> None:
        self.resized = True
        self.wake()


class Screen:
    """The whole terminal, within a `with` block."""

    def __init__(self, console: Console) -> None:
        """`console`: of standard output, which is a terminal, as standard input is."""
        self._console = console
        self._input = sys.stdin.fileno()
        self._output = sys.stdout.fileno()
        self._modes: list[Any] | None = None
        self._live: Live | None = None

    def __enter__(self) -> Screen:
        """Take the terminal over."""
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal."""
        self.give_back()

    def take(self) -> None:
        """Switch to the terminal's second screen, and read keys one by one."""
        self._modes = termios.tcgetattr(self._input)
        try:
            tty.setcbreak(self._input, termios.TCSADRAIN)  # keys pressed meanwhile count
            self._live = Live(
                console=self._console, screen=True, auto_refresh=False,
                redirect_stdout=False, redirect_stderr=False,
            )  # fmt: skip
            self._live.start()
        except BaseException:
            self.give_back()
            raise

    def give_back(self) -> None:
        """Restore the terminal; a second call has no effect."""
        live, self._live = self._live, None
        modes, self._modes = self._modes, None
        try:
            if live is not None:
                live.stop()
        finally:
            if modes is not None:
                with contextlib.suppress(termios.error):  # the terminal is gone
                    termios.tcsetattr(self._input, termios.TCSAFLUSH, modes)

    def stop_process(self) -> None:
        """Stop as after Ctrl-Z. When the shell continues the process, take the terminal again."""
        self.give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.take()

    def size(self) -> Size:
        """Ask the terminal for its size: it may change at any time."""
        columns, lines = 0, 0
        with contextlib.suppress(OSError):
            columns, lines = os.get_terminal_size(self._output)
        return Size(columns or 80, lines or 24, self._console.encoding)

    def draw(self, lines: Sequence[Text], size: Size) -> None:
        """Show one picture."""
        if self._live is not None:
            self._console.size = (size.width, size.height)  # type: ignore[assignment]
            self._live.update(Group(*lines), refresh=True)
