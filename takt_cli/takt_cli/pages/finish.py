"""Shows a study: on the terminal, as JSON, and as files that stay."""

from __future__ import annotations

import json
from pathlib import Path

from takt_cli.base.console import err, out, print_json
from takt_cli.files.outputs import write_text
from takt_cli.pages.study import Study
from takt_cli.results.configuration import warnings_of


def finish(
    study: Study, directory: Path, json_output: bool, tables_shown: int | None = None
) -> None:
    """Write report, plots and summary, print (the first) tables and sentences, name the report."""
    # Loaded here: building pages is slow to import and most commands never do.
    from takt_cli.pages.page import write_report
    from takt_cli.pages.svg import file_name, has_lines_only, picture

    directory.mkdir(parents=True, exist_ok=True)
    report = directory / "report.html"
    write_report(study, report)
    for title, figure in study.figures:
        if has_lines_only(figure):
            write_text(directory / file_name(title), picture(title, figure))
    summary = {**study.to_json(), "report": str(report), "results": str(directory)}
    write_text(directory / "summary.json", json.dumps(summary, indent=2, ensure_ascii=False))
    if json_output:
        print_json(summary)
        return
    print_study(study, tables_shown)
    out().print()
    if any(c.records for c in study.configurations):
        out().print(
            f"Raw data: {directory.resolve()} (samples in *.json, each run of a callback in "
            "*.records.json)",
            markup=False,
            soft_wrap=True,
        )
    out().print(f"Report: {report.resolve()}", markup=False, soft_wrap=True)


def print_study(study: Study, tables_shown: int | None = None) -> None:
    """Tables, then the sentences about them."""
    console = out()
    for table in study.tables[:tables_shown]:
        table.print_to(console)
    console.print()
    for sentence in study.sentences:
        console.print(sentence, markup=False)
    for warning in warnings_of(study.configurations):
        err().print(f"warning: {warning}", style="yellow", markup=False)
