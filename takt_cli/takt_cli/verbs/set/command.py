"""`takt set`: one value of one chain, callback or thread, while the processes run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from takt_cli.base.console import out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED, EXIT_USAGE, TaktError
from takt_cli.base.printable import printable, short
from takt_cli.base.units import parse_whole
from takt_cli.control.answer import by_user, for_users, left_out, refusal
from takt_cli.control.processes import Found, find, no_process
from takt_cli.running.interrupts import Unbroken
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.options import Json, Processes
from takt_cli.verbs.set.set_values import (
    Changed,
    SetAnswer,
    Value,
    Wish,
    check_all,
    closest,
    executor_names,
    having,
    set_in_turn,
    without_executor,
)

SCHEMA = 1
_MOST_PRIORITY = 255  # of chains and callbacks
_MOST_OS_PRIORITY = 99
_LEAST_NICE, _MOST_NICE = -20, 19

app = typer.Typer(
    help="Change one chain, callback or thread of running processes: in all of them or in none.",
    no_args_is_help=True,
)
_Value = Annotated[str, typer.Argument(metavar="VALUE", help="Its new value.")]


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


# A nice level begins with a minus.
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
    report = _Report(wish, as_json, [str(silent) for silent in found.silent])
    # A process of another user decides about the processes of that user only, unless it is named.
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


def _words(value: Value) -> str:
    if value is None:
        return "that of its chains"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


class _Report:
    """Says what changed, in a table or as one document."""

    def __init__(self, wish: Wish, as_json: bool, failures: list[str]) -> None:
        self._wish = wish
        self._as_json = as_json
        self._failures = failures
        self._faults: list[str] = []
        self._answers: Sequence[SetAnswer] = ()
        self._undone: Sequence[SetAnswer] = ()
        self._refused = False

    def failed(self, words: str) -> None:
        """Note a failure, which makes the exit code 1."""
        self._failures.append(words)

    def refuse(self, answers: Sequence[SetAnswer]) -> None:
        """Note that nothing was changed anywhere, and why."""
        self._answers = [replace(one, parts=()) for one in answers]
        self._faults, failures = refusal(answers)
        self._refused = bool(self._faults)
        self._failures += failures

    def show(self, answers: Sequence[SetAnswer], undone: Sequence[SetAnswer]) -> None:
        """Note what changed."""
        self._answers, self._undone = answers, undone
        for one in answers:
            name = one.process.words
            if one.gone:
                self._failures.append(f"{name} has ended")
            elif one.faults:
                self._faults += one.faults
                self._failures.append(f"{name} refused the change, although it had agreed")
            elif one.failure:
                self._failures.append(f"{name} {one.failure}")
        for one in undone:
            back = "has the values from before again"
            if one.gone:
                back = "has ended"
            elif not one.good:
                back = f"keeps the change: {one.failure or '; '.join(one.faults)}"
            self._failures.append(f"{one.process.words} {back}")

    def finish(self) -> int:
        """Print it, and give the exit code."""
        code = 0
        if self._failures or any(one.faults for _, one in self._changed()):
            code = EXIT_FAILED
        if self._refused:
            code = EXIT_USAGE
        if self._as_json:
            print_json(self._document(code))
            return code
        pass_through_errors("".join(f"{line}\n" for line in self._faults))
        if self._kept():
            self._table().print_to(out())
        pass_through_errors("".join(f"{line}\n" for line in self._failures))
        if self._refused:
            pass_through_errors("takt: the change was refused; no process was changed\n")
        return code

    def _changed(self) -> list[tuple[SetAnswer, Changed]]:
        return [(answer, one) for answer in self._answers for one in answer.parts]

    def _kept(self) -> list[tuple[SetAnswer, Changed]]:
        """Give the changes of processes that have not taken them back."""
        back = {one.process.socket for one in self._undone}
        back -= {one.process.socket for one in self._undone if not one.good}
        return [pair for pair in self._changed() if pair[0].process.socket not in back]

    def _table(self) -> Table:
        table = Table(
            f"{self._wish}: {self._wish.attribute}",
            ["process", "executor", self._wish.kind, "before", "now"],
            words=5,
        )
        for answer, one in self._kept():
            table.add(
                answer.process.words,
                printable(one.executor),
                printable(one.name),
                _words(one.before),
                Cell(_words(one.now), "bad" if one.faults else ""),
            )
            table.notes += [f"{printable(one.name)}: {fault}" for fault in one.faults]
        return table

    def _document(self, code: int) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "ok": code == 0,
            "what": str(self._wish),
            "attribute": self._wish.attribute,
            "value": self._wish.value,
            "refused": self._refused,
            "faults": self._faults,
            "failures": self._failures,
            "processes": [one.as_json("changed") for one in self._answers],
            "undone": [one.as_json("changed") for one in self._undone],
        }
