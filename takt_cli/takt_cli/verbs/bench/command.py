"""`takt bench`: finds the benchmark programs, runs them and shows one table."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from takt_cli.base.console import err, note, out, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.verbs.bench.programs import find_benchmarks, run_benchmark
from takt_cli.verbs.bench.table import bench_table
from takt_cli.verbs.options import Json, duration_ns


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
        built = find_benchmarks()
        if built and names:
            words = f"no benchmark program has a name that contains {' or '.join(names)}"
            raise TaktError(words, hint="`takt bench --list` lists them")
        raise TaktError("no benchmark program is built", hint="run `make build` first")
    if list_programs:
        if json_output:
            print_json([str(program) for program in programs])
        else:
            out().print("\n".join(str(p) for p in programs), markup=False, soft_wrap=True)
        return
    outcomes = {}
    for number, program in enumerate(programs, start=1):
        note(f"{number}/{len(programs)} {program.name}")
        with err().status(program.name):
            outcomes[program.name] = run_benchmark(program, only, least_ns)
    if only and not any(one.measured.get("benchmarks") for one in outcomes.values()):
        raise TaktError(f"no benchmark matches --only '{only}'")
    if json_output:
        print_json({name: one.as_json() for name, one in outcomes.items()})
    else:
        for name, outcome in outcomes.items():
            table = bench_table(name, outcome)
            if table.rows:
                table.print_to(out())
    if any(one.code for one in outcomes.values()):
        raise typer.Exit(EXIT_FAILED)
