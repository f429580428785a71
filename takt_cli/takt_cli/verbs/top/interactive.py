"""The loop of `takt top` on a terminal: asks, waits for answers and keys, draws."""

from __future__ import annotations

import math
import select
import signal
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from takt_cli.base.units import NS_PER_S
from takt_cli.tables.table import Table
from takt_cli.verbs.top.keys import Keys
from takt_cli.verbs.top.layout import picture
from takt_cli.verbs.top.screen import Screen, Signals
from takt_cli.verbs.top.state import State
from takt_cli.verbs.top.watch import Watch

# The first rates come soon after the first reading.
_FIRST_S = 0.3
# Time to wait for answers of several processes, to draw them together.
_TOGETHER_S = 0.1


def show(console: Console, wanted: Sequence[str], interval_ns: int) -> None:
    """Show the tables until the user ends it; raises KeyboardInterrupt after SIGTERM."""
    with Signals() as signals, Screen(console) as screen:
        _Loop(signals, screen, Watch(wanted, signals.wake), interval_ns).run()
    if signals.ended_by not in (None, signal.SIGINT):
        raise KeyboardInterrupt


class _Loop:
    """The objects of one run."""

    def __init__(self, signals: Signals, screen: Screen, watch: Watch, interval_ns: int) -> None:
        self._signals = signals
        self._screen = screen
        self._watch = watch
        self._interval_ns = interval_ns
        self._state = State()
        self._keys = Keys(sys.stdin.fileno())
        self._view = watch.view()
        self._tables: dict[str, Table] = {}  # of this view

    def run(self) -> None:
        """Run until a key or a signal ends it."""
        interval_s = self._interval_ns / NS_PER_S
        ask_at, draw_at, first = 0.0, time.monotonic() + _TOGETHER_S, True
        while not self._state.ended and self._signals.ended_by is None:
            if self._signals.stopped:
                self._signals.stopped = False
                self._screen.stop_process()
                draw_at = 0.0
            now = time.monotonic()
            if now >= ask_at and not self._state.paused:
                self._watch.ask()
                ask_at = now + (min(interval_s, _FIRST_S) if first else interval_s)
                first = False
                if not self._watch.waits:  # all sockets may have been removed
                    self._look()
                    draw_at = min(draw_at, now + _TOGETHER_S)
            if now >= draw_at:
                self._draw()
                draw_at = math.inf
            wait_s = min(draw_at, math.inf if self._state.paused else ask_at) - now
            if self._heard(None if wait_s == math.inf else max(0.0, wait_s)):
                draw_at = 0.0
            if self._watch.collect() and not self._state.paused:
                self._look()
                draw_at = min(draw_at, now + _TOGETHER_S) if self._watch.waits else 0.0

    def _look(self) -> None:
        self._view = self._watch.view()
        self._tables.clear()

    def _table(self) -> Table:
        kind = self._state.kind
        if kind.name not in self._tables:
            self._tables[kind.name] = kind.make(self._view.pairs)
        return self._tables[kind.name]

    def _draw(self) -> None:
        size = self._screen.size()
        lines = picture(self._view, self._table(), self._state, size, self._interval_ns)
        self._screen.draw(lines, size)

    def _heard(self, wait_s: float | None) -> bool:
        """Wait for keys, answers and signals; returns whether to draw at once."""
        terminal = sys.stdin.fileno()
        ready, _, _ = select.select([terminal, self._signals.descriptor], [], [], wait_s)
        if self._signals.descriptor in ready:
            self._signals.heard()
        resized, self._signals.resized = self._signals.resized, False
        if terminal not in ready:
            return resized
        keys = self._keys.read()
        if keys is None:  # the terminal is closed
            self._state.ended = True
            return False
        for key in keys:
            self._state.press(key, self._table().columns)
        return True
