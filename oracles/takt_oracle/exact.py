"""Exact time: integers, and fractions of a nanosecond only where cores are shared fluidly."""

from __future__ import annotations

from fractions import Fraction

Num = int | Fraction


def exact(value: Num) -> Num:
    """Turn the number into an int wherever it is whole."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    return value


def divide(dividend: Num, divisor: Num) -> Num:
    """Return the exact quotient."""
    if divisor == 1:
        return dividend
    return exact(Fraction(dividend) / Fraction(divisor))


def to_ns(value: Num) -> int:
    """Round to the nearest nanosecond, for reports."""
    return value if isinstance(value, int) else round(value)
