"""The perception pipeline: its ways, the program that runs them, and what is to be shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag, significant
from takt_cli.documents.document import DamagedError, Document
from takt_cli.results.samples import Samples, as_samples, percentile
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.pipeline_bounds import Bounds, bound_lanes
from takt_cli.verbs.experiment.setting import Setting

PROGRAM = ("takt_pipeline", "takt_bench")
PROCESSES, POOL, ONE_THREAD = "processes", "pool", "one_thread"
STORING, SEQUENCES = "storing", "sequences"
WAYS = {
    PROCESSES: "a process for each node",
    POOL: "one process, a pool of four threads",
    ONE_THREAD: "one process, one thread",
    STORING: "one thread, inputs that only store do not trigger",
    SEQUENCES: "one thread, sequences, messages by pointer",
}
# Start of 50 processes that find each other, on a busy machine.
_PATIENCE_S = 400.0
ONE_SWITCH = 1.05
FEW_SWITCHES = 0.5  # of all other threads: those of the middleware wake some times a second
SHARE = 0.1


class Pipeline(Document, at="pipeline"):
    """What `takt_pipeline` measured."""

    @property
    def clean(self) -> Samples:
        """Latencies that no host stall touched."""
        return as_samples(self.latencies_ns)

    def each(self, count: float) -> float:
        """Divide a count by the iterations."""
        return count / max(self.iterations, 1)

    def voluntary(self) -> float:
        """Voluntary switches of all threads in an iteration."""
        return self.each(sum(thread.voluntary for thread in self.threads))

    def involuntary(self) -> float:
        """Involuntary ones."""
        return self.each(sum(thread.involuntary for thread in self.threads))

    def executors(self) -> float:
        """Voluntary switches of the threads that run callbacks."""
        return self.each(sum(one.voluntary for one in self.threads if one.executor))

    def cpu_ns(self) -> float:
        """CPU time of all threads in an iteration."""
        return self.each(sum(thread.cpu_ns for thread in self.threads))

    def beyond_ns(self) -> float:
        """CPU time beyond the nodes' work."""
        return self.cpu_ns() - self.work_ns


@dataclass(frozen=True)
class Claim:
    """A claim with the figure that decides it."""

    text: str
    figure: str
    holds: bool


def measure(
    setting: Setting, length_ns: int, done: Callable[[str], None] = lambda _: None
) -> dict[str, Pipeline]:
    """Run all ways on the first core. Calls `done` before each."""
    raw = setting.directory / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    found = {}
    for way, words in WAYS.items():
        done(f"{words} ...")
        found[way] = _run(setting, length_ns, way, raw / f"{way}.json")
    return found


def bound(setting: Setting, length_ns: int) -> Bounds:
    """Bound the latencies of the lanes with sequences, from one more run, which is traced."""
    output = setting.directory / "raw" / "traced.json"

    def record(trace: Path) -> str:
        # Its topics have names of their own, so the bounds are those of its own schedule.
        done = _run(setting, length_ns, SEQUENCES, output, "--trace", str(trace.absolute()))
        return str(done.schedule)

    return bound_lanes(setting.directory / "bounds", setting.cores[0], record)


def _run(setting: Setting, length_ns: int, way: str, output: Path, *more: str) -> Pipeline:
    """Run the program on the first core."""
    run_program(
        find_program(*PROGRAM),
        [
            *("--way", way, "--duration", duration_flag(length_ns)),
            *("--core", str(setting.cores[0]), "--output", str(output), *more),
        ],
        timeout_s=_PATIENCE_S + length_ns / NS_PER_S,
        cores=setting.cores,
    )
    try:
        return Pipeline.read(json.loads(output.read_text(encoding="utf-8")))
    except (OSError, ValueError, DamagedError) as error:
        raise TaktError(
            f"{PROGRAM[0]} wrote no result that takt can read: {error}", code=EXIT_FAILED
        ) from error


def judge(found: dict[str, Pipeline], bounds: Bounds) -> list[Claim]:
    """Judge all claims."""
    mine, theirs = found[SEQUENCES], found[PROCESSES]
    others = mine.voluntary() - mine.executors()
    share = mine.beyond_ns() / max(theirs.beyond_ns(), 1.0)
    return [
        Claim(
            f"with sequences the executor's thread has at most {ONE_SWITCH:g} voluntary switches "
            "in an iteration: the timer's wake-up",
            f"{mine.executors():.3f}",
            mine.executors() <= ONE_SWITCH,
        ),
        Claim(
            f"with sequences all other threads together have at most {FEW_SWITCHES:g}",
            f"{others:.3f}",
            others <= FEW_SWITCHES,
        ),
        Claim(
            f"with sequences the CPU time beyond the work is at most {SHARE:g} × that of a "
            "process for each node",
            f"{share:.3f} ×",
            share <= SHARE,
        ),
        Claim(
            "with sequences every lane ended in every iteration",
            f"{mine.unfinished} unfinished",
            mine.unfinished == 0 and mine.iterations > 0,
        ),
        _bounds_hold(mine, bounds),
    ]


