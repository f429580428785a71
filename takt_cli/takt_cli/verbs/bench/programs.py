"""Programs of Google Benchmark that are built, and how one is run."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import last_lines, run_program
from takt_cli.base.programs import build_directories, prefixes
from takt_cli.base.units import NS_PER_S, human
from takt_cli.documents.document import Document, as_json
from takt_cli.documents.told import read_told

_PATIENCE_S = 24 * 3600
# Exit codes of takt's benchmarks: every limit was met, some was not, some could not be judged.
_MET, _MISSED, _NOT_JUDGED = 0, 1, 3


class Limit(Document, at="limits#limit"):
    """A limit, and whether it was met."""

    def __str__(self) -> str:
        """Say it in words: 'to start one: 3.50 × (at most 5.00 ×), met'."""
        if self.verdict == "not measured":
            return f"{self.claim}: not measured"
        value, most = (
            human(one) if self.unit == "ns" else f"{one:.2f} ×" for one in (self.value, self.limit)
        )
        return f"{self.claim}: {value} (at most {most}), {self.verdict}"


class Limits(Document, at="limits"):
    """How a program judged itself."""


@dataclass(frozen=True)
class Outcome:
    """What a program measured, and how it judged itself."""

    measured: Mapping[str, Any]  # the document of Google Benchmark, which has counters of any name
    code: int
    limits: tuple[Limit, ...]

    def as_json(self) -> dict[str, Any]:
        """Give one document with everything."""
        return {**self.measured, "takt": {"code": self.code, "limits": as_json(self.limits)}}


def find_benchmarks() -> list[Path]:
    """Find installed programs first, then built ones; of equal names the first counts."""
    found: dict[str, Path] = {}
    places = [prefix / "lib" / "takt_bench" for prefix in prefixes()]
    places += [d for d in build_directories() if d.name == "takt_bench"]
    for place in places:
        for path in sorted(place.glob("*_benchmark")):
            if path.is_file() and os.access(path, os.X_OK):
                found.setdefault(path.name, path)
    return list(found.values())


def run_benchmark(program: Path, only: str | None, least_ns: int | None) -> Outcome:
    """Run one program of Google Benchmark.

    The program then judges itself by limits, which it prints as JSON on its standard output; exit
    code 1 says that it exceeded a limit.
    """
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        file = Path(scratch, "result.json")
        arguments = ["--json", f"--benchmark_out={file}", "--benchmark_out_format=json"]
        if only:
            arguments.append(f"--benchmark_filter={only}")
        if least_ns is not None:
            # Seconds without a unit: old versions know no other form, new ones still read it.
            arguments.append(f"--benchmark_min_time={least_ns / NS_PER_S:g}")
        done = run_program(program, arguments, timeout_s=_PATIENCE_S, check=False)
        try:
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            if only and not text and done.code in (_MET, _NOT_JUDGED):  # nothing matched
                return Outcome({"benchmarks": []}, 0, ())
            measured = json.loads(text)
            limits = json.loads(done.stdout)
        except (OSError, json.JSONDecodeError) as error:
            words = last_lines(done.stdout + done.stderr, 6)
            raise TaktError(f"{program.name} failed:\n{words}", code=EXIT_FAILED) from error
    return Outcome(measured, done.code, read_told(Limits, limits, program.name).limits)
