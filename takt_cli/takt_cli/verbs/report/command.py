"""`takt report`: a page from saved results, or from the traces of one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.console import err, out
from takt_cli.base.errors import TaktError
from takt_cli.files.inputs import missing, refuse_irregular
from takt_cli.files.other_traces import refuse_other_trace
from takt_cli.files.outputs import check_file, refuse_inputs, refuse_replacing
from takt_cli.pages.page import write_report
from takt_cli.pages.study import Study
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import load_complete_results
from takt_cli.results.run_results import Results
from takt_cli.running.host import this_host
from takt_cli.tables.comparison import chain_comparison, comparison_table
from takt_cli.verbs.options import Force
from takt_cli.verbs.report import guard_page
from takt_cli.verbs.report.trace_page import write_trace_page
from takt_cli.verbs.report.trace_report import is_trace, report_of
from takt_cli.verbs.report.trace_verdict import verdict
from takt_cli.verbs.report.trace_words import warnings

_TITLE = "takt: runs side by side"


def command(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Files that `takt run --output` wrote, traces of one run that `takt trace` "
            "wrote, or the report that `takt exec --guard --report` wrote."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The page to write.",
            show_default="report.html, or the next free one of report-2.html ...",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(help="Title of the page.", show_default=f"{_TITLE}; of a trace, its programs"),
    ] = None,
    force: Force = False,
) -> None:
    """Build a self-contained HTML page from saved results, or from a trace."""
    if output is None:
        output = _unused()
    traced = _are_traces(results)
    for path in results:
        refuse_inputs({"--output": output}, {"trace" if traced else "result": path})
    refuse_replacing(output, force)
    check_file(output)
    named = ["--title", title] if title is not None else []
    command = command_line("report", *map(str, results), *named, "-o", str(output))
    if len(results) == 1 and guard_page.is_exec_report(results[0]):
        guarded = guard_page.read_guarded(results[0])
        guard_page.write_guard_page(guarded, output, command, title)
        for words in guard_page.verdict(guarded):
            out().print(words, markup=False, soft_wrap=True)
    elif traced:
        report = report_of(results)
        write_trace_page(report, output, command, title)
        for sentence in verdict(report):
            out().print(sentence, markup=False, soft_wrap=True)
        for warning in warnings(report):
            err().print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    else:
        write_report(_study_of(results, command, title or _TITLE), output)
    out().print(f"Report: {output.resolve()}", markup=False, soft_wrap=True)


def _are_traces(files: Sequence[Path]) -> bool:
    """Whether all of the files are traces; refuses both kinds side by side."""
    traces = [path for path in files if is_trace(path)]
    others = [path for path in files if path not in traces]
    for path in others:
        refuse_other_trace(path)
    if traces and others:
        if others[0].exists():
            raise TaktError(
                f"{traces[0]} is a trace, but {others[0]} is not; build a page of each kind of file"
            )
        refuse_irregular(others[0], "trace")
        raise missing(others[0])
    return bool(traces)


def _study_of(results: Sequence[Path], command: str, title: str) -> Study:
    configurations = name_all(results, [load_complete_results(path) for path in results])
    return Study(
        kind="results",
        title=title,
        command=command,
        host=this_host(),
        configurations=configurations,
        tables=[
            comparison_table(configurations, "Comparison"),
            chain_comparison(configurations, "Chains (response in ms)"),
        ],
        explanations=["The machine named above is the one that built this page."],
    )


def _unused() -> Path:
    names = ("report.html", *(f"report-{number}.html" for number in range(2, 10_000)))
    return next(path for path in map(Path, names) if not path.exists())


def name_all(paths: Sequence[Path], results: Sequence[Results]) -> list[Configuration]:
    """Name each run by its label or file; equal names get numbers."""
    names: dict[str, int] = {}
    configurations = []
    for path, result in zip(paths, results, strict=True):
        name = result.label or path.stem
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name = f"{name} #{names[name]}"
        configurations.append(Configuration(name, result))
    return configurations
