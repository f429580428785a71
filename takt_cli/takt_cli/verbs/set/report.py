"""The report of `takt set`: a table, or one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from takt_cli.base.console import out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED, EXIT_USAGE
from takt_cli.base.printable import printable
from takt_cli.control.answer import refusal, taken_back, trouble
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.set.set_values import (
    Changed,
    SetAnswer,
    Value,
    Wish,
)

SCHEMA = 1


def _words(value: Value) -> str:
    if value is None:
        return "that of its chains"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


class Report:
    """Reports the changes, in a table or as one document."""

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
        """Note the changes of a process."""
        self._answers, self._undone = answers, undone
        for one in answers:
            self._faults += one.faults
            why = trouble(one, "the change")
            if why:
                self._failures.append(why)
        for one in undone:
            self._failures.append(taken_back(one, "has the values from before again", "the change"))

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
            self._table().print_to(out(), apart=False)
        pass_through_errors("".join(f"{line}\n" for line in self._failures))
        if self._refused:
            pass_through_errors("takt: the change was refused; no process was changed\n")
        return code

    def _changed(self) -> list[tuple[SetAnswer, Changed]]:
        return [(answer, one) for answer in self._answers for one in answer.parts]

    def _kept(self) -> list[tuple[SetAnswer, Changed]]:
        """Give the changes of processes that have not undone them."""
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
