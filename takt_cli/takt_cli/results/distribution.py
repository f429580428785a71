"""Times of one kind, as several documents have them."""

from __future__ import annotations

from takt_cli.documents.document import Document


class Distribution(Document, at="common#distribution"):
    """How long something took; a figure of too few values is None."""
