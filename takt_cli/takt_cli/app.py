"""The command line: which commands there are.

A command is loaded when it is given: all of them take three times as long, at each start.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from takt_cli.base.version import VERSION
from takt_cli.usage import shown_commands

# Where each is in takt_cli.commands: a function, or an app with commands of its own. help/takt.txt
# shows them in panels.
COMMANDS = {
    "demo": "demo.demo",
    "exec": "exec_program.exec_help",
    "run": "run.run_graph",
    "top": "top.top",
    "status": "status.status",
    "trace": "trace.app",
    "report": "report.make_report",
    "monitor": "monitor.monitor",
    "observe": "exec_program.observe_help",
    "model": "model.model",
    "graph": "graph.graph",
    "import": "import_configuration.app",
    "check": "check.check",
    "plan": "plan.plan",
    "explain": "explain.explain",
    "simulate": "simulate.simulate",
    "apply": "apply_schedule.apply",
    "set": "set_value.app",
    "reset": "reset.reset",
    "template": "template.template",
    "doctor": "doctor.doctor",
    "host": "host.show_host",
    "latency": "latency.latency",
    "calibrate": "calibrate.calibrate",
    "completion": "completion.completion",
}
# Those of takt's developers, which the help leaves to `make bench` and docs/experiments.md.
HIDDEN = {
    "experiment": "experiments.app",
    "bench": "bench.bench",
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"takt {VERSION}")
        raise typer.Exit


def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def app_for(given: Sequence[str]) -> typer.Typer:
    """Return the app with the command that is given first, or with all commands where none is."""
    app = _without_commands()
    known = COMMANDS | HIDDEN
    for name in given[:1] if given and given[0] in known else known:
        module, _, attribute = known[name].partition(".")
        loaded = import_module(f"takt_cli.commands.{module}")
        command = getattr(loaded, attribute)
        hidden = name in HIDDEN
        if isinstance(command, typer.Typer):
            command.rich_markup_mode = None
            app.add_typer(command, name=name, hidden=hidden)
        else:
            context = getattr(loaded, "CONTEXT", None)
            app.command(name, context_settings=context, hidden=hidden)(command)
    return app


def app_to_complete(given: Sequence[str]) -> typer.Typer:
    """Return the app for the shell: of a command that is not given yet only names are wanted."""
    if given and given[0] in COMMANDS:
        return app_for(given)
    app = _without_commands()
    for name, words in shown_commands().items():
        app.command(name, help=words)(lambda: None)
    return app


def _without_commands() -> typer.Typer:
    app = typer.Typer(
        name="takt",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_main)
    return app
