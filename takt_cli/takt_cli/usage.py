"""Faults of a command line, in one sentence instead of the library's frames and boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from takt_cli.base.errors import EXIT_INTERRUPTED, TaktError
from takt_cli.base.printable import quoted


def help_text() -> str:
    """Give the help of all commands. It is a file, so that nothing is loaded to print it."""
    return (files("takt_cli") / "help" / "takt.txt").read_text(encoding="utf-8")


def shown_commands() -> dict[str, str]:
    """Give the commands that the help shows, each with its words there."""
    return dict(re.findall(r"^  ([a-z]+)  +(.*)$", help_text(), re.MULTILINE))


def refuse_empty(command: Any) -> None:
    """Refuse empty values, as of a variable that is not set, for all that a command line takes.

    An empty value means nothing: a user who writes `--schedule "$NONE"` does not want the run
    without a schedule. Done before values are read, because an empty path is read as `.`.
    """
    for below in getattr(command, "commands", {}).values():
        refuse_empty(below)
    for parameter in command.params:
        parameter.process_value = _not_empty(parameter, parameter.process_value)


def _not_empty(parameter: Any, read: Callable[..., Any]) -> Callable[..., Any]:
    def checked(context: Any, value: Any) -> Any:
        if "" in (value if isinstance(value, list | tuple) else (value,)):
            way_out = "" if parameter.required else " or omit it"
            raise TaktError(f"{_name(parameter)} is empty; give it a value{way_out}")
        return read(context, value)

    return checked


def plain_help(command: Any) -> None:
    """Let the help of a command name what its options take, without the library's brackets.

    The library shows `{graph}` and `<str>`, and a default that says that there is none.
    """
    for below in getattr(command, "commands", {}).values():
        plain_help(below)
    for parameter in command.params:
        argument = parameter.param_type_name == "argument"
        if parameter.metavar is None and argument:
            parameter.metavar = parameter.name.upper()
        elif parameter.metavar is None and not parameter.is_flag:
            parameter.metavar = _TAKES.get(parameter.bare_type())
        if argument:
            more = "..." if parameter.nargs != 1 else ""
            word = (
                f"{parameter.metavar}{more}"
                if parameter.required
                else f"[{parameter.metavar}]{more}"
            )
            parameter.get_usage_pieces = lambda _, word=word: [word]
            # The library's name of the type stands behind it, as in `GRAPH <str>`.
            parameter.display_type_rich = lambda **_: ""
        if parameter.show_default == "none":
            parameter.show_default = False
        elif isinstance(parameter.show_default, str):
            # The library would write round brackets within square ones.
            parameter.help = f"{parameter.help or ''}  [default: {parameter.show_default}]".strip()
            parameter.show_default = False


# What an option takes, by the library's name of its type; choices are listed by the library.
_TAKES = {"str": "TEXT", "Path": "FILE"}


def say_interrupted(command: Any) -> None:
    """Make a sentence of an interrupt of any command: the library would end without a word."""
    invoke = command.invoke

    def invoked(context: Any) -> Any:
        try:
            return invoke(context)
        except KeyboardInterrupt:
            raise TaktError("interrupted", code=EXIT_INTERRUPTED) from None

    command.invoke = invoked


def asked_for_help(error: Exception) -> bool:
    """Whether the error is a command without arguments; its `show` prints the help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def usage_error(error: Exception) -> TaktError | None:
    """Give the sentence for an error of the command line; None for any other error.

    Known by their attributes: typer keeps its errors in another place in each version.
    """
    if not hasattr(error, "format_message") or not hasattr(error, "message"):
        return None
    context = getattr(error, "ctx", None)
    if (unknown := _unknown(str(error.message), context)) is not None:
        return unknown
    parameter = getattr(error, "param", None)
    message = str(error.message).removeprefix("Value error, ")
    if parameter is None or not message:  # the latter: a parameter that is missing
        message = str(error.format_message())
    else:
        message = f"{_name(parameter)}: {message}"
    hint = f"`{context.command_path} --help` lists the options" if context else ""
    return TaktError(message.rstrip("."), hint=hint)


def unknown_command(word: str, known: Iterable[str], path: str = "takt") -> TaktError:
    """Give the sentence for a command that `path` lacks, with the one that was meant."""
    meant = _closest(word, (*known, "help") if path == "takt" else known)
    return _no_such("command", word, "--help" if meant == "help" else meant, path)


def _closest(word: str, known: Iterable[str]) -> str:
    return next(iter(get_close_matches(word, list(known), n=1)), "")


def _no_such(what: str, word: str, meant: str, path: str) -> TaktError:
    where = "" if path == "takt" else f" of {path}"
    end = f"; did you mean '{meant}'?" if meant else ""
    return TaktError(
        f"no such {what}{where} {quoted(word)}{end}", hint=f"`{path} --help` lists them"
    )


_NO_SUCH = re.compile(r"No such (command|option):? '?([^'\s]+)")


def _unknown(message: str, context: Any) -> TaktError | None:
    """Give the sentence for a word that no command or option has; None: `message` is another."""
    found = _NO_SUCH.match(message)
    if found is None or context is None:
        return None
    what, word = found.groups()
    if what == "command":
        return unknown_command(word, context.command.commands, context.command_path)
    options = [
        option[2:]
        for parameter in context.command.get_params(context)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    ]
    meant = _option(word[2:], options) if word.startswith("--") else ""
    return _no_such("option", word, meant and f"--{meant}", context.command_path)


_CORES = ("cpus", "core-count")


def _option(word: str, known: list[str]) -> str:
    """Give the option that was meant; never one that replaces files."""
    if word.startswith(("core", "cpu")):
        return next((option for option in _CORES if option in known), "")
    may_force = word.startswith("for")
    return _closest(word, [option for option in known if option != "force" or may_force])


def _name(parameter: object) -> str:
    options = [option for option in getattr(parameter, "opts", ()) if option.startswith("-")]
    if options:
        return max(options, key=len)
    return str(getattr(parameter, "metavar", None) or getattr(parameter, "name", "")).upper()
