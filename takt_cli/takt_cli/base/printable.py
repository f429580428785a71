"""Texts of other programs and users, made safe for a terminal."""

from __future__ import annotations

_SHOWN = 40


def printable(text: str) -> str:
    """Write characters that a line or a comment cannot hold as escapes."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text
    )


def short(text: str) -> str:
    """Cut a user's text to a length that a sentence can quote."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def quoted(text: str) -> str:
    """Quote a user's text in a sentence of one line."""
    return f"'{printable(short(text))}'"
