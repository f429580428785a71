"""What is wrong with a command line, in one sentence instead of the library's frames and boxes."""

from __future__ import annotations

from takt_cli.errors import TaktError


def asked_for_help(error: Exception) -> bool:
    """Whether a command without arguments has shown its help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def usage_error(error: Exception) -> TaktError | None:
    """Give the sentence for an error of the command line; None for any other error.

    Known by what they have: where typer keeps its errors changes from version to version.
    """
    if not hasattr(error, "format_message") or not hasattr(error, "message"):
        return None
    parameter = getattr(error, "param", None)
    message = str(error.message).removeprefix("Value error, ")
    if parameter is None or not message:  # the latter: a parameter that is missing
        message = str(error.format_message())
    else:
        message = f"{_name(parameter)}: {message}"
    context = getattr(error, "ctx", None)
    hint = f"`{context.command_path} --help` shows what there is" if context else ""
    return TaktError(message.rstrip("."), hint=hint)


def _name(parameter: object) -> str:
    options = [option for option in getattr(parameter, "opts", ()) if option.startswith("-")]
    return max(options, key=len) if options else str(getattr(parameter, "name", "")).upper()
