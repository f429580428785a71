"""Says which tests pytest skipped, for the summary of a test run: one line for each reason.

    pytest_skips.py LOG...

Each log is what `pytest -rs` printed. Several processes shared the tests.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] \S+?(?::\d+)?: (.+)$", re.MULTILINE)


def skips(logs: Iterable[str]) -> list[str]:
    """Give a line for each reason, those with most tests first."""
    counts: Counter[str] = Counter()
    for log in logs:
        for number, reason in _SKIPPED.findall(log):
            counts[reason] += int(number)
    return [f"{'Python':<20} {number:5} skipped: {why}" for why, number in counts.most_common()]


if __name__ == "__main__":
    texts = [Path(name).read_text("utf-8", "replace") for name in sys.argv[1:]]
    print("\n".join(skips(texts)))
