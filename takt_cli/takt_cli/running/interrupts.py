"""Interrupts of a run, of which the next interrupt must not lose the results."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Counts Ctrl-C and SIGTERM within a `with` block instead of raising KeyboardInterrupt.

    The block looks at `count` and ends by itself; only from the last of `most` on each is raised.
    Signals are handled in the main thread; in any other one the block has no say and counts none.
    """

    def __init__(self, most: int) -> None:
        self.count = 0
        self._most = most
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        """Take the signals over."""
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
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
