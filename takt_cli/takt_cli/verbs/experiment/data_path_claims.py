"""What the experiment `data-path` is to show, judged for each place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment.data_path import (
    DIRECT,
    FUTEX,
    LOANS,
    MIB,
    OTHER,
    PLACE_WORDS,
    RCLCPP,
    SAME,
    UDP,
    WITHIN,
    Found,
)
from takt_cli.verbs.experiment.data_path_program import Measured

FLAT = 1.2  # the largest over the smallest median of all sizes
ONE_SWITCH = 1.05  # voluntary switches of the receiver per message
NO_SWITCH = 0.05  # of every other thread of its process
_MUCH_SLOWER = 5.0
Verdict = bool | None  # None: not judged


@dataclass(frozen=True)
class Claim:
    """A claim with the figure that decides it."""

    text: str
    place: str
    figure: str
    holds: Verdict


def judge(found: Found) -> list[Claim]:
    """Judge all claims at the places that were measured."""
    claims: list[Claim] = []
    for place in found.places():
        if DIRECT in found.variants(place):
            claims += _at(found, place)
    return claims


def _at(found: Found, place: str) -> Iterator[Claim]:
    sizes = found.sizes()
    medians = [found.p50(DIRECT, place, size) for size in sizes]
    known = [one for one in medians if one is not None]
    spread = max(known) / max(min(known), 1.0) if len(known) == len(sizes) else None
    yield Claim(
        f"the latency without other threads is flat: the largest median of all sizes is at most "
        f"{FLAT:g} × the smallest one",
        place,
        "–" if spread is None else f"{spread:.2f} ×",
        None if spread is None else spread <= FLAT,
    )
    if LOANS in found.variants(place):
        ratios = [
            mine / theirs
            for size, mine in zip(sizes, medians, strict=True)
            if mine is not None and (theirs := found.p50(LOANS, place, size)) is not None
        ]
        worst = max(ratios) if len(ratios) == len(sizes) else None
        yield Claim(
            "it is below the latency of the zero-copy transport at every size",
            place,
            "–" if worst is None else f"{worst:.2f} × at most",
            None if worst is None else worst < 1.0,
        )
    large = 4 * MIB
    slow, fast = found.p50(UDP, place, large), found.p50(LOANS, place, large)
    times = slow / fast if slow is not None and fast else None
    yield Claim(
        f"at 4 MiB the latency without optimisation is at least {_MUCH_SLOWER:g} × that of the "
        "zero-copy transport",
        place,
        "–" if times is None else f"{times:.1f} ×",
        None if times is None else times >= _MUCH_SLOWER,
    )
    cells = [
        one for (variant, at, _), one in found.cells.items() if (variant, at) == (DIRECT, place)
    ]
    if place in (SAME, OTHER):
        yield from _receivers(cells, place)
    if place == WITHIN:
        switches = max(_others(one) for one in cells)
        yield Claim(
            f"no thread but the publisher's switches more than {NO_SWITCH:g} times per message",
            place,
            f"{switches:.3f}",
            switches <= NO_SWITCH,
        )


def _receivers(cells: list[Measured], place: str) -> Iterator[Claim]:
    most = max(
        (kind.voluntary for one in cells for kind in one.kinds() if kind.role == "receiver"),
        default=None,
    )
    yield Claim(
        f"the receiver has at most {ONE_SWITCH:g} voluntary switches per message",
        place,
        "–" if most is None else f"{most:.3f}",
        None if most is None else most <= ONE_SWITCH,
    )
    others = max(_others(one) for one in cells)
    yield Claim(
        f"no other thread switches more than {NO_SWITCH:g} times per message",
        place,
        f"{others:.3f}",
        others <= NO_SWITCH,
    )


def _others(one: Measured) -> float:
    """Give the most voluntary switches per message of threads of a kind that are neither side's."""
    return max((kind.voluntary for kind in one.kinds() if kind.role == "other"), default=0.0)


def verdicts(claims: list[Claim]) -> Table:
    """Show the claims."""
    table = Table("What was to be shown", ["claim", "where", "verdict", "measured"], words=2)
    words = {True: Cell("met", "good"), False: Cell("MISSED", "bad"), None: Cell("not judged")}
    for claim in claims:
        table.add(claim.text, PLACE_WORDS[claim.place], words[claim.holds], claim.figure)
    table.notes.append("not judged: too few samples for a median, or a variant is missing here")
    return table


def sentences(claims: list[Claim], found: Found) -> list[str]:
    """Sum up."""
    met = sum(claim.holds is True for claim in claims)
    missed = [
        f"{claim.text} ({PLACE_WORDS[claim.place]}: {claim.figure})"
        for claim in claims
        if claim.holds is False
    ]
    text = f"{met} of {len(claims)} claims were met"
    if missed:
        text += f"; missed: {'; '.join(missed)}"
    lines = [text + "."]
    for place in found.places():
        limit, mine = found.p50(FUTEX, place, 64), found.p50(DIRECT, place, 64)
        if limit and mine:
            lines.append(
                f"{PLACE_WORDS[place].capitalize()}: a message through a channel took "
                f"{mine / 1000:.3g} µs, the wake-up alone {limit / 1000:.3g} µs (medians, 64 B)."
            )
    stock, mine = found.p50(RCLCPP, WITHIN, 64), found.p50(DIRECT, WITHIN, 64)
    if stock and mine:
        lines.append(
            f"{PLACE_WORDS[WITHIN].capitalize()}: a message of rclcpp within the process took "
            f"{stock / 1000:.3g} µs, one of a sequence by pointer {mine / 1000:.3g} µs (medians, "
            "64 B)."
        )
    return lines
