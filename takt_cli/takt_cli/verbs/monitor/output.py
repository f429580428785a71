"""The monitor's output: one line or one JSON object for each event.

A thread writes it. If standard output is slow, events are dropped and counted; the loop never
waits.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from takt_cli.verbs.monitor.words import clock

MOST_LINES = 1000
_LAST_WORDS_S = 2.0


class Output:
    """Takes events of any thread."""

    def __init__(self, as_json: bool, on_broken: Callable[[], None] = lambda: None) -> None:
        """Begin; the writing thread calls `on_broken` when standard output has no reader."""
        self.as_json = as_json
        self.on_broken = on_broken
        self.dropped = 0
        self.broken = False
        self._told = 0  # of the dropped ones
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_LINES)
        stream = sys.stdout
        self._descriptor = stream.fileno()
        terminal = stream.isatty()
        self._encoding = (stream.encoding or "utf-8") if terminal and not as_json else "utf-8"
        self._errors = (stream.errors or "backslashreplace") if terminal else "backslashreplace"
        stream.flush()
        self._thread = threading.Thread(target=self._write_all, name="takt.output", daemon=True)
        self._thread.start()

    def say(
        self,
        event: str,
        words: str,
        data: Mapping[str, Any] | None = None,
        *,
        level: str = "",
        realtime_ns: int | None = None,
    ) -> None:
        """Write one event; `words`: for people, `data`: for programs."""
        now_ns = time.time_ns() if realtime_ns is None else realtime_ns
        if self.as_json:
            document = {"event": event, "realtime_ns": now_ns, **(data or {}), "words": words}
            line = json.dumps(document, ensure_ascii=False)
        else:
            line = " ".join(filter(None, [clock(now_ns), level, words]))
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Write the remaining events; a reader that does not read cannot delay the end."""
        deadline = time.monotonic() + _LAST_WORDS_S
        while self._thread.is_alive() and time.monotonic() < deadline:
            try:
                self._lines.put(None, timeout=0.05)
                break
            except queue.Full:
                continue
        self._thread.join(max(0.0, deadline - time.monotonic()))

    def _write_all(self) -> None:
        while (line := self._lines.get()) is not None:
            if not self._write(line):
                return
            if (dropped := self.dropped - self._told) and self._lines.empty():
                self._told += dropped
                words = f"{dropped:,} lines were dropped: standard output is too slow"
                if self.as_json:
                    words = json.dumps({"event": "dropped_lines", "number": dropped})
                if not self._write(words):
                    return

    def _write(self, line: str) -> bool:
        data = f"{line}\n".encode(self._encoding, self._errors)
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            self.broken = True
            self.on_broken()
            return False
        return True
