"""The output of `takt latency`: tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.console import out
from takt_cli.base.units import exactly
from takt_cli.verbs.latency.measurement import (
    LatencySetting,
)
from takt_cli.verbs.latency.results import LatencyRun
from takt_cli.verbs.latency.table import latency_table, rights_line, sentences


def setting_words(setting: LatencySetting) -> str:
    """Describe the setting of the measurement."""
    count = len(setting.cores)
    cores = f"core {setting.cores[0]}" if count == 1 else f"{count} cores"
    load = "with a busy thread on each core" if setting.load else "without load"
    return f"every {exactly(setting.interval_ns)} on {cores}, {load}"


def print_runs(runs: Sequence[LatencyRun], words: str, virtual: bool) -> None:
    """Print the tables of runs, and sentences about them."""
    console = out()
    for line in dict.fromkeys(filter(None, map(rights_line, runs))):
        console.print(line, style="yellow", markup=False, soft_wrap=True)
    if any(run.ended_early for run in runs):
        console.print("Ended early: these figures are of the time until the interrupt.")
    for run in runs:
        latency_table(run, virtual).print_to(console, apart=run is not runs[0])
    console.print()
    for sentence in sentences(runs, words, virtual):
        console.print(sentence, markup=False)
