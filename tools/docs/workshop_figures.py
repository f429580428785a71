#!/usr/bin/env python3
"""Renews the figures and the pictures of docs/workshop from a run of all exercises.

    tools/docs/workshop_figures.py             runs ./takt experiment workshop (8 minutes), then:
    tools/docs/workshop_figures.py FOLDER      from the folder of such a run

On each page it replaces the text between `<!-- figures -->` and `<!-- end -->`, and the picture.
Run it on an idle machine, and read the claims that it prints. Exit code 1: a claim was missed (the
page says so), or the experiment failed; 2: the folder is not that of a whole run.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "takt_cli"))

from takt_cli.base.units import human  # noqa: E402

EXERCISES = ("1", "2-1", "2-2", "2-3", "3-1", "3-2", "4-1", "4-2")
_FINE = ("4-1",)  # whose periods differ in the fourth digit
_COLUMNS = ("variant", "count", "min", "avg", "max", "presenters", "overruns", "in host stalls")
_LAST = "max with them"
_TIMES = ("min", "avg", "max", _LAST)
_BLOCK = re.compile(r"<!-- figures -->\n.*?<!-- end -->", re.DOTALL)
_OTHERS = re.compile(r"Other programs used up to (\S+) cores")
_CLAIMS = "What was to be shown"
_HOLD = ("met", "fault shown")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


class NotARunError(Exception):
    """The folder does not have what a whole run leaves."""


def renew(folder: Path, pages: Path) -> list[str]:
    """Write the figures of the run to the pages; give the claims that it missed."""
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise NotARunError(f"{folder} has no summary of a run: {error}") from error
    if summary.get("kind") != "experiment workshop":
        raise NotARunError(f"{folder} is of another experiment: {summary.get('kind')}")
    if "--quick" in summary["command"] or "--duration" in summary["command"]:
        raise NotARunError(f"{folder} is of a short run: {summary['command']}")
    texts = {name: _text(name, summary) for name in EXERCISES}
    pictures = {name: _picture(name, folder) for name in EXERCISES}
    for name in EXERCISES:
        page = pages / f"{name}.md"
        block = f"<!-- figures -->\n{texts[name]}<!-- end -->"
        before = page.read_text(encoding="utf-8")
        after, found = _BLOCK.subn(lambda _, block=block: block, before)
        if found != 1:
            raise NotARunError(f"{page} has {found} places for figures, not 1")
        page.write_text(after, encoding="utf-8")
        shutil.copyfile(pictures[name], pages / f"{name}.svg")
    return [" ".join(words) for name in EXERCISES for words in _missed(name, summary)]


def _text(name: str, summary: dict[str, Any]) -> str:
    """Write what comes between the two marks."""
    table = _table(summary, lambda title: title.startswith(f"{name} ") and ": other" not in title)
    columns = table["columns"]
    shown = [one for one in (*_COLUMNS, _LAST) if one in columns]
    lines = [f"| {' | '.join(shown)} |", "|" + "---|" * len(shown)]
    for row in table["rows"]:
        cells = dict(zip(columns, row, strict=True))
        lines.append(f"| {' | '.join(_cell(name, one, cells[one]) for one in shown)} |")
    missed = [f"{claim} ({measured})" for claim, measured in _missed(name, summary)]
    said = [f"This run missed a claim: {one}." for one in missed]
    return "\n".join([_machine(summary), "", *lines, *(["", *said] if said else []), ""])


def _machine(summary: dict[str, Any]) -> str:
    host = summary["host"]
    count = len(host["cores"])
    words = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    machine = f"a {'virtual ' if host['virtual'] else ''}machine of {words} core"
    machine += "" if count == 1 else "s"
    others = _OTHERS.search(" ".join(summary["sentences"]))
    beside = (
        f", **beside other programs that used up to {others.group(1)} cores**" if others else ""
    )
    stalls = ", outside of host stalls" if host["virtual"] else ""
    return f"On {machine}{beside}{stalls}:"


def _cell(name: str, column: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if column in _TIMES:
        return f"{value / 1e6:.2f} ms" if name in _FINE else human(value)
    return f"{value:,}"


def _missed(name: str, summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    claims = _table(summary, lambda title: title == _CLAIMS)
    for exercise, claim, verdict, measured in claims["rows"]:
        if exercise == name and verdict not in _HOLD:
            yield claim, f"{verdict}: {measured}"


def _table(summary: dict[str, Any], wanted: Any) -> dict[str, Any]:
    found = [one for one in summary["tables"] if wanted(one["title"])]
    if len(found) != 1:
        raise NotARunError(f"the run has {len(found)} such tables, not 1; run all exercises")
    return found[0]


def _picture(name: str, folder: Path) -> Path:
    found = sorted(folder.glob(f"workshop-{name}-[a-z]*.svg"))
    if len(found) != 1:
        raise NotARunError(f"{folder} has {len(found)} pictures of exercise {name}, not 1")
    return found[0]


def main(arguments: Sequence[str]) -> int:
    """Run the exercises if no folder is given; renew the pages."""
    if len(arguments) > 1 or any(one.startswith("-") for one in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="takt-workshop-") as scratch:
        folder = Path(arguments[0]) if arguments else Path(scratch, "run")
        if not arguments:
            command = [str(ROOT / "takt"), "experiment", "workshop", "-o", str(folder)]
            code = subprocess.run(command, check=False).returncode
            if code not in (0, 1):
                return code
        try:
            missed = renew(folder, ROOT / "docs/workshop")
        except NotARunError as error:
            print(f"workshop_figures: {error}", file=sys.stderr)
            return 2
    for claim in missed:
        print(f"missed: {claim}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
