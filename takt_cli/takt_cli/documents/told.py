"""Reads the documents that takt's programs print; the error for another document has a remedy."""

from __future__ import annotations

from typing import Any, TypeVar

from takt_cli.base.errors import TaktError
from takt_cli.documents.document import DamagedError, Document

Own = TypeVar("Own", bound=Document)


def read_told(kind: type[Own], raw: Any, program: str) -> Own:
    """Read the document that `program` printed; TaktError where it is not such a document."""
    try:
        return kind.read(raw)
    except DamagedError as error:
        raise TaktError(
            f"{program} printed a document that takt cannot read: {error}",
            hint=f"takt and {program} may be of different versions: run `make build`, or source "
            "the workspace that has both",
        ) from error
