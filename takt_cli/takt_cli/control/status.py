"""The status of a process's executors and threads, as typed records.

A process is not trusted: a field of the wrong kind makes the whole answer unusable. Control
characters for terminals are removed from texts.
"""

from __future__ import annotations

import pwd
from collections.abc import Mapping
from typing import Any

from takt_cli.control.attributes import Attributes as Attributes
from takt_cli.control.client import Peer
from takt_cli.control.told import read_answer
from takt_cli.documents.document import Document, as_json
from takt_cli.results.phase_state import PhaseState as PhaseState


class Thread(Document, at="status#thread"):
    """A thread of an executor."""

    @property
    def runs(self) -> bool:
        """Tell whether the kernel has the thread now."""
        return self.tid != 0 and self.now.policy != "inherit"


class NonTriggering(Document, at="status#non_triggering"):
    """The callbacks that take the messages of one that does not trigger; what they leave out."""


class Sequence(Document, at="status#sequence"):
    """A callback's place in a sequence of its executor."""


class When(Document, at="status#when"):
    """The condition of a group."""


class Let(Document, at="status#let"):
    """The logical execution time of a group, and how often its runs were late."""


class Callback(Document, at="status#callback"):
    """A callback of an executor."""


class Chain(Document, at="status#chain"):
    """A chain that an executor knows."""


class SetValue(Document, at="status#set_value"):
    """A value that `takt set` or the monitor has changed after the schedule."""

    def __str__(self) -> str:
        return f"{self.what}: {self.value} {_spelled(self.before)} -> {_spelled(self.now)}"


class Executor(Document, at="status#executor"):
    """An executor of a process."""


class ProcessThread(Document, at="status#process_thread"):
    """A thread outside of executors; with requested attributes it has `granted` and faults."""


class ProcessStatus(Document, at="status"):
    """The whole status; the kernel names `pid` and `user`."""

    @property
    def name(self) -> str:
        """The name of its program without the folders."""
        return self.program.rpartition("/")[2] or "?"


class Part(Document, at="change#part"):
    """The result for one entry of a schedule."""


class Change(Document, at="change#executor"):
    """The result of a schedule in one executor."""

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return as_json(self)


class Changes(Document, at="change"):
    """The results of a schedule in all executors."""


def read_process(data: Mapping[str, Any], peer: Peer, number: int) -> ProcessStatus:
    """Read the answer to `status`; the kernel names number and user.

    `number`: that in the name of its socket, for a process without a number from the kernel.
    """
    return read_answer(ProcessStatus, {**data, "pid": peer.pid or number, "user": _user(peer.uid)})


def read_changes(data: Mapping[str, Any]) -> tuple[Change, ...]:
    """Read the answer to `apply` or `reset`."""
    return read_answer(Changes, data).executors


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _spelled(value: int | tuple[str, ...] | None) -> str:
    """Write a number, nothing, or a list of names as a user writes it."""
    if isinstance(value, tuple):
        return ",".join(value)
    return "none" if value is None else str(value)
