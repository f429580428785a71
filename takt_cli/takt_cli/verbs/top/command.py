"""`takt top`: chains, callbacks and threads of all processes under takt, as they run."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Annotated

import typer
from rich.console import Console

from takt_cli.base.console import out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.units import NS_PER_S
from takt_cli.control.processes import no_process
from takt_cli.verbs.options import Json, Processes, duration_ns
from takt_cli.verbs.top.interactive import show
from takt_cli.verbs.top.printed import document, print_tables, two_looks
from takt_cli.verbs.top.watch import View, Watch

_LEAST = "200ms"
_MOST_S = 3600
_PIPE_WIDTH = 1000


def command(
    processes: Processes = None,
    interval: Annotated[
        str, typer.Option(metavar="DURATION", help="Look again after so long.")
    ] = "1s",
    once: Annotated[
        bool, typer.Option("--once", help="Print all three tables once, after two looks.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Live view of chains, callbacks and threads of running processes."""
    wanted = processes or []
    interval_ns = duration_ns(interval, "--interval", _LEAST)
    if interval_ns > _MOST_S * NS_PER_S:
        raise TaktError(f"--interval {interval} is too long; take at most 1 hour")
    if json_output and not once:
        raise TaktError("--json prints one document; use it with --once")
    if once:
        _print_once(two_looks(wanted, interval_ns / NS_PER_S), json_output)
    elif _has_screen():
        show(out(), wanted, interval_ns)
    else:
        with contextlib.suppress(KeyboardInterrupt):
            _print_on(wanted, interval_ns / NS_PER_S)


def _print_once(view: View, as_json: bool) -> None:
    if view.absent:
        raise TaktError(view.absent_words(), hint="`takt status` lists the processes under takt")
    if as_json:
        print_json(document(view))
    if not view.pairs and not view.silent:
        raise no_process()
    if not as_json:
        if view.pairs:
            print_tables(_console(), view)
        pass_through_errors("".join(f"{trouble}\n" for trouble in view.troubles()))
    if not view.pairs or view.silent:
        raise typer.Exit(EXIT_FAILED)


def _console() -> Console:
    """Make the console; in a pipe each row has one line of any length, for `grep` and its like."""
    console = out()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


def _has_screen() -> bool:
    """Whether there is a terminal that can be drawn on, with keys."""
    able = os.environ.get("TERM", "dumb") not in ("", "dumb", "unknown")
    return able and sys.stdin.isatty() and sys.stdout.isatty()


def _print_on(wanted: list[str], interval_s: float) -> None:
    """Print the tables again and again, until Ctrl-C."""
    watch = Watch(wanted)
    first = True
    while True:
        watch.ask()
        watch.settle()
        view = watch.view()
        # The first reading has no rates.
        if not first or not view.pairs:
            console = _console()
            console.print(time.strftime("%H:%M:%S"), style="bold")
            for trouble in view.troubles() or ([] if view.pairs else ["no process under takt"]):
                console.print(trouble, markup=False, soft_wrap=True)
            if view.pairs:
                print_tables(console, view)
            console.print()
            sys.stdout.flush()
        time.sleep(min(0.3, interval_s) if first else interval_s)
        first = False
