"""Which verbs there are, and the values in the `__init__.py` of each (CONTRIBUTING.md)."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any


def verbs() -> list[str]:
    """Give the names of all verbs: each has a folder."""
    values = Path(__file__).parent.glob("*/__init__.py")
    return sorted(file.parent.name.rstrip("_") for file in values)


def module_of(verb: str) -> str:
    """Give the package of a verb; Python has some of the words for itself, as `import`."""
    return f"{__package__}.{verb}_" if iskeyword(verb) else f"{__package__}.{verb}"


def said_of(verb: str, name: str) -> Any:
    """Give a value of the verb's `__init__.py`; None if it has none of this name."""
    return getattr(import_module(module_of(verb)), name, None)


def program_of(word: str) -> str | None:
    """Give the program that gets the whole command line of this verb; None: takt parses it."""
    return said_of(word, "PROGRAM") if word in verbs() else None
