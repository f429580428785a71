"""The guard of programs that takt starts: their environment, and the report at the end."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from takt_cli.base.processes import run_json, run_program, start
from takt_cli.base.programs import find_program

PROGRAM = ("takt_exec", "takt_rclcpp")
# The guard writes its account while callbacks run: into memory, not onto a disk.
_MEMORY = Path("/dev/shm")
_JUDGE_ENDS_S = 10.0


@dataclass(frozen=True)
class GuardOptions:
    """Which callbacks the guard watches, and what it leaves out."""

    threads: str  # rt: callbacks on real-time threads; all: on all threads
    ignore: Path | None = None

    def words(self) -> list[str]:
        """Spell the options of takt_exec."""
        words = [f"--guard={self.threads}"]
        if self.ignore is not None:
            words += ["--guard-ignore", str(self.ignore)]
        return words


class Judge:
    """Keeps events of the ignore list from raising alarms, while programs run.

    The kernel ends it with the calling thread.
    """

    def __init__(self, program: Path, options: Sequence[str], folder: str) -> None:
        words = [str(program), "--judge", *options, folder]
        self._process = start(words, input=subprocess.PIPE)

    def end(self) -> None:
        """End it; no program runs any more."""
        try:
            self._process.communicate(timeout=_JUDGE_ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # it has nothing to keep
            self._process.wait()


class Guard:
    """Has the folder of the guard's accounts, which the end of the `with` block removes."""

    def __init__(self, options: GuardOptions) -> None:
        self._options = options
        self._temporary = tempfile.TemporaryDirectory(
            prefix="takt-guard-", dir=memory_folder(), ignore_cleanup_errors=True
        )
        self.folder = self._temporary.name
        self._judge: Judge | None = None

    def __enter__(self) -> Guard:
        """Keep the folder for the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it."""
        if self._judge is not None:
            self._judge.end()
        self._temporary.cleanup()

    def environment(self) -> Mapping[str, str]:
        """Give the environment in which a program, with all that it starts, is guarded."""
        words = ["--environment", *self._options.words(), "--children", self.folder]
        changes = run_json(find_program(*PROGRAM), words)
        if self._options.ignore is not None and self._judge is None:
            self._judge = Judge(find_program(*PROGRAM), self._options.words(), self.folder)
        kept = {name: value for name, value in os.environ.items() if name not in changes}
        return {**kept, **{name: value for name, value in changes.items() if value is not None}}

    def report(self, file: Path | None = None) -> str:
        """Give the tables of the ended programs, or write all to `file` as JSON."""
        words: Sequence[str] = ["--report", str(file.absolute()), "--force"] if file else []
        done = run_program(
            find_program(*PROGRAM), ["--join", *self._options.words(), *words, self.folder]
        )
        return done.stderr


def memory_folder() -> Path | None:
    """Name the folder for folders of accounts: in memory where there is such a file system."""
    return _MEMORY if os.access(_MEMORY, os.W_OK) else None
