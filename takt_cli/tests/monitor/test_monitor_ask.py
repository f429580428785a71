"""The action `ask` of `takt monitor`: a terminal with numbered choices."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from support.fake_alarms import PATIENCE_S, alarm, wait_for
from takt_cli.verbs.monitor.questions import MOST_OPEN, Choice, Question, Questions

ASK = [{"log": True}, {"ask": True}]


class Terminal:
    """A monitor at a terminal of its own."""

    def __init__(self, *arguments):
        self._terminal, other = pty.openpty()
        command = [sys.executable, "-m", "takt_cli", "monitor", "--no-ros", *arguments]
        # The terminal controls the program, as one that a user sits at does.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command], stdin=other, stdout=other, stderr=other
        )
        os.close(other)
        self.text, self._bytes = "", b""

    def heard(self, part, number=1):
        """Read until the words were shown so often."""
        deadline = time.monotonic() + PATIENCE_S
        while self.text.count(part) < number:
            assert time.monotonic() < deadline, f"{part!r} is not in {self.text!r}"
            assert self._read(), f"{part!r} is not in {self.text!r}"

    def type(self, text):
        """Type a line."""
        os.write(self._terminal, f"{text}\n".encode())

    def end(self):
        """Press Ctrl-C, and give the exit code."""
        os.write(self._terminal, b"\x03")
        return self.finished()

    def finished(self):
        """Read to the end."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read():
            assert time.monotonic() < deadline, self.text
        return self.process.wait(PATIENCE_S)

    def close(self):
        """End it, however it goes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._terminal)

    def _read(self):
        """Read what is there; False at the end."""
        if not select.select([self._terminal], [], [], 0.1)[0]:
            return True
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self._bytes += data
        self.text = self._bytes.decode(errors="ignore")  # its end may be cut
        return bool(data)


@pytest.fixture
def terminal(folder):
    shown = Terminal()
    yield shown
    shown.close()


def test_an_answer_is_carried_out_and_the_loop_goes_on(one, terminal, folder):
    terminal.heard("is watched")
    wait_for(lambda: one.counts.get(17, 0) >= 2)  # it has read the first answer
    one.push(alarm(1, actions=ASK))
    terminal.heard("  1  acknowledge")
    terminal.heard("  2  raise the priority of chain hot_path from 10 to 20 until it is over")
    terminal.heard("  3  trace snapshot")
    one.push(alarm(2, kind="lost", actions=ASK))  # meanwhile
    terminal.heard("lost of chain hot_path")
    terminal.type("seven")
    terminal.heard("type a number from 1 to 3 and press Enter")
    terminal.type("2")
    wait_for(lambda: one.value() == 20)
    terminal.heard("1  acknowledge", 2)  # the next question
    terminal.type("3")
    terminal.heard("snapshot is in")
    one.push(alarm(3, "cleared"))
    wait_for(lambda: one.value() == 10)
    one.push(alarm(4, kind="age", actions=ASK))
    terminal.heard("1  acknowledge", 3)
    one.push(alarm(5, "cleared", kind="age"))
    terminal.heard("the question above needs no answer any more")
    one.push(alarm(6, kind="age", actions=ASK))
    terminal.heard("1  acknowledge", 4)
    terminal.type("1")
    assert terminal.end() == 0
    assert re.search(r"takt monitor ends\s*$", terminal.text), terminal.text


def test_questions_are_bounded_and_those_of_an_ended_process_are_withdrawn(monkeypatch):
    shown, chosen = [], []
    questions = Questions(shown.append)
    monkeypatch.setattr(
        "takt_cli.verbs.monitor.questions.asyncio.get_running_loop",
        lambda: SimpleNamespace(add_reader=lambda *_: None, remove_reader=lambda *_: None),
    )
    terminal, other = pty.openpty()
    stdin = SimpleNamespace(fileno=lambda: other)
    monkeypatch.setattr("takt_cli.verbs.monitor.questions.sys.stdin", stdin)
    processes = [SimpleNamespace(), SimpleNamespace()]

    def ask(number):
        key = ("main", "", "", "", str(number))
        choices = (Choice("do", lambda: chosen.append(number)),)
        return questions.ask(Question(processes[number % 2], key, f"q{number}", choices))

    assert [ask(number) for number in range(MOST_OPEN + 1)] == [True] * MOST_OPEN + [False]
    assert shown == ["? q0; type a number and press Enter\n  1  do"]
    questions.withdraw(processes[0])
    assert shown[-1] == "? q1; type a number and press Enter\n  1  do"
    for _ in range(MOST_OPEN):
        questions.answer("1")
    questions.close()
    os.close(terminal)
    os.close(other)
    assert chosen == [number for number in range(MOST_OPEN) if number % 2]
