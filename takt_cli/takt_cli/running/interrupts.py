"""Interrupts of a run. The next interrupt must not lose the results."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterable
from types import FrameType
from typing import Any

from takt_cli.base.errors import EXIT_INTERRUPTED, TaktError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Counts Ctrl-C and SIGTERM within a `with` block instead of raising KeyboardInterrupt.

    The block looks at `count` and ends by itself; only from the last of `most` on each is raised.
    Signals are handled in the main thread; in any other one the block has no say and counts none.
    """

    def __init__(self, most: float, also: Iterable[signal.Signals] = ()) -> None:
        """`also`: further signals that end the program otherwise."""
        self._signals = (*_SIGNALS, *also)
        self.count = 0
        self._most = most
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        """Take the signals over."""
        if threading.current_thread() is threading.main_thread():
            for number in self._signals:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        """Give them back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupted(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.count >= self._most:
            raise KeyboardInterrupt


class Unbroken(Interrupts):
    """Lets a change of many processes finish, because half of it would be worse than all.

    Ctrl-C, SIGTERM and the end of the terminal are counted in the block, and `tell` reports them
    after it.
    """

    def __init__(self) -> None:
        super().__init__(math.inf, (signal.SIGHUP,))

    def tell(self, done: str) -> None:
        """End with the exit code of an interrupt if there was one; `done`: all that was done."""
        if self.count:
            raise TaktError(f"interrupted, after {done}", code=EXIT_INTERRUPTED)
