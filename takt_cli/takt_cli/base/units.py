"""Numbers and durations as people write and read them. All stored times are nanoseconds.

`human`, `exactly` and `significant` are also in `takt_rt/readable.hpp`, for programs in C++:
`takt_rt/test/durations.txt` holds for both.
"""

from __future__ import annotations

import math
import re

from takt_cli.base.errors import TaktError
from takt_cli.base.printable import short

_NS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60 * 10**9,
    "m": 60 * 10**9,
}
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


# The longest duration that the C++ programs hold: 292 years.
_LONGEST_NS = 2**63 - 1
# A number of three digits from here on becomes 1.00 of the next unit.
_ROUNDS_UP = 0.9995
_UNITS = "ns, us, ms, s and min"
_DECIMAL = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"


def parse_duration(text: str) -> int:
    """Read '100ms' or '2.5s'. A number without a unit is a fault, as in files."""
    match = re.fullmatch(f"({_DECIMAL})([a-zA-Zµ]*)", text)
    if match is None:
        raise TaktError(f"'{short(text)}' is not a duration; write for example 10s, 500ms or 1min")
    number, unit = match.groups()
    if not unit:
        raise TaktError(f"'{short(text)}' has no unit; write {short(text)}s (units are {_UNITS})")
    if unit not in _NS:
        # A number of hours is a number of minutes as well.
        whole = parse_whole(number) if unit in ("h", "hr", "hour", "hours") else None
        words = f"write {60 * whole}min (units are {_UNITS})" if whole else f"units are {_UNITS}"
        raise TaktError(f"'{short(text)}' has the unknown unit '{short(unit)}'; {words}")
    ns = float(number) * _NS[unit]
    if ns > _LONGEST_NS:
        raise TaktError(f"'{short(text)}' is longer than 292 years")
    return round(ns)


def parse_whole(text: str) -> int | None:
    """Read a whole number of ASCII digits, of at most 20; None for anything else."""
    return int(text) if re.fullmatch("-?[0-9]{1,20}", text) else None


def parse_number(text: str) -> float | None:
    """Read a decimal number, with or without an exponent; None for other texts."""
    return float(text) if re.fullmatch(f"-?(?:{_DECIMAL})(?:[eE][-+]?[0-9]+)?", text) else None


def duration_flag(ns: int) -> str:
    """Spell a duration for the C++ programs, exactly: the largest unit that divides it."""
    for unit in ("s", "ms", "us"):
        if ns % _NS[unit] == 0:
            return f"{ns // _NS[unit]}{unit}"
    return f"{ns}ns"


def exactly(ns: int) -> str:
    """Write a duration for a reader without rounding it: '10 s', '1.5 ms'."""
    for unit, factor in (("s", 10**9), ("ms", 10**6), ("µs", 10**3)):
        if abs(ns) >= factor:
            return f"{ns / factor:,.9f}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{ns} ns"


def human(ns: float | None, digits: int = 3) -> str:
    """Write three significant digits with a suitable unit: '12.3 ms', '850 µs'; '–' for None."""
    if ns is None or not math.isfinite(ns):
        return "–"
    for unit, factor in (("s", 10**9), ("ms", 10**6), ("µs", 10**3)):
        if abs(ns) >= _ROUNDS_UP * factor:
            return f"{significant(ns / factor, digits)} {unit}"
    return f"{ns:.0f} ns"


def milliseconds(ns: float | None) -> str:
    """Write milliseconds without the unit, for columns whose title has it."""
    if ns is None or not math.isfinite(ns):
        return "–"
    return significant(ns / NS_PER_MS)


def significant(value: float, digits: int = 3) -> str:
    """Use fixed notation with at least `digits` significant digits, and separate thousands."""
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # of the rounded value
    decimals = max(0, digits - 1 - exponent)
    return f"{value:,.{min(decimals, 6)}f}"


def how_many(number: int, what: str) -> str:
    """Write a number with its noun: '1 process', '1,000 threads'."""
    plural = "es" if what.endswith("s") else "s"
    return f"{number:,} {what}{'' if number == 1 else plural}"


def percent(fraction: float | None) -> str:
    """0.853 -> '85 %'."""
    return "–" if fraction is None else f"{100 * fraction:.0f} %"
