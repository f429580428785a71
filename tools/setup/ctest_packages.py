#!/usr/bin/env python3
"""Print what the tests of each package did in one run of ctest over the tests of all packages.

    ctest_packages.py SHOWN LOG

SHOWN is what `ctest --show-only=json-v1` says of the same directory without a filter, LOG what the
run said. Each line of the answer is: package, tests, failed ones, and the seconds that its tests
took (they ran side by side, so the seconds of all packages are more than what a clock showed).
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

# "12/60 Test #39: data_interleaving_test ....   Passed    1.09 sec", or "...***Failed    0.20 sec"
RESULT = re.compile(r"\s*\d+/\d+ Test\s+#(\d+): .*?(Passed|\*\*\*.*?)\s+([\d.]+) sec\s*$")


def packages_of(shown: str) -> list[str]:
    """Return the package of each test, in the order of their numbers."""
    found = []
    for test in json.loads(shown)["tests"]:
        folder = next(p["value"] for p in test["properties"] if p["name"] == "WORKING_DIRECTORY")
        parts = Path(folder).parts
        found.append(next((part for part in reversed(parts) if part.startswith("takt_")), "others"))
    return found


def main(arguments: list[str]) -> int:
    """Print the lines."""
    shown, log = (Path(name).read_text(encoding="utf-8", errors="replace") for name in arguments)
    packages = packages_of(shown)
    results: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for line in log.splitlines():
        match = RESULT.match(line)
        if match:
            result = results[packages[int(match[1]) - 1]]
            result[0] += 1
            result[1] += match[2] != "Passed" and not match[2].startswith("***Skipped")
            result[2] += float(match[3])
    for package, (tests, failed, seconds) in sorted(results.items()):
        print(package, tests, failed, round(seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
