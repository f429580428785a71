"""From times to places in a picture, linear or logarithmic, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt_cli.base.units import human

_UNITS = (("s", 10**9), ("ms", 10**6), ("µs", 10**3), ("ns", 1))


@dataclass(frozen=True)
class Scale:
    """Times from `low` to `high` (ns) lie from `begin` to `end` (pixels)."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def at(self, ns: float) -> float:
        """Give the place of a time; times beyond the scale lie at its ends."""
        if self.log:
            low, high = math.log10(max(self.low, 1)), math.log10(max(self.high, 1))
            value = math.log10(max(ns, 1))
        else:
            low, high, value = self.low, self.high, ns
        part = 0.0 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0)
        return round(self.begin + part * (self.end - self.begin), 1)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round times with their words, about `most` of them."""
        if self.high <= self.low:
            return []
        return list(self._decades(most) if self.log else self._steps(most))

    def _steps(self, most: int) -> Iterator[tuple[float, str]]:
        step = round_step((self.high - self.low) / max(most, 1))
        unit, factor = unit_of(max(abs(self.low), abs(self.high)))
        for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            value = number * step
            yield value, f"{round(value / factor, 6):g} {unit}"

    def _decades(self, most: int) -> Iterator[tuple[float, str]]:
        first = math.floor(math.log10(max(self.low, 1)))
        last = math.ceil(math.log10(max(self.high, 1)))
        wide = last - first
        parts: Sequence[int] = (1, 2, 5) if 3 * wide <= most else (1,)
        every = max(1, math.ceil(wide / max(most, 1)))
        for power in range(first, last + 1, every):
            for part in parts:
                value = float(part * 10**power) if power >= 0 else 0.0
                if self.low <= value <= self.high:
                    yield value, human(value, digits=1)


def round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten that is not below `rough`."""
    power = 10.0 ** math.floor(math.log10(max(rough, 1e-9)))
    return next(part * power for part in (1, 2, 5, 10) if part * power >= rough * (1 - 1e-9))


def unit_of(ns: float) -> tuple[str, int]:
    """Give the unit that fits a time, and its length in ns."""
    return next((unit for unit in _UNITS if ns >= unit[1]), _UNITS[-1])