def _bounds_hold(mine: Pipeline, bounds: Bounds) -> Claim:
    words = (
        "with sequences no lane's latency is above the bound of takt explain for the lane, from "
        "a model that takt made of another run"
    )
    missing = [lane for lane in mine.worst_ns if bounds.of.get(lane) is None]
    if missing or not mine.worst_ns:
        return Claim(words, f"no bound: {bounds.why or ', '.join(missing)}", False)
    unseen = [lane for lane, worst in mine.worst_ns.items() if worst == 0]
    if unseen:
        return Claim(words, f"no sample: {', '.join(unseen)}", False)
    shares = {lane: worst / bounds.of[lane] for lane, worst in mine.worst_ns.items()}
    lane = max(shares, key=lambda name: shares[name])
    figure = (
        f"at most {shares[lane]:.2f} × the bound: {mine.worst_ns[lane] / 1e6:.3g} of "
        f"{bounds.of[lane] / 1e6:.3g} ms, {lane}"
    )
    return Claim(words, figure, shares[lane] <= 1.0)


def tables(found: dict[str, Pipeline], bounds: Bounds) -> list[Table]:
    """Show the claims, then what an iteration costs, then the bounds."""
    claims = Table("What was to be shown", ["claim", "verdict", "measured"])
    for claim in judge(found, bounds):
        word = Cell("met", "good") if claim.holds else Cell("MISSED", "bad")
        claims.add(claim.text, word, claim.figure)
    costs = Table(
        "An iteration of the pipeline on one core: 50 publishers, 100 subscriptions, 30 Hz",
        [
            *("way", "processes", "threads", "voluntary", "involuntary", "CPU ms"),
            *("beyond the work ms", "p50 ms", "p99 ms", "max ms", "unfinished"),
        ],
    )
    for way, one in found.items():
        samples = one.clean
        costs.add(
            WAYS[way],
            count_cell(one.processes),
            count_cell(len(one.threads)),
            _number(one.voluntary()),
            _number(one.involuntary()),
            _ms(one.cpu_ns()),
            _ms(one.beyond_ns()),
            _ms(percentile(samples, 50)),
            _ms(percentile(samples, 99)),
            _ms(float(samples.max()) if len(samples) else None),
            count_cell(one.unfinished),
        )
    stalled = sum(len(one.stalled_ns) for one in found.values())
    costs.notes += [
        "voluntary, involuntary: context switches of all threads of all processes in an iteration",
        "p50, p99, max: from the release of a lane's timer to the end of its last stage; "
        f"{stalled} samples with a host stall are left out",
        "unfinished: iterations of a lane that did not reach the last stage, because a newer "
        "message replaced one of theirs",
    ]
    return [claims, costs, _bound_table(found[SEQUENCES], bounds)]


def _bound_table(mine: Pipeline, bounds: Bounds) -> Table:
    table = Table("Bounds of the lanes with sequences", ["lane", "worst ms", "bound ms"])
    for lane, worst in mine.worst_ns.items():
        table.add(lane, _ms(worst), _ms(bounds.of.get(lane)))
    if bounds.why:
        table.notes.append(bounds.why)
    table.notes.append("worst: of the samples without a host stall")
    return table


def _number(value: float) -> Cell:
    return Cell(significant(value, 2), value=round(value, 4))


def _ms(ns: float | None) -> Cell:
    return Cell("–") if ns is None else Cell(significant(ns / 1e6), value=round(ns / 1e6, 5))


def sentences(found: dict[str, Pipeline], bounds: Bounds) -> list[str]:
    """Sum up."""
    claims = judge(found, bounds)
    met = sum(claim.holds for claim in claims)
    first, last = found[PROCESSES], found[SEQUENCES]
    switches = [one.voluntary() + one.involuntary() for one in (first, last)]
    return [
        f"{met} of {len(claims)} claims were met.",
        f"An iteration had {switches[0]:.0f} context switches with a process for each node and "
        f"{switches[1]:.1f} with sequences; beyond the work it took {first.beyond_ns() / 1e6:.3g} "
        f"and {last.beyond_ns() / 1e6:.3g} ms of CPU time.",
    ]
