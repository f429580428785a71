"""The answer of a process to `set`: each changed value, before and now."""

from __future__ import annotations

from typing import Any

from takt_cli.documents.document import DamagedError, Document


class SetChange(Document, at="set#change"):
    """One changed object of one executor."""

    def name_of(self, kind: str) -> str:
        """Give the name of the chain, callback or thread, as a request names it."""
        what, _, name = self.what.partition(" ")
        if what != kind or not name:
            raise DamagedError(f"'what' does not name a {kind}")
        return str(name)

    def values(self, attribute: str) -> tuple[Any, Any]:
        """Give the value of a priority, of a nice level or of threads, before and now."""
        return getattr(self.before, attribute), getattr(self.now, attribute)


class SetAnswer(Document, at="set"):
    """All changes of one process."""
