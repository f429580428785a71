"""The callbacks of a program from the report of `takt exec --audit`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.errors import TaktError
from takt_cli.documents.document import DamagedError, Document


class Object(Document, at="exec_report#audited_object"):
    """An object to which a callback's function refers."""


class Side(Document, at="exec_report#race_side"):
    """One access of a race."""


class Race(Document, at="exec_report#race"):
    """A data race of the run."""

    first: Side
    second: Side


class Callback(Document, at="exec_report#audited_callback"):
    """A callback with its objects and its code."""

    objects: tuple[Object, ...]


class Process(Document, at="exec_report#audited_process"):
    """A process of the run."""

    callbacks: tuple[Callback, ...]
    races: tuple[Race, ...]

    def callback(self, id_: str) -> Callback | None:
        """Find a callback."""
        return next((one for one in self.callbacks if one.id == id_), None)


class Executor(Document, at="exec_report#executor"):
    """An executor of rclcpp that takt adopted."""


class Report(Document, at="exec_report"):
    """The report of a run."""

    executors: tuple[Executor, ...]
    audit: tuple[Process, ...]


@dataclass(frozen=True)
class Program:
    """The executors as takt_audit reads them, each with its process."""

    executors: list[dict[str, Any]]
    processes: list[Process]


def read_program(path: Path) -> Program:
    """Read a report; TaktError where it is none, or was made without --audit."""
    try:
        report = Report.read(json.loads(path.read_text(encoding="utf-8")))
    except (json.JSONDecodeError, UnicodeDecodeError, DamagedError) as error:
        raise TaktError(f"{path} is not a report of takt exec: {error}") from error
    if not report.audit:
        raise TaktError(
            f"{path} has no callbacks that were audited",
            hint="make it with: takt exec --audit --report FILE -- PROGRAM",
        )
    program = Program([], [])
    for executor, process in [*_adopted(report), *_of_takt_rcl(report)]:
        program.executors.append(executor)
        program.processes.append(process)
    return program


def _adopted(report: Report) -> Iterator[tuple[dict[str, Any], Process]]:
    """Give executors of rclcpp: the report knows of which kind each was before takt."""
    for executor in report.executors:
        process = next((one for one in report.audit if one.pid == executor.pid), None)
        if process is None:
            continue
        many = executor.kind == "multi_threaded" or (
            executor.kind == "takt" and len(executor.threads) > 1
        )
        callbacks = [
            {
                "id": one.id,
                "kind": one.kind,
                "group": one.group,
                "reentrant": not one.exclusive_group,
            }
            for one in executor.callbacks
            if not one.background
        ]
        yield (
            {
                "name": executor.executor,
                "before": "in_groups" if many else "one_at_a_time",
                "library": "takt_rcl" if executor.kind == "takt" else "rclcpp",
                "callbacks": callbacks,
            },
            process,
        )


def _of_takt_rcl(report: Report) -> Iterator[tuple[dict[str, Any], Process]]:
    """Give executors of takt_rcl: one that ran under a schedule has threads of that schedule."""
    adopted = {(one.pid, callback.id) for one in report.executors for callback in one.callbacks}
    for process in report.audit:
        for place, executor in enumerate(process.executors):
            callbacks = [
                {
                    "id": one.id,
                    "kind": one.kind,
                    "group": one.group,
                    "reentrant": one.reentrant,
                }
                for one in process.callbacks
                if one.executor == place
                and not one.background
                and (process.pid, one.id) not in adopted
            ]
            if callbacks:
                many = executor.threads > 1 and not executor.scheduled
                yield (
                    {
                        "name": executor.name,
                        "before": "in_groups" if many else "one_at_a_time",
                        "library": "takt_rcl",
                        "callbacks": callbacks,
                    },
                    process,
                )
