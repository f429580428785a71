"""Collects the executors of processes over a time, in which they start and end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from takt_cli.base.units import how_many
from takt_cli.control.processes import Process
from takt_cli.control.status import Executor, ProcessStatus


class Collection:
    """All observed processes, with all callbacks that each of them ever had."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int, int], ProcessStatus] = {}
        self._living: set[tuple[str, int, int]] = set()

    def add(self, processes: Iterable[Process]) -> None:
        """Add one reading of all processes."""
        self._living = set()
        for process in processes:
            status = process.status
            key = (status.program, status.pid, status.started)
            before = self._seen.get(key)
            self._seen[key] = status if before is None else _merged(before, status)
            self._living.add(key)

    def processes(self) -> list[ProcessStatus]:
        """Give those with executors; for a restarted program only the last start."""
        kept = []
        for key, status in self._seen.items():
            names = {executor.name for executor in status.executors}
            later = [other for other in self._seen if other not in (key,) and other[0] == key[0]]
            replaced = key not in self._living and any(
                names & {executor.name for executor in self._seen[other].executors}
                for other in later
                if other[2] > key[2]
            )
            if names and not replaced:
                kept.append(status)
        return sorted(kept, key=lambda status: (status.name, status.pid))

    def sentence(self) -> str:
        """Write the numbers: '2 processes, 3 executors, 41 callbacks'."""
        found = self.processes()
        executors = [executor for status in found for executor in status.executors]
        callbacks = sum(len(executor.callbacks) for executor in executors)
        return (
            f"{how_many(len(found), 'process')}, "
            f"{how_many(len(executors), 'executor')}, "
            f"{how_many(callbacks, 'callback')}"
        )


def _merged(before: ProcessStatus, now: ProcessStatus) -> ProcessStatus:
    executors = {executor.name: executor for executor in before.executors}
    for executor in now.executors:
        old = executors.get(executor.name)
        executors[executor.name] = executor if old is None else _both(old, executor)
    return replace(now, executors=tuple(executors.values()))


def _both(before: Executor, now: Executor) -> Executor:
    # Threads of one isolated group have one name.
    threads = {(one.group, one.name, one.number): one for one in (*before.threads, *now.threads)}
    callbacks = {callback.id: callback for callback in (*before.callbacks, *now.callbacks)}
    chains = {chain.name: chain for chain in (*before.chains, *now.chains)}
    return replace(
        now,
        threads=tuple(threads.values()),
        callbacks=tuple(callbacks.values()),
        chains=tuple(chains.values()),
    )
