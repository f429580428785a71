"""Asks takt_oracle for the schedule of executors without overhead on these cores."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import last_lines, run_program
from takt_cli.base.programs import share_directories, source_root
from takt_cli.documents.document import Document
from takt_cli.documents.told import read_told

_PATIENCE_S = 600
# Kernel policies as the oracle names its models of them.
KERNELS = {"other": "fair", "batch": "fair", "fifo": "fifo", "rr": "rr"}


class OracleReport(Document, at="oracle_report"):
    """The figures of one scenario."""


@dataclass(frozen=True)
class Prediction:
    """Steady responses of one chain from its release, in ns."""

    least: int
    most: int
    mean: float


@cache
def oracle_directory() -> Path | None:
    """Where the Python package takt_oracle is; None if nowhere."""
    places = [source_root() / "oracles", *share_directories("takt_bench")]
    return next((place for place in places if (place / "takt_oracle").is_dir()), None)


def three_chains_scenario(
    groups: Sequence[Sequence[int]],
    *,
    threads: int,
    cores: int,
    kernel: str,
    cost_ns: int,
    period_ns: int,
    offsets_ns: Sequence[int] = (0, 0, 0),
) -> dict[str, Any]:
    """Describe three chains of three callbacks to the oracle, one list of numbers per executor."""
    callbacks = []
    for index, numbers in enumerate(groups):
        for number in numbers:
            chain, position = divmod(number - 1, 3)
            callback: dict[str, Any] = {
                "id": f"c{number}",
                "kind": "subscription" if position else "timer",
                "cost_ns": cost_ns,
                "group": f"g{number}",
                "group_type": "mutually_exclusive",
                "executor": index,
                "publishes": [f"t{number}"] if position < 2 else [],
            }
            if position:
                callback |= {"subscribes": f"t{number - 1}", "depth": 1}
            else:
                callback |= {"period_ns": period_ns, "offset_ns": offsets_ns[chain]}
            callbacks.append(callback)
    executor = {"order": "window", "threads": threads, "timers": "snapshot", "poll": "parked"}
    return {
        "callbacks": callbacks,
        "executors": [dict(executor) for _ in groups],
        "horizon_ns": 20 * period_ns,
        "skip": "after",
        "kernel": kernel,
        "cores": cores,
    }


def predict(scenario: Mapping[str, Any]) -> list[Prediction | None]:
    """Steady responses of the three chains; None for one that never completes."""
    report = _ask(scenario)
    result: list[Prediction | None] = []
    for path in ("c1>c2>c3", "c4>c5>c6", "c7>c8>c9"):
        chain = report.chains.get(path)
        steady = chain.steady_from_release_ns if chain else ()
        result.append(
            Prediction(min(steady), max(steady), sum(steady) / len(steady)) if steady else None
        )
    return result


def _ask(scenario: Mapping[str, Any]) -> OracleReport:
    directory = oracle_directory()
    if directory is None:
        raise TaktError("the oracle (oracles/takt_oracle) is missing; run takt in its repository")
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        file = Path(scratch, "scenario.json")
        file.write_text(json.dumps(scenario), encoding="utf-8")
        path = os.pathsep.join([str(directory), os.environ.get("PYTHONPATH", "")])
        done = run_program(
            Path(sys.executable),
            ["-m", "takt_oracle", "run", str(file), "--report", "--json"],
            timeout_s=_PATIENCE_S,
            check=False,
            environment={**os.environ, "PYTHONPATH": path},
        )
    if done.code != 0:
        raise TaktError(f"the oracle failed: {last_lines(done.stderr, 2)}", code=EXIT_FAILED)
    return read_told(OracleReport, json.loads(done.stdout).get(file.stem), "takt_oracle")
