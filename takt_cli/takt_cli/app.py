"""The command line: which commands there are.

A command is loaded when it is given: all of them take three times as long, at each start.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from takt_cli import __version__

# In the order of the help. Where each is in takt_cli.commands: a function, or an app with commands
# of its own.
COMMANDS = {
    "demo": "demo.demo",
    "exec": "exec_program.exec_help",
    "observe": "exec_program.observe_help",
    "run": "run.run_graph",
    "check": "check.check",
    "explain": "explain.explain",
    "graph": "graph.graph",
    "plan": "plan.plan",
    "status": "status.status",
    "top": "top.top",
    "monitor": "monitor.monitor",
    "apply": "apply_schedule.apply",
    "set": "set_value.app",
    "reset": "reset.reset",
    "template": "template.template",
    "trace": "trace.app",
    "model": "model.model",
    "import": "import_configuration.app",
    "simulate": "simulate.simulate",
    "experiment": "experiments.app",
    "report": "report.make_report",
    "host": "host.show_host",
    "doctor": "doctor.doctor",
    "latency": "latency.latency",
    "calibrate": "calibrate.calibrate",
    "bench": "bench.bench",
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"takt {__version__}")
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
    app = typer.Typer(
        name="takt",
        help="Real-time execution for ROS 2: run a graph under a schedule, and see the gain.",
        epilog="Start with: takt demo",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_main)
    for name in given[:1] if given and given[0] in COMMANDS else COMMANDS:
        module, _, attribute = COMMANDS[name].partition(".")
        loaded = import_module(f"takt_cli.commands.{module}")
        command = getattr(loaded, attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, context_settings=getattr(loaded, "CONTEXT", None))(command)
    return app
