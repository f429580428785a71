"""Statistics of samples, and the rule for percentiles.

A percentile is shown only if at least ten samples lie beyond it; with fewer it says more about
chance than about the system. p50 takes 20 samples, p90 100, p99 1,000.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float64]

SAMPLES_BEYOND = 10
TAILS = (99.9, 99.0, 95.0, 90.0, 75.0)


def as_samples(values: Iterable[float] | None) -> Samples:
    """Make an array of the numbers, without null values."""
    array = np.asarray([v for v in values or () if v is not None], dtype=np.float64)
    return array[np.isfinite(array)]


def supported(count: int, percent: float) -> bool:
    """Whether at least ten of `count` samples lie beyond the percentile."""
    # Rounded, or 1000 * 0.01 would be a hair below ten.
    return round(count * (100.0 - percent) / 100.0, 6) >= SAMPLES_BEYOND


def percentile(samples: Samples, percent: float) -> float | None:
    """Find the smallest sample that `percent` of all do not exceed; None if too few are beyond."""
    count = len(samples)
    if not supported(count, percent):
        return None
    rank = _rank(count, percent)
    return float(np.partition(samples, rank - 1)[rank - 1])


def bucket_percentile(
    count: int, largest: int, buckets: Iterable[tuple[int, int, int]], percent: float
) -> int | None:
    """Find the percentile of a histogram as `percentile` does, to within a bucket.

    A bucket is its first and last value, and the number of samples in it.
    """
    if not supported(count, percent):
        return None
    rank = _rank(count, percent)
    passed = 0
    for _, last, number in buckets:
        passed += number
        if passed >= rank:
            return min(last, largest)
    return largest


def _rank(count: int, percent: float) -> int:
    # Rounded, or 1000 * 0.99 could be a hair above its rank.
    return max(1, math.ceil(round(count * percent / 100.0, 6)))


def tail_percentile(counts: Iterable[int]) -> float:
    """Find the highest percentile that all non-empty sets support; 50 if none does."""
    smallest = min((count for count in counts if count > 0), default=0)
    return next((tail for tail in TAILS if supported(smallest, tail)), 50.0)


def samples_needed(percent: float) -> int:
    """How many samples a percentile takes."""
    return math.ceil(round(SAMPLES_BEYOND * 100.0 / (100.0 - percent), 6))


def percentile_name(percent: float) -> str:
    """'p99', 'p99.9'."""
    return f"p{percent:g}"


@dataclass(frozen=True)
class Summary:
    """The statistics of one set of samples; None for those that need more samples."""

    count: int
    mean: float | None = None
    std: float | None = None
    min: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    p999: float | None = None
    max: float | None = None


def summarise(samples: Samples) -> Summary:
    """Summarise; empty samples give a count of 0 and nothing else."""
    if len(samples) == 0:
        return Summary(count=0)
    return Summary(
        count=len(samples),
        mean=float(samples.mean()),
        std=float(samples.std(ddof=1)) if len(samples) > 1 else None,
        min=float(samples.min()),
        p50=percentile(samples, 50),
        p90=percentile(samples, 90),
        p99=percentile(samples, 99),
        p999=percentile(samples, 99.9),
        max=float(samples.max()),
    )


def ecdf(samples: Samples, most_points: int = 1000) -> tuple[Samples, Samples]:
    """Empirical distribution as (value, share at or below), thinned but with both ends kept.

    Half of the points go to the slowest twentieth, where the interest is.
    """
    ordered = np.sort(samples)
    count = len(ordered)
    if count > most_points:
        body = np.linspace(0, 0.95 * count, most_points // 2)
        tail = np.linspace(0.95 * count, count - 1, most_points // 2)
        index = np.unique(np.concatenate([body, tail]).astype(int))
    else:
        index = np.arange(count)
    return ordered[index], (index + 1) / max(count, 1)
