"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt_cli.errors import TaktError
from takt_cli.units import NS_PER_S, parse_duration

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
OutputDirectory = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Directory for report and raw results.", show_default=False
    ),
]
Cores = Annotated[
    int | None, typer.Option("--cores", min=1, help="Use this many cores.", show_default=False)
]


def duration_ns(text: str, least_s: float = 0.1) -> int:
    """Read a duration option."""
    value = parse_duration(text)
    if value < least_s * NS_PER_S:
        raise TaktError(f"a duration of {text} is too short; take at least {least_s:g}s")
    return value


def check_phases(text: str) -> str:
    """Accept 'fixed' or 'random:SEED'."""
    seed = text.removeprefix("random:")
    if text != "fixed" and not (text.startswith("random:") and seed.isdigit()):
        raise TaktError(f"unknown phases '{text}'; use fixed or random:SEED, as in random:1")
    return text
