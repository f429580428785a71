"""`takt template`: the executors that run now, as a schedule to edit."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import note, pass_through_errors
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.base.units import NS_PER_S
from takt_cli.control.processes import Silent, find, no_process
from takt_cli.files.outputs import check_file, refuse_replacing, write_text
from takt_cli.running.interrupts import Interrupts
from takt_cli.verbs.options import Force, Processes, duration_ns
from takt_cli.verbs.template.collection import Collection
from takt_cli.verbs.template.template import template_text

# Time between two readings of all processes.
_PAUSE_S = 0.5
# The first interrupt ends the wait, the second discards the template.
_DISCARDS = 2


def command(
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the schedule there.")],
    processes: Processes = None,
    wait: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Collect for so long, or until Ctrl-C.",
            show_default="one look",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write the executors that run now as a schedule to edit."""
    refuse_replacing(output, force)
    check_file(output)
    wait_s = 0.0 if wait is None else duration_ns(wait, "--wait") / NS_PER_S
    collection, silent = _collect(processes or [], wait_s)
    found = collection.processes()
    if not found:
        pass_through_errors("".join(f"{one}\n" for one in silent))
        raise no_process()
    write_text(output, template_text(found))
    pass_through_errors("".join(f"{one}\n" for one in silent))
    note(f"Schedule: {output}; it has {collection.sentence()}")
    if silent:
        raise typer.Exit(EXIT_FAILED)


def _collect(wanted: list[str], wait_s: float) -> tuple[Collection, tuple[Silent, ...]]:
    collection = Collection()
    until = time.monotonic() + wait_s
    with Interrupts(_DISCARDS) as interrupts:
        if wait_s:
            note("Collecting; start the program now. Ctrl-C ends the wait and writes the schedule.")
        while True:
            # An awaited process need not exist yet.
            found = find(wanted, absent_ok=wait_s > 0)
            collection.add(found.processes)
            left = until - time.monotonic()
            if left <= 0 or interrupts.count:
                return collection, found.silent
            time.sleep(min(_PAUSE_S, left))
