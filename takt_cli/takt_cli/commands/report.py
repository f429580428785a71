"""`takt report`: a page from saved results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.console import out
from takt_cli.files.outputs import check_file, refuse_inputs
from takt_cli.report.page import write_report
from takt_cli.report.study import Study, command_line
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import load_complete_results
from takt_cli.results.run_results import Results
from takt_cli.running.host import this_host
from takt_cli.tables.comparison import chain_comparison, comparison_table


def make_report(
    results: Annotated[list[Path], typer.Argument(help="Files that `takt run --output` wrote.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The page to write.",
            show_default="report.html, or the next free one of report-2.html ...",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "takt: runs side by side",
) -> None:
    """Build a self-contained HTML page from saved results."""
    if output is None:
        output = _unused()
    for path in results:
        refuse_inputs({"--output": output}, {"result": path})
    check_file(output)
    configurations = name_all(results, [load_complete_results(path) for path in results])
    study = Study(
        kind="results",
        title=title,
        command=command_line("report", *map(str, results), "-o", str(output)),
        host=this_host(),
        configurations=configurations,
        tables=[
            comparison_table(configurations, "Comparison"),
            chain_comparison(configurations, "Chains (response in ms)"),
        ],
        explanations=["The machine named above is the one that built this page."],
    )
    write_report(study, output)
    out().print(f"Report: {output.resolve()}", markup=False, soft_wrap=True)


def _unused() -> Path:
    names = ("report.html", *(f"report-{number}.html" for number in range(2, 10_000)))
    return next(path for path in map(Path, names) if not path.exists())


def name_all(paths: Sequence[Path], results: Sequence[Results]) -> list[Configuration]:
    """Name each run by its label or file; twice the same name gets a number."""
    names: dict[str, int] = {}
    configurations = []
    for path, result in zip(paths, results, strict=True):
        name = result.label or path.stem
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name = f"{name} #{names[name]}"
        configurations.append(Configuration(name, result))
    return configurations
