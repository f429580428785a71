"""`takt set`: one value of one chain, callback or thread, while the processes run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from takt_cli.base.console import pass_through_errors
from takt_cli.base.errors import TaktError
from takt_cli.base.printable import printable, short
from takt_cli.base.units import parse_whole
from takt_cli.control.answer import by_user, for_users, left_out
from takt_cli.control.processes import Found, find, no_process
from takt_cli.running.interrupts import Unbroken
from takt_cli.verbs.options import Json, Processes
from takt_cli.verbs.set.report import Report
from takt_cli.verbs.set.set_values import (
    Value,
    Wish,
    check_all,
    closest,
    executor_names,
    having,
    set_in_turn,
    without_executor,
)

_MOST_PRIORITY = 255  # of chains and callbacks
_MOST_OS_PRIORITY = 99
_LEAST_NICE, _MOST_NICE = -20, 19

app = typer.Typer(
    help="Change one chain, callback or thread of running processes: in all of them or in none.",
    no_args_is_help=True,
)
_Value = Annotated[str, typer.Argument(metavar="VALUE", help="The value from now on.")]


@app.command("chain")
def set_chain(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the chain.")],
    attribute: Annotated[str, typer.Argument(metavar="ATTRIBUTE", help="priority (0 to 255).")],
    value: _Value,
    processes: Processes = None,
    json_output: Json = False,
) -> None:
    """Give a chain another priority, in all executors that have it."""
    wish = _wish("chain", name, attribute, value, {"priority": _number(0, _MOST_PRIORITY)})
    _set(wish, processes, json_output)


@app.command("callback")
def set_callback(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The id of the callback.")],
    attribute: Annotated[
        str,
        typer.Argument(
            metavar="ATTRIBUTE",
            help="priority (0 to 255, or none: that of its chains), or threads (names, as in a,b).",
        ),
    ],
    value: _Value,
    processes: Processes = None,
    json_output: Json = False,
) -> None:
    """Give a callback another priority, or other threads."""
    values = {"priority": _priority_or_none, "threads": _threads}
    _set(_wish("callback", id_, attribute, value, values), processes, json_output)


# A nice level may begin with a minus.
@app.command("thread", context_settings={"ignore_unknown_options": True})
def set_thread(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name of the threads: hot for hot.0 and hot.1, or hot.1."
        ),
    ],
    attribute: Annotated[
        str,
        typer.Argument(
            metavar="ATTRIBUTE",
            help="priority (1 to 99) of a real-time thread, or nice (-20 to 19) of another.",
        ),
    ],
    value: _Value,
    processes: Processes = None,
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor", metavar="NAME", help="Only in this executor.", show_default="all"
        ),
    ] = None,
    json_output: Json = False,
) -> None:
    """Give threads another real-time priority or nice level."""
    values = {
        "priority": _number(1, _MOST_OS_PRIORITY),
        "nice": _number(_LEAST_NICE, _MOST_NICE),
    }
    _set(_wish("thread", name, attribute, value, values, executor), processes, json_output)


_Reader = Callable[[str, str], Value]


def _wish(
    kind: str,
    name: str,
    attribute: str,
    value: str,
    values: dict[str, _Reader],
    executor: str | None = None,
) -> Wish:
    if attribute not in values:
        raise TaktError(
            f"a {kind} has no '{printable(short(attribute))}' to set; use {' or '.join(values)}"
        )
    return Wish(kind, name, attribute, values[attribute](attribute, value), executor)


def _number(least: int, most: int) -> _Reader:
    def read(attribute: str, text: str) -> int:
        value = parse_whole(text)
        if value is None or not least <= value <= most:
            raise TaktError(
                f"{attribute}: '{printable(short(text))}' is not a whole number from {least} to "
                f"{most}"
            )
        return value

    return read


def _priority_or_none(attribute: str, text: str) -> Value:
    return None if text == "none" else _number(0, _MOST_PRIORITY)(attribute, text)


def _threads(attribute: str, text: str) -> Value:
    names = tuple(word.strip() for word in text.split(","))
    if not all(names):
        raise TaktError(
            f"{attribute}: '{printable(short(text))}' is not a list of threads, as in hot,rest"
        )
    return names


def _set(wish: Wish, processes: list[str] | None, as_json: bool) -> None:
    found = find(processes or [])
    if not found.processes and not found.silent:
        raise no_process()
    concerned = having(found.processes, wish)
    checked = check_all(concerned, wish)
    agreed = [one for one in checked if one.parts or not one.good]
    if not agreed:
        pass_through_errors("".join(f"{silent}\n" for silent in found.silent))
        raise _nowhere(wish, found)
    report = Report(wish, as_json, [str(silent) for silent in found.silent])
    # A process of another user decides only about that user's processes, unless it is named.
    users = [agreed] if processes else by_user(agreed)
    willing = [those for those in users if all(one.good for one in those)]
    if willing:
        for those in (those for those in users if those not in willing):
            report.failed(left_out(those, [str(one) for one in those if not one.good]))
        with Unbroken() as unbroken:
            changes = for_users(willing, lambda those: set_in_turn(those, wish))
            report.show(
                [one for answers, _ in changes for one in answers],
                [one for _, undone in changes for one in undone],
            )
        code = report.finish()
        all_back = all(undone for _, undone in changes)
        unbroken.tell("the change was taken back" if all_back else "the processes were changed")
        raise typer.Exit(code)
    report.refuse(agreed)
    raise typer.Exit(report.finish())


def _nowhere(wish: Wish, found: Found) -> TaktError:
    running = executor_names(found.processes)
    if wish.executor is not None and printable(wish.executor) not in running:
        return TaktError(
            f"no process has an executor {printable(wish.executor)}",
            hint=f"executors that run: {', '.join(running)}" if running else "",
        )
    if without_executor(found.processes, wish):
        return TaktError(
            f"{wish} belongs to no executor",
            hint="a rule of process_threads changes it; `takt apply` takes a schedule with one",
        )
    close = closest(found.processes, wish)
    return TaktError(
        f"no process has a {wish}",
        hint=f"the closest names: {', '.join(close)}" if close else "`takt status` lists threads",
    )
