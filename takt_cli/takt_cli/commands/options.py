"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.errors import TaktError
from takt_cli.host import MOST_CORES
from takt_cli.places import DEFAULT
from takt_cli.units import parse_duration

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
OutputDirectory = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Directory for report and raw results.",
        show_default=f"a new one in {DEFAULT}",
    ),
]
Cores = Annotated[
    int | None,
    typer.Option(
        "--cores", min=1, help="Use this many cores.", show_default=f"all, at most {MOST_CORES}"
    ),
]


MOST_SEED = 2**64 - 1


def duration_ns(text: str, option: str, least: str = "100ms") -> int:
    """Read the duration that an option was given."""
    try:
        value = parse_duration(text)
    except TaktError as error:
        raise TaktError(f"{option}: {error.message}") from error
    if value < parse_duration(least):
        raise TaktError(f"{option} {text} is too short; take at least {least}")
    return value


def check_phases(text: str) -> str:
    """Accept 'fixed' or 'random:SEED'."""
    seed = text.removeprefix("random:")
    if text == "fixed":
        return text
    if not (text.startswith("random:") and seed.isascii() and seed.isdigit()):
        raise TaktError(f"unknown phases '{text}'; use fixed or random:SEED, as in random:1")
    if len(seed.lstrip("0")) > len(str(MOST_SEED)) or int(seed) > MOST_SEED:
        raise TaktError(f"--phases {text}: the seed is not in the range 0 to {MOST_SEED}")
    return text


def parse_cores(text: str) -> tuple[int, ...]:
    """Read a list of cores, as in 0,2-3."""
    usable = os.sched_getaffinity(0)
    cores: dict[int, None] = {}
    for word in text.split(","):
        first, dash, last = word.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise TaktError(f"--cores: '{text}' is no list of cores like 0,2-3")
        for core in range(int(first), min(int(last or first), 65535) + 1):
            if core not in usable:
                raise TaktError(f"--cores: core {core} is not usable here")
            cores[core] = None
    if not cores:
        raise TaktError(f"--cores: '{text}' names no core")
    return tuple(cores)
