"""The reference system as its own program, under a schedule with and without its quiet keys."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from takt_cli.base.units import significant
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.schedule_files import (
    Schedule,
    on_cores,
    read_schedule,
    without_quiet_keys,
    write_schedule,
)
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment.adopted_program import Run, published, run
from takt_cli.verbs.experiment.setting import Setting

SCHEDULE = "autoware_adopted"
WITH, WITHOUT = "with the keys", "without them"
HALF = 0.5
SAME = 1.05  # times of two runs differ by so much on a machine that others use, too
_FEW = 20  # activations that a mean needs
_WARM_UP_S = 3.0
_EDGE = 2  # messages of a topic that begin or end outside of one of the runs

Found = dict[str, list[Run]]


@dataclass(frozen=True)
class Claim:
    """A claim with the figure that decides it; `holds` is None where samples are too few."""

    text: str
    figure: str
    holds: bool | None


def schedules(cores: Sequence[int]) -> dict[str, Schedule]:
    """Give the shipped schedule, and the same one without the keys."""
    quiet = on_cores(read_schedule(resolve_schedule(SCHEDULE)), cores)
    return {WITHOUT: without_quiet_keys(quiet), WITH: quiet}


def measure(
    setting: Setting,
    program: Sequence[str],
    rounds: int,
    length_s: float,
    done: Callable[[str], None] = lambda _: None,
) -> Found:
    """Run both schedules by turns. Calls `done` before each run."""
    raw = setting.directory / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    files: dict[str, Path] = {}
    for name, content in schedules(setting.cores).items():
        path = setting.directory / f"schedules/{name.replace(' ', '_')}.yaml"
        files[name] = write_schedule(content, path, f"{SCHEDULE}, {name}")
    found: Found = defaultdict(list)
    for number in range(1, rounds + 1):
        for name, file in files.items():
            done(f"round {number} of {rounds}, {name} ...")
            slug = f"{name.replace(' ', '_')}-{number}"
            found[name].append(run(program, file, raw / slug, setting.cores, _WARM_UP_S, length_s))
    return dict(found)


def switches_hz(one: Run) -> float:
    """Context switches a second of all threads of the program."""
    return sum(each.voluntary + each.involuntary for each in one.threads) / one.seconds


def mean_ms(runs: Sequence[Run], chain: str) -> float | None:
    """Mean response of a chain over all runs; None below a few activations."""
    count, total = 0, 0.0
    for one in runs:
        for each in one.executor.chains:
            if each.name == chain and each.response is not None:
                count += each.activations
                total += each.activations * each.response.mean_ns
    return total / count / 1e6 if count >= _FEW else None


def _largest_ms(runs: Sequence[Run], chain: str) -> float:
    return max(
        each.response.max_ns / 1e6
        for one in runs
        for each in one.executor.chains
        if each.name == chain and each.response is not None
    )


def _ratio(new: float | None, old: float | None) -> float | None:
    return new / old if new is not None and old else None


def chains(found: Found) -> dict[str, float | None]:
    """Give each chain's mean response with the keys, over that without them."""
    names = dict.fromkeys(chain.name for one in found[WITHOUT] for chain in one.executor.chains)
    return {
        name: _ratio(mean_ms(found[WITH], name), mean_ms(found[WITHOUT], name)) for name in names
    }


def topics(found: Found) -> dict[str, tuple[float, float, bool]]:
    """Messages a second of each topic without and with the keys, and whether they are as many."""
    old, new = published(found[WITHOUT]), published(found[WITH])
    edge = _EDGE / min(one.executor.seconds for runs in found.values() for one in runs)
    result = {}
    for topic in sorted({*old, *new}):
        before, after = old.get(topic, 0.0), new.get(topic, 0.0)
        result[topic] = (before, after, abs(before - after) <= edge + 0.01 * before)
    return result


def ages(found: Found) -> dict[str, tuple[float, float]]:
    """Mean age in ms of the oldest input of what each command gets, without and with the keys."""
    result = {}
    for node in sorted({node for one in found[WITHOUT] for node in one.ages_ms}):
        both = []
        for name in (WITHOUT, WITH):
            values = [one.ages_ms[node] for one in found[name] if node in one.ages_ms]
            both.append(statistics.fmean(values) if values else math.inf)
        result[node] = (both[0], both[1])
    return result


