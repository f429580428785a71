"""The data path: latency, switches and CPU time of messages, by size, place and variant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from takt_cli.base.units import NS_PER_S
from takt_cli.results.samples import percentile
from takt_cli.verbs.experiment.data_path_program import (
    Floors,
    Measured,
    run_data_path,
    run_floors,
)
from takt_cli.verbs.experiment.setting import Setting

UDP, STANDARD, LOANS, DIRECT, FUTEX = "udp", "standard", "loans", "direct", "futex"
VARIANTS = (UDP, STANDARD, LOANS, DIRECT)
# rclcpp's own ways, within one process.
RCLCPP, POOL = "rclcpp", "rclcpp_pool"
OF_RCLCPP = (RCLCPP, POOL)
SAME, OTHER, WITHIN = "same_core", "other_core", "one_thread"
PLACES = (SAME, OTHER, WITHIN)
PLACE_WORDS = {
    SAME: "two processes, same core",
    OTHER: "two processes, two cores",
    WITHIN: "one thread",
}
KIB, MIB = 1024, 1024**2
# Powers of four, and the largest message that the experiment has.
SIZES = (*(64 * 4**n for n in range(9)), 8 * MIB)
QUICK_SIZES = (64, 4 * MIB)
INTERVAL_NS = 1_000_000
# Slow ways end with fewer messages.
LONGEST_NS = 20 * NS_PER_S
# A measurement's start, discovery and end.
_START_S = 0.7


def size_words(size: int) -> str:
    """'64 B', '16 KiB', '8 MiB'."""
    if size < KIB:
        return f"{size} B"
    return f"{size // KIB} KiB" if size < MIB else f"{size // MIB} MiB"


@dataclass(frozen=True)
class Campaign:
    """How much is measured."""

    sizes: tuple[int, ...]
    places: tuple[str, ...]
    messages: int  # of each size, in all rounds
    rounds: int = 1
    variants: tuple[str, ...] = VARIANTS

    def cells(self) -> Iterator[tuple[str, str, int]]:
        """Variant, place and size of each measurement; the variants of a size follow one another.

        A round has each of them once: what changes with the hour changes all alike.

        The wake-up has no size.
        """
        for place in self.places:
            if place != WITHIN:
                yield FUTEX, place, 64
            own = OF_RCLCPP if place == WITHIN else ()
            for size in self.sizes:
                for variant in (*self.variants, *own):
                    yield variant, place, size

    def expected_s(self) -> float:
        """How long they should take."""
        each = _START_S * self.rounds + self.messages * INTERVAL_NS / NS_PER_S
        return each * sum(1 for _ in self.cells())


def places_of(cores: Sequence[int]) -> tuple[str, ...]:
    """Give the places that so many cores allow."""
    return PLACES if len(cores) > 1 else (SAME, WITHIN)


@dataclass
class Found:
    """All measurements."""

    floors: Floors
    cells: dict[tuple[str, str, int], Measured] = field(default_factory=dict)
    # Variants that this build or middleware does not have, and why.
    missing: dict[tuple[str, str], str] = field(default_factory=dict)

    def places(self) -> list[str]:
        """Give the places that were measured, in their order."""
        had = {place for _, place, _ in self.cells}
        return [place for place in PLACES if place in had]

    def variants(self, place: str) -> list[str]:
        """Give the variants that were measured there."""
        had = {variant for variant, at, _ in self.cells if at == place}
        return [variant for variant in (*VARIANTS, *OF_RCLCPP) if variant in had]

    def sizes(self) -> list[int]:
        """Give the sizes that were measured."""
        return sorted({size for variant, _, size in self.cells if variant != FUTEX})

    def wake_up(self, place: str) -> Measured | None:
        """Give the physical limit of a message between processes."""
        return self.cells.get((FUTEX, place, 64))

    def p50(self, variant: str, place: str, size: int) -> float | None:
        """Median of the clean latencies; None with too few of them."""
        cell = self.cells.get((variant, place, size))
        return None if cell is None else percentile(cell.clean, 50)


def measure(
    setting: Setting, campaign: Campaign, done: Callable[[str], None] = lambda _: None
) -> Found:
    """Measure all cells. Calls `done` before each place of each round."""
    raw = setting.directory / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    found = Found(run_floors(campaign.sizes, raw / "floors.json", setting.cores))
    for number in range(1, campaign.rounds + 1):
        last = ""
        for variant, place, size in campaign.cells():
            if place != last:
                done(f"round {number} of {campaign.rounds}, {PLACE_WORDS[place]} ...")
                last = place
            if (variant, place) in found.missing:
                continue
            one = run_data_path(
                variant,
                place,
                size,
                raw / f"{place}-{variant}-{size}-{number}.json",
                messages=math.ceil(campaign.messages / campaign.rounds),
                interval_ns=INTERVAL_NS,
                longest_ns=LONGEST_NS // campaign.rounds,
                cores=setting.cores,
            )
            if isinstance(one, str):
                found.missing[variant, place] = one
            else:
                found.cells.setdefault((variant, place, size), Measured()).runs.append(one)
    return found
