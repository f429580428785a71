"""Options that several commands share, with equal texts everywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from takt_cli.base.errors import TaktError
from takt_cli.base.printable import short
from takt_cli.base.units import parse_duration, parse_number, parse_whole
from takt_cli.files.output_directory import DEFAULT
from takt_cli.files.standard_input import DASH
from takt_cli.running.host import MOST_CORES, first_cores, usable_cores

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document only.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
Schedule = Annotated[str, typer.Argument(help="A schedule file, or a shipped one's name.")]
System = Annotated[str, typer.Argument(help="A system model file, or a shipped one's name.")]
Processes = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PROCESS",
        help="Only these, by process number or program name.",
        show_default="all",
    ),
]
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
        "--cpus",
        "--core-count",
        metavar="LIST|COUNT",
        help="Use these cores, as in 0,2-3, or this many, as in 2.",
        show_default=f"all, at most {MOST_CORES}",
    ),
]


MOST_SEED = 2**64 - 1


def file_or_dash(**words: Any) -> Any:
    """Declare an option `--output` that takes a file, or `-` for standard output."""
    return typer.Option("--output", "-o", parser=_file_or_dash, metavar="PATH", **words)


def _file_or_dash(text: Any) -> Path:
    # A Path spells `./-`, the file of this name, as `-`, too.
    path = Path(text)
    return path.absolute() if str(path) == DASH and str(text) != DASH else path


def whole(option: str, least: int, most: int | None = None, **words: Any) -> Any:
    """Declare an option that takes a whole number."""
    return typer.Option(
        option, parser=_number(option, parse_whole, least, most), **{"metavar": "N", **words}
    )


def factor(option: str, most: int, **words: Any) -> Any:
    """Declare an option that takes a number from 0 to `most`."""
    return typer.Option(
        option, parser=_number(option, parse_number, 0, most), **{"metavar": "F", **words}
    )


def _number(
    option: str, parse: Callable[[str], float | None], least: int, most: int | None
) -> Callable[[Any], Any]:
    """Read a number, and refuse a wrong one in takt's own words."""
    kind = "whole number" if parse is parse_whole else "number"
    between = f"from {least} on" if most is None else f"from {least} to {most}"

    def read(text: Any) -> Any:
        value = parse(str(text))
        if value is None or not least <= value < math.inf or (most is not None and value > most):
            raise TaktError(f"{option}: '{short(str(text))}' is not a {kind} {between}")
        return value

    return read


def duration_ns(text: str, option: str, least: str = "100ms") -> int:
    """Read the duration that the user gave for an option."""
    try:
        value = parse_duration(text)
    except TaktError as error:
        raise TaktError(f"{option}: {error.message}") from error
    if value < parse_duration(least):
        raise TaktError(f"{option} {text} is too short; take at least {least}")
    return value


def check_phases(text: str) -> str:
    """Accept 'fixed' or 'random:SEED'."""
    if text == "fixed":
        return text
    kind, _, seed = text.partition(":")
    if kind != "random" or not re.fullmatch("[0-9]+", seed):
        raise TaktError(f"unknown phases '{short(text)}'; use fixed or random:SEED, as in random:1")
    number = parse_whole(seed)
    if number is None or number > MOST_SEED:
        raise TaktError(f"--phases {short(text)}: the seed is not in the range 0 to {MOST_SEED}")
    return text


def parse_cores(text: str, usable: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Read a list of cores, as in 0,2-3: each must be usable here and occur once.

    `usable`: the allowed cores; by default those that this process may use.
    """
    usable = usable_cores() if usable is None else usable
    cores: dict[int, None] = {}
    for word in text.split(","):
        first_word, dash, last_word = word.partition("-")
        first = parse_whole(first_word)
        last = parse_whole(last_word) if dash else first
        if first is None or last is None or not 0 <= first <= last:
            raise TaktError(f"--cpus: '{short(text)}' is not a list of cores like 0,2-3")
        for core in range(first, last + 1):
            if core not in usable:
                raise TaktError(
                    f"--cpus {short(text)}: core {core} is not usable here; usable are "
                    f"{','.join(map(str, usable))}"
                )
            if core in cores:
                raise TaktError(f"--cpus {short(text)}: core {core} is named twice; name it once")
            cores[core] = None
    return tuple(cores)


def choose_cores(text: str | None) -> tuple[int, ...]:
    """Take the number of cores that a number names, or the cores of a list."""
    count = None if text is None else parse_whole(text)
    if text is None or (count is not None and count >= 0):
        return first_cores(count)
    if "," not in text and "-" not in text:
        raise TaktError(f"--cpus: '{short(text)}' is not a list of cores like 0,2-3")
    return parse_cores(text)