def judge(found: Found) -> list[Claim]:
    """Judge all claims."""
    old, new = (statistics.median(map(switches_hz, found[name])) for name in (WITHOUT, WITH))
    ratios = {name: ratio for name, ratio in chains(found).items() if ratio is not None}
    worst = max(ratios, key=lambda name: ratios[name], default=None)
    rates = topics(found)
    wrong = [topic for topic, (_, _, same) in rates.items() if not same]
    old_and_new = ages(found).values()
    aged = max((after / before for before, after in old_and_new), default=None)
    return [
        Claim(
            f"the keys leave at most {HALF:g} × the context switches of the whole process",
            f"{new / old:.3f} ×",
            new <= HALF * old,
        ),
        Claim(
            f"no chain's mean response grows beyond {SAME:g} ×",
            "–" if worst is None else f"{worst}: {ratios[worst]:.3f} ×",
            None if worst is None else ratios[worst] <= SAME,
        ),
        Claim(
            "every topic has as many messages",
            f"{len(rates) - len(wrong)} of {len(rates)} topics",
            not wrong and bool(rates),
        ),
        Claim(
            f"what the commands get is not older: at most {SAME:g} × the mean age of its oldest "
            "input",
            "–" if aged is None else f"{aged:.3f} ×",
            None if aged is None else aged <= SAME,
        ),
    ]


def tables(found: Found) -> list[Table]:
    """Show the claims, the switches of each thread, the chains and the topics."""
    words = {
        True: Cell("met", "good"),
        False: Cell("MISSED", "bad"),
        None: Cell("too few samples"),
    }
    claims = Table("What was to be shown", ["claim", "verdict", "measured"])
    for claim in judge(found):
        claims.add(claim.text, words[claim.holds], claim.figure)
    return [claims, _threads(found), _chains(found), _topics(found)]


def _threads(found: Found) -> Table:
    kinds = ("voluntary", "involuntary")
    columns = [f"{name}: {kind}" for name in (WITHOUT, WITH) for kind in kinds]
    table = Table("Context switches a second", ["thread", *columns])
    own = {t.name for runs in found.values() for one in runs for t in one.executor.threads}
    rows: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for name, runs in found.items():
        seconds = sum(one.seconds for one in runs)
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for thread in (thread for one in runs for thread in one.threads):
            row = thread.name if thread.name in own else "all others"
            for key in (row, "together"):
                sums[key][0] += thread.voluntary
                sums[key][1] += thread.involuntary
        for row, (voluntary, involuntary) in sums.items():
            rows[row][name] = (voluntary / seconds, involuntary / seconds)
    for row in [*sorted(rows.keys() & own), "all others", "together"]:
        cells = [_number(hz) for name in (WITHOUT, WITH) for hz in rows[row].get(name, (0.0, 0.0))]
        table.add(row, *cells)
    return table


def _chains(found: Found) -> Table:
    columns = ["chain", "mean", "max", "mean with", "max with", "ratio"]
    table = Table("Responses of chains (ms), without and with the keys", columns)
    few = []
    for name, ratio in chains(found).items():
        if ratio is None:
            few.append(name)
            continue
        cells = []
        for variant in (WITHOUT, WITH):
            mean = mean_ms(found[variant], name)
            assert mean is not None
            cells += [_number(mean), _number(_largest_ms(found[variant], name))]
        table.add(name, *cells, Cell(f"{ratio:.3f} ×", value=round(ratio, 4)))
    if few:
        table.notes.append(
            f"with less than {_FEW} activations, because another input of a fusion carries the "
            f"result: {', '.join(few)}"
        )
    return table


def _topics(found: Found) -> Table:
    table = Table("Messages a second", ["topic", WITHOUT, WITH])
    for topic, (before, after, same) in topics(found).items():
        table.add(topic, _number(before), Cell(_number(after).text, "" if same else "bad", after))
    for node, (before, after) in ages(found).items():
        table.notes.append(
            f"{node}: mean age of the oldest input {before:.1f} ms without, {after:.1f} ms with"
        )
    return table


def _number(value: float) -> Cell:
    return Cell(significant(value), value=round(value, 4))


def sentences(found: Found) -> list[str]:
    """Sum up."""
    claims = judge(found)
    old, new = (statistics.median(map(switches_hz, found[name])) for name in (WITHOUT, WITH))
    return [
        f"{sum(claim.holds is True for claim in claims)} of {len(claims)} claims were met.",
        f"The program had {old:.0f} context switches a second without the keys and {new:.0f} with "
        "them.",
    ]
