"""Joins the traces of processes in one file, and describes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from takt_cli.base.console import err, out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.units import how_many, human
from takt_cli.control.tracing import Written
from takt_cli.results.trace import TraceSummary
from takt_cli.running.trace import convert
from takt_cli.verbs.trace.table import (
    chain_table,
    dropped_line,
    message_line,
    process_line,
    stall_line,
)
from takt_cli.verbs.trace.target import Format, Target

SCHEMA = 1
_NEXT = {
    Format.takt.value: "`takt report {0}` makes a page of it, and `takt model {0}` a system model",
    Format.ctf.value: "open the folder {} in Trace Compass, or print its events with babeltrace2",
}


def write_collected(
    answers: Sequence[Written], failures: Sequence[str], target: Target, *, interrupted: bool
) -> None:
    """Make one trace from the files, and print its figures."""
    raws = [raw for one in answers for raw in one.parts]
    if not raws:
        ended = bool(answers) and all(one.gone for one in answers)
        why = ": no process traces any more" if ended else "; `takt trace start` begins one"
        raise nothing_done(f"no trace was written{why}", failures, target.as_json)
    try:
        if interrupted:
            raise KeyboardInterrupt
        summary = convert(target.converter, [raw.path for raw in raws], target.output, target.form)
    except (TaktError, KeyboardInterrupt):
        pass_through_errors(lines([*failures, target.kept(raws)]))
        raise
    for raw in raws:
        raw.remove()
    if target.as_json:
        about = {"file": str(target.output), "format": target.form}
        print_json(document(failures, **about, **summary.as_json()))
    else:
        _print(summary, target.output, target.form)
        pass_through_errors(lines(failures))
    if failures:
        raise typer.Exit(EXIT_FAILED)


def _print(summary: TraceSummary, output: Path, form: str) -> None:
    streamed = output.absolute().as_posix().startswith(("/dev/", "/proc/"))
    console = err() if streamed else out()

    def line(words: str, style: str = "") -> None:
        console.print(words, style=style, markup=False, soft_wrap=True)

    span = human(max(0, summary.ended_ns - summary.began_ns))
    line(f"{span} of {how_many(len(summary.processes), 'process')}")
    for process in summary.processes:
        line(process_line(process), "yellow" if process.dropped else "")
    line(message_line(summary))
    if summary.host_stalls is not None:
        line(stall_line(summary.host_stalls))
    if summary.chains:
        chain_table(summary).print_to(console)
    if summary.dropped:
        line(dropped_line(summary), "yellow")
    line(_NEXT.get(form, "open {} at https://ui.perfetto.dev").format(output))


def nothing_done(words: str, failures: Sequence[str], as_json: bool) -> typer.Exit:
    """Explain why there is no trace."""
    if as_json:
        print_json(document(failures, processes=[]))
    else:
        pass_through_errors(lines([*failures, f"takt: {words}"]))
    return typer.Exit(EXIT_FAILED)


def document(failures: Sequence[str], **more: Any) -> dict[str, Any]:
    """Give the document of `--json`."""
    return {"schema": SCHEMA, "ok": not failures, "failures": list(failures), **more}


def lines(sentences: Sequence[str]) -> str:
    """Write a line for each sentence."""
    return "".join(f"{sentence}\n" for sentence in sentences)
