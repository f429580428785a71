"""What experiment 1 shows: each chain beside the oracle's prediction."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.units import milliseconds, significant
from takt_cli.results.configuration import Configuration
from takt_cli.results.samples import summarise
from takt_cli.tables.run_tables import ms
from takt_cli.tables.skipped_periods import skipped_notes
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.executors import SHAPES, ordered_chains, predictions
from takt_cli.verbs.experiment.oracle import Prediction, oracle_directory
from takt_cli.verbs.experiment.setting import Setting


def table(
    configurations: Sequence[Configuration],
    setting: Setting,
    cost_ns: int,
    period_ns: int,
    title: str,
) -> Table:
    """One row per configuration and chain."""
    result = Table(
        title,
        [
            "configuration",
            "chain",
            "samples",
            "mean",
            "std",
            "p99",
            "max",
            "oracle",
            "mean / oracle",
            "CPU %",
            "switches/s",
        ],
    )
    for shape, configuration in zip(SHAPES, configurations, strict=True):
        run = configuration.results
        expected = predictions(shape, run, len(setting.cores), cost_ns, period_ns)
        for index, chain in enumerate(ordered_chains(run)):
            summary = summarise(chain.responses.values)
            prediction = expected[index]
            first = index == 0
            result.add(
                shape.name if first else "",
                str(index + 1),
                count_cell(summary.count),
                ms(summary.mean),
                ms(summary.std),
                ms(summary.p99),
                ms(summary.max),
                oracle_cell(prediction),
                ratio_cell(summary.mean, prediction),
                f"{100 * run.cpu_share:.1f}" if first else "",
                f"{run.switches_per_s:,.0f}" if first else "",
            )
    cores = len(setting.cores)
    result.notes.append(
        f"oracle: an executor without any overhead on {cores} core{'s' if cores > 1 else ''} under "
        "the policy that was granted, same phases; times in ms from the timer's release"
    )
    result.notes += skipped_notes(configurations)
    if oracle_directory() is None:
        result.notes.append("the oracle (oracles/takt_oracle) is not here: no prediction")
    return result


def oracle_cell(prediction: Prediction | None) -> Cell:
    """One value, or the range over the cycle."""
    if prediction is None:
        return Cell("–")
    least, most = milliseconds(prediction.least), milliseconds(prediction.most)
    text = least if least == most else f"{least} to {most}"
    return Cell(text, value=round(prediction.mean / 1e6, 6))


def ratio_cell(mean: float | None, prediction: Prediction | None) -> Cell:
    """Measured over predicted."""
    if mean is None or prediction is None:
        return Cell("–")
    ratio = mean / prediction.mean
    return Cell(significant(ratio), value=round(ratio, 4))


def sentences(configurations: Sequence[Configuration], phase: str) -> list[str]:
    """Say which configuration had the shortest and the longest worst response."""
    worst = sorted(
        (
            max(
                (c.responses.values.max() for c in conf.results.chains if len(c.responses.values)),
                default=float("inf"),
            ),
            shape.name,
        )
        for shape, conf in zip(SHAPES, configurations, strict=True)
    )
    (best, best_name), (last, last_name) = worst[0], worst[-1]
    if not last > 1.05 * best:
        return [f"{phase}: the worst responses of all configurations are within 5 %."]
    return [
        f"{phase}: the worst response of any chain was shortest under {best_name} "
        f"({milliseconds(best)} ms) and longest under {last_name} ({milliseconds(last)} ms)."
    ]
