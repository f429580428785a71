"""Reads answers of processes, which are not trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from takt_cli.base.printable import printable
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.documents.document import DamagedError, Document

Told = TypeVar("Told", bound=Document)


class Refusal(Document, at="error"):
    """Why a process refused a request."""


def result_of(kind: int, data: dict[str, Any]) -> dict[str, Any]:
    """Give the data of a result; those of an error become Refused."""
    if kind != Message.error:
        return data
    refusal = read_answer(Refusal, data)
    if not refusal.faults:
        raise NoAnswer("refused the message without saying why")
    raise Refused(refusal.faults)


def read_answer(kind: type[Told], data: Mapping[str, Any]) -> Told:
    """Read the answer of a process; raises NoAnswer for a field of the wrong kind."""
    try:
        return kind.read(data)
    except DamagedError as error:
        raise damaged(error) from error


def damaged(error: DamagedError) -> NoAnswer:
    """Say that a field of an answer is of the wrong kind."""
    return NoAnswer(f"answered with damaged data: {printable(str(error))}")
