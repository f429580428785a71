"""One run of a study under its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from takt_cli.results.run_results import Results


@dataclass(frozen=True)
class Configuration:
    """One run of a study under its name."""

    name: str
    results: Results
    note: str = ""
    muted: bool = False  # shown in grey: a baseline that cannot win
    accent: bool = False  # shown in the first colour: the subject of the study
    section: str = ""  # runs of one section are compared with each other and plotted together
    kept: Path | None = None  # where its results are
    records: Path | None = None  # where the raw record of each run of a callback is


def full_name(configuration: Configuration) -> str:
    """Name a run so that it is unique in the study."""
    return ", ".join(part for part in (configuration.section, configuration.name) if part)


def warnings_of(configurations: Sequence[Configuration]) -> list[str]:
    """Warnings of all runs, each once; those that all runs have stand without a name."""
    if not configurations:
        return []
    shared = set.intersection(*(set(c.results.warnings) for c in configurations))
    found = [w for w in configurations[0].results.warnings if w in shared]
    found += [
        f"{full_name(c)}: {w}"
        for c in configurations
        for w in c.results.warnings
        if w not in shared
    ]
    return list(dict.fromkeys(found))
