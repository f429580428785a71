"""`takt bench`: finds the benchmark programs, runs them and shows one table."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from takt_cli.base.console import err, note, out, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import last_lines, run_program
from takt_cli.base.programs import build_directories, prefixes
from takt_cli.base.units import NS_PER_S, human
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.options import Json, duration_ns

_PATIENCE_S = 24 * 3600
_TO_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
# Exit codes of takt's benchmarks: every limit was met, some was not, some could not be judged.
_MET, _MISSED, _NOT_JUDGED = 0, 1, 3
_PLAIN_KEYS = frozenset(
    "name run_name run_type family_index per_family_instance_index repetitions repetition_index "
    "threads iterations real_time cpu_time time_unit aggregate_name aggregate_unit".split()
)


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Only programs whose name contains one of these.", show_default="all"),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Only benchmarks that match this regular expression.", show_default="all"
        ),
    ] = None,
    min_time: Annotated[
        str | None,
        typer.Option(
            help="Least time per benchmark, as in 0.1s.", show_default="the benchmark's own"
        ),
    ] = None,
    list_programs: Annotated[bool, typer.Option("--list", help="Only list the programs.")] = False,
    json_output: Json = False,
) -> None:
    """Run the benchmarks that are built, and print their results."""
    if only:
        try:
            re.compile(only)
        except re.error as error:
            raise TaktError(f"--only: '{only}' is not a regular expression: {error}") from error
    least_ns = None if min_time is None else duration_ns(min_time, "--min-time", "1ms")
    programs = [p for p in find_benchmarks() if not names or any(n in p.name for n in names)]
    if not programs:
        wanted = f" whose name contains {' or '.join(names)}" if names else ""
        raise TaktError(f"no benchmark program{wanted} is built", hint="run `make build` first")
    if list_programs:
        if json_output:
            print_json([str(program) for program in programs])
        else:
            out().print("\n".join(str(p) for p in programs), markup=False, soft_wrap=True)
        return
    results = {}
    for number, program in enumerate(programs, start=1):
        note(f"{number}/{len(programs)} {program.name}")
        with err().status(program.name):
            results[program.name] = run_benchmark(program, only, least_ns)
    if only and not any(result.get("benchmarks") for result in results.values()):
        raise TaktError(f"no benchmark matches --only '{only}'")
    if json_output:
        print_json(results)
    else:
        for name, result in results.items():
            table = bench_table(name, result)
            if table.rows:
                table.print_to(out())
    if any(result["takt"]["code"] for result in results.values()):
        raise typer.Exit(EXIT_FAILED)


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


def run_benchmark(program: Path, only: str | None, least_ns: int | None) -> Mapping[str, Any]:
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
                return {"benchmarks": [], "takt": {"code": 0, "limits": []}}
            result: dict[str, Any] = json.loads(text)
            limits = json.loads(done.stdout)["limits"]
        except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
            words = last_lines(done.stdout + done.stderr, 6)
            raise TaktError(f"{program.name} failed:\n{words}", code=EXIT_FAILED) from error
    return {**result, "takt": {"code": done.code, "limits": limits}}


def bench_table(name: str, result: Mapping[str, Any]) -> Table:
    """One row per benchmark, counters of any name as columns."""
    runs = repeated_once(result.get("benchmarks", ()))
    counters = sorted({key for run in runs for key in run if key not in _PLAIN_KEYS})
    numeric = [key for key in counters if any(isinstance(r.get(key), int | float) for r in runs)]
    table = Table(name, ["benchmark", "time", "CPU", *numeric])
    table.notes.extend(map(limit_words, result.get("takt", {}).get("limits", ())))
    for run in runs:
        factor = _TO_NS.get(str(run.get("time_unit", "ns")), 1.0)
        if run.get("error_occurred"):
            table.add(str(run["name"]), Cell("failed", "bad"), "", *[""] * len(numeric))
            table.notes.append(f"{run['name']}: {run.get('error_message', '')}")
            continue
        values = [run.get(key) for key in numeric]
        table.add(
            str(run.get("run_name", run["name"])),
            human(float(run.get("real_time", 0)) * factor),
            human(float(run.get("cpu_time", 0)) * factor),
            *("" if v is None or isinstance(v, bool | str) else f"{v:,.4g}" for v in values),
        )
    return table


def limit_words(limit: Mapping[str, Any]) -> str:
    """Say one limit and whether it was met: 'to start one: 3.50 × (at most 5.00 ×), met'."""
    if limit["verdict"] == "not measured":
        return f"{limit['claim']}: not measured"
    if limit["unit"] == "ns":
        value, most = human(float(limit["value"])), human(float(limit["limit"]))
    else:
        value, most = (f"{float(limit[key]):.2f} ×" for key in ("value", "limit"))
    return f"{limit['claim']}: {value} (at most {most}), {limit['verdict']}"


def repeated_once(runs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Take the median of repeated benchmarks, and single ones as they are."""
    medians = [run for run in runs if run.get("aggregate_name") == "median"]
    done = {run.get("run_name") for run in medians}
    single = [
        run
        for run in runs
        if run.get("run_type") != "aggregate" and run.get("run_name") not in done
    ]
    return [*medians, *single]
