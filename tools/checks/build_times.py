#!/usr/bin/env python3
"""Print how many seconds the compiler and the linker took, from ninja's logs.

    build_times.py [--json] [--slowest N] [BUILD]

BUILD is the folder in which each package has its build directory, or the folder above it;
`build/kilted` of this repository by default. Read are BUILD/build/PACKAGE/.ninja_log. The last run
of each step counts. A step that ccache answers takes almost no time, so figures that are to be
compared come from an empty build directory and an empty ccache (CCACHE_RECACHE=1 does as well).
Steps run side by side: the sum is more than what a clock on the wall shows.

Each step is of one kind: `tests` (what comes from a `test` folder, and programs that are linked
from it), `experiments` (the rest of the packages that only measure) or `users` (libraries and
programs that a user needs). Exit code 2: the log is missing, or of another version.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("users", "experiments", "tests")
EXPERIMENT_PACKAGES = frozenset({"takt_bench"})
# Version 7 differs from 5 and 6 in the hash only.
VERSIONS = frozenset({"# ninja log v5", "# ninja log v6", "# ninja log v7"})
OBJECT = re.compile(
    r"(?P<directory>.*?)CMakeFiles/(?P<target>[^/]+)\.dir/(?P<file>.+\.gch|.+(?=\.o$))"
)
# What names tell where the path does not: precompiled headers, and several sources compiled as one.
TEST_TARGET = re.compile(r".*_test(s|_headers|_support|_main)?")


class BadLogError(Exception):
    """A log that is missing or cannot be read."""


@dataclass(frozen=True)
class Step:
    """One command that ninja ran; a command with several outputs is one step."""

    package: str
    output: str
    kind: str
    seconds: float


def is_test_path(path: str) -> bool:
    """Tell whether one of the folders of a path is named `test`."""
    return "test" in Path(path).parts[:-1]


def is_test_step(output: str) -> bool:
    """Tell whether an object comes from a `test` folder, or by its target's name from one."""
    match = OBJECT.match(output)
    return match is not None and (
        is_test_path(match["directory"] + "x")
        or is_test_path(match["file"])
        or TEST_TARGET.fullmatch(match["target"]) is not None
    )


def test_targets(outputs: list[str]) -> set[str]:
    """Return the names of the targets that are compiled from a `test` folder."""
    return {OBJECT.match(output)["target"] for output in outputs if is_test_step(output)}


def target_of(output: str) -> str:
    """Return the name of the target that an output belongs to."""
    match = OBJECT.match(output)
    if match:
        return match["target"]
    name = Path(output).name
    return re.sub(r"^lib(.*)\.(a|so[.\d]*)$", r"\1", name)


def read_log(log: Path, package: str) -> list[Step]:
    """Return the steps of one package."""
    lines = log.read_text(encoding="utf-8").splitlines()
    if not lines or lines[0] not in VERSIONS:
        raise BadLogError(f"{log}: not a log of ninja that this program knows (version 5 to 7)")
    last: dict[str, tuple[int, int, str]] = {}
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        if len(fields) != 5 or not (fields[0].isdigit() and fields[1].isdigit()):
            raise BadLogError(f"{log}:{number}: not five fields, of which two are times: {line!r}")
        last[fields[3]] = (int(fields[0]), int(fields[1]), fields[4])
    tests = test_targets(list(last))
    steps: dict[tuple[int, int, str], Step] = {}
    for output, run in last.items():
        if target_of(output) in tests:
            kind = "tests"
        else:
            kind = "experiments" if package in EXPERIMENT_PACKAGES else "users"
        steps.setdefault(run, Step(package, output, kind, (run[1] - run[0]) / 1000))
    return list(steps.values())


def read_build(build: Path) -> list[Step]:
    """Return the steps of all packages."""
    base = build / "build" if (build / "build").is_dir() else build
    logs = sorted(base.glob("*/.ninja_log"))
    if not logs:
        raise BadLogError(f"{base}: no package was built here (no */.ninja_log); run `make build`")
    return [step for log in logs for step in read_log(log, log.parent.name)]


def summary(steps: list[Step], slowest: int) -> dict[str, Any]:
    """Return the printed figures, as data."""
    packages: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(KINDS, 0.0))
    kinds = dict.fromkeys(KINDS, 0.0)
    for step in steps:
        packages[step.package][step.kind] += step.seconds
        kinds[step.kind] += step.seconds
    slow = sorted(steps, key=lambda step: -step.seconds)[:slowest]
    return {
        "packages": {name: packages[name] for name in sorted(packages)},
        "kinds": kinds,
        "total": sum(kinds.values()),
        "slowest": [
            {"package": s.package, "output": s.output, "kind": s.kind, "seconds": s.seconds}
            for s in slow
        ],
    }


def text(data: dict[str, Any]) -> str:
    """Return a table for people."""
    head = f"{'seconds of':20}" + "".join(f"{kind:>13}" for kind in KINDS) + f"{'all':>9}"
    lines = [head]
    for name, kinds in [*data["packages"].items(), ("all", data["kinds"])]:
        row = f"{name:20}" + "".join(f"{kinds[kind]:13.1f}" for kind in KINDS)
        lines.append(row + f"{sum(kinds.values()):9.1f}")
    lines += ["", "slowest:"]
    for step in data["slowest"]:
        match = OBJECT.match(step["output"])
        name = f"{match['target']}: {match['file']}" if match else step["output"]
        lines.append(f"{step['seconds']:7.1f}  {step['package']:16} {name}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the table of a build."""
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description="Seconds of the compiler and the linker.")
    parser.add_argument("build", nargs="?", type=Path, default=here / "build/kilted")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--slowest", type=int, default=20, metavar="N", help="this many steps")
    options = parser.parse_args(arguments)
    try:
        data = summary(read_build(options.build), max(0, options.slowest))
    except BadLogError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(data, indent=2) if options.json else text(data))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
