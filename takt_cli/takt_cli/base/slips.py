"""The known word that a user most likely meant; `./takt` has the same rule for trees not built."""

from __future__ import annotations

from collections.abc import Iterable

_MOST_SLIPS = 2
_LONGEST = 30  # nobody mistypes longer words into a command


def closest(word: str, known: Iterable[str]) -> str:
    """Give the known word with the fewest slips, the first of several; empty: none is close."""
    best, fewest = "", _MOST_SLIPS + 1
    for one in known if len(word) < _LONGEST else ():
        if (slips := _slips(word, one)) < min(fewest, len(word)):
            best, fewest = one, slips
    return best


def _slips(word: str, other: str) -> int:
    """Count letters that differ; letters that changed places count once."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(rows[-1][j - 1] + (letter != wanted), rows[-1][j] + 1, row[-1] + 1))
            if i > 1 and j > 1 and (letter, word[i - 2]) == (other[j - 2], wanted):
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]
