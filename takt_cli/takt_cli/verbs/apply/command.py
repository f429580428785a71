"""`takt apply`: running processes under another schedule, of each user all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.control.answer import by_user, for_users
from takt_cli.control.changes import (
    agreeing,
    apply_in_turn,
    check_all,
    concerned,
    executor_names,
    not_running,
    read_text,
    unmatched_rules,
    without_rules_of_others,
)
from takt_cli.control.processes import Found, find, no_process
from takt_cli.files.standard_input import DASH, NAME, standard_input
from takt_cli.running.interrupts import Unbroken
from takt_cli.verbs.apply.report import Report
from takt_cli.verbs.entries import Verbose
from takt_cli.verbs.options import Json, Processes


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The schedule.")],
    processes: Processes = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")
    ] = False,
    allow_unmatched: Annotated[
        bool,
        typer.Option(
            "--allow-unmatched", help="Apply it although rules of it match nothing that runs."
        ),
    ] = False,
    verbose: Verbose = False,
    json_output: Json = False,
) -> None:
    """Put running processes under a schedule: all that have executors of the file, or none.

    As root without names of processes: all or none of each user.
    """
    text = read_text(standard_input() if str(file) == DASH else file)
    # Processes keep the name for `takt status`, which may be asked in another folder.
    kept = str(file.absolute())
    if str(file) == DASH:
        file, kept = Path(NAME), NAME
    found = find(processes or [])
    if not found.processes and not found.silent:
        raise no_process()
    report = Report(file, dry_run, verbose, json_output)
    names = executor_names(text)
    having = concerned(found.processes, names)
    for silent in found.silent:
        report.failed(str(silent))
    if not having:
        raise _nobody(file, names or (), found)
    checked = check_all(having, str(file), text)
    answers = [one for one in checked if not one.gone]
    report.absent = not_running(found.processes, checked, names) if not processes else []
    if names is not None and answers and not any(one.parts or not one.good for one in answers):
        raise _nobody(file, names, found)
    # A process of another user decides about the processes of that user only, unless it is named.
    users = [answers] if processes else by_user(answers)
    agreed = agreeing(users, allow_unmatched)
    if answers and not agreed:
        if not all(one.good for one in answers):
            report.refuse(answers)
        else:
            report.refuse_unmatched(unmatched_rules(answers))
    elif dry_run or not answers:
        report.leave_out([those for those in users if those not in agreed])
        left = {id(one) for those in users if those not in agreed for one in those}
        report.show(without_rules_of_others([one for one in checked if id(one) not in left]))
    else:
        report.leave_out([those for those in users if those not in agreed])
        with Unbroken() as unbroken:
            changes = for_users(
                agreed,
                lambda those: apply_in_turn([one.process for one in those], kept, text),
            )
            done = [one for answered, _ in changes for one in answered]
            report.show(without_rules_of_others(done), [one for _, back in changes for one in back])
        code = report.finish()
        all_back = all(back for _, back in changes)
        unbroken.tell("the change was taken back" if all_back else "the processes were changed")
        raise typer.Exit(code)
    raise typer.Exit(report.finish())


def _nobody(file: Path, names: Sequence[str], found: Found) -> TaktError:
    running = [
        f"{executor.name} ({process.words})"
        for process in found.processes
        for executor in process.status.executors
    ]
    return TaktError(
        f"no process has an executor of {file}, which names {', '.join(names) or 'none'}",
        hint=f"executors that run: {', '.join(running)}" if running else "no executor runs",
        code=EXIT_FAILED,
    )
