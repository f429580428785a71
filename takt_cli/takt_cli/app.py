"""The command line: the verbs of help/takt.txt, each from its folder in `verbs`.

Only the verb of the command line is loaded: loading all verbs would make each start three times as
long.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from takt_cli.base.version import VERSION
from takt_cli.usage import shown_commands, unknown_command
from takt_cli.verbs.known import module_of, said_of, verbs


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
    """Return the app with the verb that is given first, or with all verbs if none is given."""
    app = _without_commands()
    # In the order of the help. It omits the verbs for takt's developers.
    known = (*(shown := shown_commands()), *(verb for verb in verbs() if verb not in shown))
    if given and not given[0].startswith("-") and given[0] not in known:
        raise unknown_command(given[0], known)
    for name in given[:1] if given and given[0] in known else known:
        _add(app, name)
    return app


def _add(app: typer.Typer, name: str) -> None:
    """Load a verb: the function `command` of its folder, or an `app` with commands of its own."""
    loaded = import_module(f"{module_of(name)}.command")
    hidden = bool(said_of(name, "HIDDEN"))
    commands = getattr(loaded, "app", None)
    if commands is not None:
        commands.rich_markup_mode = None
        app.add_typer(commands, name=name, hidden=hidden)
    else:
        context = getattr(loaded, "CONTEXT", None)
        app.command(name, context_settings=context, hidden=hidden)(loaded.command)


def app_to_complete(given: Sequence[str]) -> typer.Typer:
    """Return the app for completion in a shell: only names of verbs that were not typed yet."""
    shown = shown_commands()
    if given and given[0] in shown:
        return app_for(given)
    app = _without_commands()
    for name, words in shown.items():
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
