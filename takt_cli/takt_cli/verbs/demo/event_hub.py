"""Gives the lines of a running program to any number of pages, each at its own pace."""

from __future__ import annotations

import threading
from collections import deque

# Of each page: 10 s of frames that it has not read yet. Then it loses the oldest ones.
_MOST_WAITING = 200
# A page that comes later is shown the last 30 s.
_KEPT_FRAMES = 600
_KEPT_OTHERS = 100


class Listener:
    """The lines for one page. The hub fills it; one thread takes them."""

    def __init__(self, changed: threading.Condition, earlier: list[tuple[bool, str]]) -> None:
        self._changed = changed
        self._waiting = deque(earlier)
        self._most = _MOST_WAITING + len(earlier)
        self.dropped = 0
        self.closed = False

    def add(self, is_frame: bool, line: str) -> None:
        """Take a line. Called with the hub's lock."""
        if len(self._waiting) >= self._most:
            oldest = next((one for one in self._waiting if one[0]), None)
            self._waiting.remove(oldest) if oldest else self._waiting.popleft()
            self.dropped += 1
        self._waiting.append((is_frame, line))

    def take(self, timeout_s: float) -> list[str] | None:
        """Wait for lines, and give all. None: no more lines will come. Empty: none came."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self.closed, timeout_s)
            lines = [line for _, line in self._waiting]
            self._waiting.clear()
            self._most = _MOST_WAITING
            return lines if lines or not self.closed else None


class EventHub:
    """Any thread. A frame may be lost on the way to a slow page; lines of other kinds are not.

    A page that comes later gets the lines that are kept. Those of the kind `refused` are not: each
    answers a page that was there.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._listeners: set[Listener] = set()
        self._kept: deque[tuple[bool, str]] = deque()
        self._closed = False

    def publish(self, kind: str, line: str) -> None:
        """Give a line to all pages. Does not wait for them."""
        is_frame = kind == "frame"
        with self._changed:
            if kind != "refused":
                self._keep(is_frame, line)
            for listener in self._listeners:
                listener.add(is_frame, line)
            self._changed.notify_all()

    def _keep(self, is_frame: bool, line: str) -> None:
        most = _KEPT_FRAMES if is_frame else _KEPT_OTHERS
        if sum(one[0] == is_frame for one in self._kept) >= most:
            # Few lines of another kind stand before it.
            self._kept.remove(next(one for one in self._kept if one[0] == is_frame))
        self._kept.append((is_frame, line))

    def listen(self) -> Listener:
        """Begin with the lines that are kept."""
        with self._changed:
            listener = Listener(self._changed, list(self._kept))
            listener.closed = self._closed
            self._listeners.add(listener)
            return listener

    def leave(self, listener: Listener) -> None:
        """End a listener."""
        with self._changed:
            self._listeners.discard(listener)
            self._changed.notify_all()

    def close(self, patience_s: float) -> None:
        """Let all pages take what waits for them, and end; returns when they left, or later."""
        with self._changed:
            self._closed = True
            for listener in self._listeners:
                listener.closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._listeners, patience_s)

    @property
    def listeners(self) -> int:
        """The number of pages."""
        with self._changed:
            return len(self._listeners)
