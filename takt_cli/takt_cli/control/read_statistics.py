"""Reads the statistics of a process's executors.

A process is not trusted: a field of the wrong kind makes the whole answer unusable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from takt_cli.control.client import Peer, ask
from takt_cli.control.frames import Message, NoAnswer
from takt_cli.control.statistics import Executor, ProcessStatistics
from takt_cli.control.told import read_answer
from takt_cli.documents.schema import version


def ask_statistics(socket: Path, number: int, timeout_s: float) -> ProcessStatistics:
    """Ask a process for its statistics; `number`: that in its socket's name.

    Raises Gone, NoAnswer or Refused.
    """
    peer, data = ask(socket, Message.statistics, {}, timeout_s)
    return read_statistics(data, peer, number)


def read_statistics(data: Mapping[str, Any], peer: Peer, number: int) -> ProcessStatistics:
    """Read the answer to `statistics`; the kernel's number of the process counts.

    `number`: that in the name of its socket, for a process without a number from the kernel.
    """
    known, told = version("statistics"), data.get("schema", 0)
    if isinstance(told, int) and told != known:
        raise NoAnswer(
            f"tells figures of version {told}, and this command reads version {known}; use "
            "the takt command that belongs to its libraries"
        )
    found = read_answer(ProcessStatistics, {**data, "pid": peer.pid or number})
    return replace(found, executors=_with_chains(found.executors))


def _with_chains(executors: tuple[Executor, ...]) -> tuple[Executor, ...]:
    """Move each chain to the executor that has its last callback."""
    here = {name for one in executors for callback in one.callbacks for name in callback.names}
    found = []
    for executor in executors:
        own = {name for callback in executor.callbacks for name in callback.names}
        chains = [
            replace(one, elsewhere=tuple(id_ for id_ in one.path if id_ not in here))
            for one in executor.chains
        ]
        ending = tuple(one for one in chains if not one.path or one.path[-1] in own)
        passing = tuple(one.name for one in chains if one not in ending)
        found.append(replace(executor, chains=ending, passing=passing))
    return tuple(found)
