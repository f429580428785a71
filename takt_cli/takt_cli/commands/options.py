"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from takt_cli.errors import TaktError
from takt_cli.files.output_directory import DEFAULT
from takt_cli.running.host import MOST_CORES, first_cores, usable_cores
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
    str | None,
    typer.Option(
        "--cores",
        metavar="COUNT|LIST",
        help="Use this many cores, as in 2, or these, as in 0,2-3.",
        show_default=f"all, at most {MOST_CORES}",
    ),
]


MOST_SEED = 2**64 - 1


def whole(option: str, least: int, most: int | None = None, **words: Any) -> Any:
    """Declare an option that takes a whole number."""
    return typer.Option(
        option, parser=_number(option, int, least, most), **{"metavar": "N", **words}
    )


def factor(option: str, most: int, **words: Any) -> Any:
    """Declare an option that takes a number from 0 to `most`."""
    return typer.Option(option, parser=_number(option, float, 0, most), metavar="F", **words)


def _number(
    option: str, kind: type[int] | type[float], least: int, most: int | None
) -> Callable[[Any], Any]:
    """Read a number and say in takt's own words what is wrong with one."""
    what = "whole number" if kind is int else "number"
    between = f"from {least} on" if most is None else f"from {least} to {most}"

    def read(text: Any) -> Any:
        try:
            value = kind(text)
        except (ValueError, OverflowError):  # not a number, or one of thousands of digits
            value = None
        # In this form what is no number at all (nan) is refused, too.
        if value is None or not least <= value < math.inf or (most is not None and value > most):
            raise TaktError(f"{option}: '{_short(str(text))}' is no {what} {between}")
        return value

    return read


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


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
    usable = usable_cores()
    cores: dict[int, None] = {}
    for word in text.split(","):
        first, dash, last = word.partition("-")
        if not _is_number(first) or (dash and not _is_number(last)):
            raise TaktError(f"--cores: '{_short(text)}' is no list of cores like 0,2-3")
        for core in range(int(first), min(int(last or first), 65535) + 1):
            if core not in usable:
                raise TaktError(
                    f"--cores {_short(text)}: core {core} is not usable here; usable are "
                    f"{','.join(map(str, usable))}"
                )
            cores[core] = None
    if not cores:
        raise TaktError(f"--cores: '{_short(text)}' names no core")
    return tuple(cores)


def choose_cores(text: str | None) -> tuple[int, ...]:
    """Take as many cores as a number says, or those of a list."""
    if text is None or _is_number(text):
        return first_cores(None if text is None else int(text))
    if "," not in text and "-" not in text:
        raise TaktError(
            f"--cores: '{_short(text)}' is neither a number of cores, as in 2, nor a list of them, "
            "as in 0,2-3"
        )
    return parse_cores(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
