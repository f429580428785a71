#!/usr/bin/env python3
"""Print how much the compiler has to do for each package; fail where one is over its budget.

    compile_work.py [--json] [--largest N] [--budgets FILE] [BUILD]

BUILD is the folder in which each package has its build directory, or the folder above it;
`build/kilted` of this repository by default. It must have been built with tests (`make test`), with
several sources compiled as one (`UNITY=yes`, the default).

Seconds of a clock depend on the machine, on what else runs and on ccache. So the work is computed
from what does not: the bytes that the compiler reads for an object (all headers; those of a
precompiled header count where that is compiled) and the bytes of the object that it writes. Both
are weighed so that the sum is about the CPU seconds that the object takes on two cores of an AMD
EPYC with GCC 12. `build_times.py` prints the seconds that a build took.

tools/checks/compile_budgets.json has the budget of each package and kind (`users`, `experiments`,
`tests`, see build_times.py), for a build without rclcpp, as CI makes it. A package that was built
with rclcpp is much larger; it is shown, and not judged. Exit code 1: a package is over its budget,
or has none. Exit code 2: the build is missing, or it is of another kind.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_times

SECONDS_READ = 0.4e-6  # for each byte that the compiler reads
# For each byte of an object. Objects of tests are not optimised: made sooner, and twice as large.
SECONDS_WRITTEN = {"users": 1.7e-6, "experiments": 1.7e-6, "tests": 0.85e-6}
# What a precompiled header takes beyond its parsing: it is written with all that was parsed.
SECONDS_PRECOMPILED = 1.5


class BadBuildError(Exception):
    """A build that is missing, or that the budgets are not about."""


@dataclass(frozen=True)
class Work:
    """What one object costs."""

    package: str
    output: str
    kind: str
    seconds: float


class Sizes:
    """Sizes of files, each asked for once; a file that is gone has none."""

    def __init__(self) -> None:
        self._known: dict[Path, int] = {}

    def of(self, path: Path) -> int:
        """Return the size in bytes."""
        if path not in self._known:
            try:
                self._known[path] = path.stat().st_size
            except OSError:
                self._known[path] = 0
        return self._known[path]


def dependencies(text: str) -> dict[str, list[str]]:
    """Return the files that each object was compiled from, of what `ninja -t deps` says."""
    found: dict[str, list[str]] = {}
    files: list[str] = []
    for line in text.splitlines():
        if line.startswith("    "):
            files.append(line.strip())
        elif ": #deps " in line:
            files = found.setdefault(line.split(": #deps ")[0], [])
    return found


def seconds(directory: Path, output: str, kind: str, files: list[str], sizes: Sizes) -> float:
    """Return the seconds that an object is worth."""
    read = sum(sizes.of(directory / file) for file in files if not file.endswith(".gch"))
    if output.endswith(".gch"):
        return SECONDS_READ * read + SECONDS_PRECOMPILED
    return SECONDS_READ * read + SECONDS_WRITTEN[kind] * sizes.of(directory / output)


def package_work(directory: Path, sizes: Sizes) -> list[Work]:
    """Return the work of one package."""
    package = directory.name
    run = subprocess.run(
        ["ninja", "-C", directory, "-t", "deps"], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise BadBuildError(f"{directory}: ninja does not say what was compiled: {run.stderr}")
    found = dependencies(run.stdout)
    tests = build_times.test_targets(list(found))
    work = []
    for output, files in found.items():
        kind = "experiments" if package in build_times.EXPERIMENT_PACKAGES else "users"
        if build_times.target_of(output) in tests:
            kind = "tests"
        work.append(Work(package, output, kind, seconds(directory, output, kind, files, sizes)))
    return work


def build_work(build: Path) -> list[Work]:
    """Return the work of all packages."""
    base = build / "build" if (build / "build").is_dir() else build
    logs = sorted(base.glob("*/.ninja_log"))
    if not logs:
        raise BadBuildError(f"{base}: no package was built here; run `make test`")
    unity = base.parent / ".unity"
    if unity.exists() and unity.read_text().strip() != "yes":
        raise BadBuildError(
            f"{build} was built with UNITY=no, and the budgets are for UNITY=yes;"
            " run `UNITY=yes make test`"
        )
    if shutil.which("ninja") is None:
        raise BadBuildError("ninja is not installed; run `make setup`")
    sizes = Sizes()
    return [one for log in logs for one in package_work(log.parent, sizes)]


def built_with_rclcpp(build: Path) -> set[str]:
    """Return the packages that found rclcpp when they were configured."""
    base = build / "build" if (build / "build").is_dir() else build
    return {
        cache.parent.name
        for cache in base.glob("*/CMakeCache.txt")
        if re.search(r"(?m)^rclcpp_DIR:\w+=(?!.*-NOTFOUND$).", cache.read_text(errors="replace"))
    }


def faults(work: dict[str, dict[str, float]], budgets: dict[str, dict[str, float]]) -> list[str]:
    """Return a sentence for each package and kind that is over its budget."""
    found = []
    for package, kinds in work.items():
        if package not in budgets:
            found.append(f"{package} has no budget; add it to tools/checks/compile_budgets.json")
            continue
        for kind, value in kinds.items():
            allowed = budgets[package].get(kind, 0)
            if round(value) > allowed:
                found.append(
                    f"{package}: compiling for {kind} is worth {value:.0f} s, and its budget is"
                    f" {allowed:g} s; include or instantiate less (the largest objects are above),"
                    " or raise the budget"
                    " in tools/checks/compile_budgets.json and say why"
                )
    return found


def text(work: list[Work], data: dict[str, Any], largest: int) -> str:
    """Return a table for people."""
    lines = [f"{'seconds worth':20}" + "".join(f"{kind:>19}" for kind in build_times.KINDS)]
    for package, kinds in data["packages"].items():
        cells = []
        for kind in build_times.KINDS:
            budget = data["budgets"].get(package, {}).get(kind)
            value = f"{kinds.get(kind, 0):.0f}"
            cells.append(f"{value:>10}" + (f" of {budget:4g}" if budget else "        ") + " ")
        lines.append(f"{package:20}" + "".join(cells).rstrip())
    over = {fault.split(":")[0].split(" ")[0] for fault in data["faults"]}
    shown = [one for one in work if not over or one.package in over]
    lines += ["", "largest:"]
    for one in sorted(shown, key=lambda one: -one.seconds)[:largest]:
        lines.append(f"{one.seconds:7.1f}  {one.package:18} {one.output}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the table of a build, and compare it with the budgets."""
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description="The compiler's work, by package.")
    parser.add_argument("build", nargs="?", type=Path, default=here / "build/kilted")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--largest", type=int, default=10, metavar="N", help="so many objects")
    parser.add_argument(
        "--budgets", type=Path, default=here / "tools/checks/compile_budgets.json", metavar="FILE"
    )
    options = parser.parse_args(arguments)
    try:
        work = build_work(options.build)
        budgets = json.loads(options.budgets.read_text(encoding="utf-8"))
    except (BadBuildError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    packages: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for one in work:
        packages[one.package][one.kind] += one.seconds
    other = built_with_rclcpp(options.build)
    judged = {package: kinds for package, kinds in packages.items() if package not in other}
    data = {"packages": packages, "budgets": budgets, "faults": faults(judged, budgets)}
    print(json.dumps(data, indent=2) if options.json else text(work, data, options.largest))
    for package in sorted(other & packages.keys()):
        print(f"{package} was built with rclcpp, and its budget is without", file=sys.stderr)
    for fault in data["faults"]:
        print(fault, file=sys.stderr)
    return 1 if data["faults"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
