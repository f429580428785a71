"""`takt reset`: running processes as they were before schedules were applied to them."""

from __future__ import annotations

from typing import Any

import typer

from takt_cli.base.console import out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.control.changes import OUTCOMES, counts, reset_all
from takt_cli.control.processes import find, no_process
from takt_cli.running.interrupts import Unbroken
from takt_cli.verbs.entries import Verbose, count_words, entry_lines
from takt_cli.verbs.options import Json, Processes

SCHEMA = 1


def command(
    processes: Processes = None, verbose: Verbose = False, json_output: Json = False
) -> None:
    """Restore the attributes that threads had before the first `takt apply` or `takt set`."""
    found = find(processes or [])
    if not found.processes and not found.silent:
        raise no_process()
    with Unbroken() as unbroken:
        answers = reset_all(found.processes)
    failures = [str(silent) for silent in found.silent]
    failures += [str(one) for one in answers if not one.good]
    number = counts(answers)
    good = not (failures or number["failed"] or number["skipped"])
    if json_output:
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "ok": good,
            "failures": failures,
            "counts": {outcome: number[outcome] for outcome in OUTCOMES},
            "processes": [one.as_json("executors") for one in answers],
        }
        print_json(document)
    else:
        for line, bad in entry_lines(answers, False, verbose):
            out().print(line, style="red" if bad else "", markup=False, soft_wrap=True)
        words = count_words(number, False) if number else "there is nothing to restore"
        out().print(f"reset: {words}", markup=False, soft_wrap=True)
        pass_through_errors("".join(f"{line}\n" for line in failures))
    unbroken.tell("the processes were reset")
    if not good:
        raise typer.Exit(EXIT_FAILED)
