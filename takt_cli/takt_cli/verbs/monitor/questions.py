"""The action `ask`: shows an alarm on the terminal with numbered choices, and reads the answer.

The loop reads the terminal only when it has a line, so it never waits for one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from takt_cli.verbs.monitor.alarm import AlarmKey
from takt_cli.verbs.monitor.watched import Watched

MOST_OPEN = 16
_MOST_LINE = 1000


@dataclass(frozen=True)
class Choice:
    """One answer, and the function that carries it out."""

    words: str
    chosen: Callable[[], None]


@dataclass(frozen=True)
class Question:
    """An alarm that waits for an answer."""

    process: Watched
    alarm: AlarmKey
    words: str
    choices: tuple[Choice, ...]


class Questions:
    """Shows one question after the other."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._open: deque[Question] = deque()
        self._terminal = -1  # opened with the first question

    def possible(self) -> bool:
        """Whether a user at a terminal can answer: not if the shell runs this in the background."""
        with contextlib.suppress(OSError, ValueError):
            terminal = sys.stdin.fileno()
            return (
                os.isatty(terminal)
                and os.isatty(sys.stdout.fileno())
                and os.tcgetpgrp(terminal) == os.getpgrp()
            )
        return False

    def ask(self, question: Question) -> bool:
        """Ask after the earlier questions were answered; False: it cannot be asked."""
        if len(self._open) >= MOST_OPEN:
            return False
        if self._terminal < 0:
            # A separate file does not wait: Ctrl-C removes lines that were there. Standard input
            # itself must wait, because the shell reads it, too.
            how = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            try:
                self._terminal = os.open(os.ttyname(sys.stdin.fileno()), how)
            except OSError:
                return False
            asyncio.get_running_loop().add_reader(self._terminal, self._read)
        self._open.append(question)
        if len(self._open) == 1:
            self._present()
        return True

    def withdraw(self, process: Watched, alarm: AlarmKey | None = None) -> None:
        """Withdraw questions about an alarm that has ended, or about a process that has ended."""
        first = self._open[0] if self._open else None
        self._open = deque(
            one
            for one in self._open
            if one.process is not process or (alarm is not None and one.alarm != alarm)
        )
        if first is not None and (not self._open or self._open[0] is not first):
            self._show("the question above needs no answer any more")
            self._present()

    def close(self) -> None:
        """Ask no further questions."""
        self._open.clear()
        if self._terminal >= 0:
            asyncio.get_running_loop().remove_reader(self._terminal)
            os.close(self._terminal)
            self._terminal = -1

    def _present(self) -> None:
        if self._open:
            one = self._open[0]
            how = "type a number and press Enter"
            self._show("\n".join([f"? {one.words}; {how}", *numbered(one.choices)]))

    def _read(self) -> None:
        if not self.possible():  # reading would stop a program in the background
            self.close()
            return
        try:
            line = os.read(self._terminal, _MOST_LINE)
        except BlockingIOError:
            return
        except OSError:
            line = b""
        if not line:  # the user closed it
            self.close()
            return
        if self._open:
            self.answer(line.decode("utf-8", "replace").strip())

    def answer(self, text: str) -> None:
        """Take an answer to the present question."""
        if not self._open:
            return
        one = self._open[0]
        if not text.isdecimal() or not 1 <= int(text) <= len(one.choices):
            self._show(f"type a number from 1 to {len(one.choices)} and press Enter")
            return
        self._open.popleft()
        one.choices[int(text) - 1].chosen()
        self._present()


def numbered(choices: Sequence[Choice]) -> list[str]:
    """Give a line for each choice."""
    return [f"  {number}  {one.words}" for number, one in enumerate(choices, start=1)]
