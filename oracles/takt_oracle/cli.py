"""Command line: python -m takt_oracle {three_chains,run,golden}."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from . import golden, simulate
from .exact import to_ns
from .model import KERNELS, ORDERS, POLL_MODES, SKIP_RULES, TIMER_MODES, Scenario, ScenarioError
from .report import Report, make_report
from .scenario_io import scenario_from_json
from .steady import analyse
from .three_chains import CONFIGURATIONS, GROUPINGS, three_chains

UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def duration(text: str) -> int:
    """'10ms' -> 10_000_000; a plain number is nanoseconds."""
    for unit in ("ns", "us", "ms", "s"):
        if text.endswith(unit) and text.removesuffix(unit).isdigit():
            return int(text.removesuffix(unit)) * UNITS[unit]
    if text.isdigit():
        return int(text)
    raise argparse.ArgumentTypeError(f"not a duration: {text!r} (try 10ms)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="takt_oracle", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    chains = commands.add_parser("three_chains", help="the six configurations")
    chains.add_argument("--cost", type=duration, required=True, help="per callback, e.g. 10ms")
    chains.add_argument("--cores", type=int, help="default: one per executor thread")
    chains.add_argument("--kernel", choices=KERNELS, help="default: fair, own without --cores")
    chains.add_argument("--order", choices=ORDERS, default="window")
    chains.add_argument("--timers", choices=TIMER_MODES, default="snapshot")
    chains.add_argument("--poll", choices=POLL_MODES, default="empty")
    chains.add_argument("--skip", choices=SKIP_RULES, default="after")
    chains.add_argument("--groups", choices=GROUPINGS, default="own")
    chains.add_argument("--configuration", choices=list(CONFIGURATIONS), action="append")
    run = commands.add_parser("run", help="a scenario file: starts, or numbers with --report")
    run.add_argument("file", type=Path)
    run.add_argument("--report", action="store_true")
    gold = commands.add_parser("golden", help="compare the golden files, or write them")
    gold.add_argument("--write", action="store_true")
    for command in (chains, run):
        command.add_argument(
            "--limit",
            type=duration,
            default=60 * UNITS["s"],
            help="stop looking for a cycle after this much simulated time",
        )
        command.add_argument("--json", action="store_true")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "three_chains":
            return _three_chains(options)
        if options.command == "run":
            return _run(options)
    except (ScenarioError, OSError, json.JSONDecodeError) as error:
        print(f"takt_oracle: {error}", file=sys.stderr)
        return 2
    return _golden(options.write)


def _three_chains(options: argparse.Namespace) -> int:
    kernel = options.kernel or ("fair" if options.cores else "own")
    reports = {}
    for name in options.configuration or CONFIGURATIONS:
        scenario = three_chains(
            name,
            options.cost,
            cores=options.cores,
            kernel=kernel,
            order=options.order,
            timers=options.timers,
            poll=options.poll,
            skip=options.skip,
            groups=options.groups,
        )
        reports[name] = make_report(analyse(scenario, options.limit))
    _print_reports(reports, options.json)
    return 0


def _run(options: argparse.Namespace) -> int:
    data = json.loads(options.file.read_text(encoding="utf-8"))
    scenario = scenario_from_json(data.get("scenario", data))
    if options.report:
        _print_reports(
            {options.file.stem: make_report(analyse(scenario, options.limit))}, options.json
        )
    else:
        _print_starts(scenario, options.json)
    return 0


def _print_starts(scenario: Scenario, as_json: bool) -> None:
    rows = [
        [to_ns(s.start), s.callback, to_ns(s.release), s.thread] for s in simulate(scenario).starts
    ]
    if as_json:
        print(json.dumps({"starts": rows}))
        return
    print(f"{'start ns':>16} {'release ns':>16} thread callback")
    for start, callback, release, thread in rows:
        print(f"{start:>16} {release:>16} {thread:>6} {callback}")


def _print_reports(reports: dict[str, Report], as_json: bool) -> None:
    if as_json:
        print(json.dumps(reports, indent=2))
        return
    for name, report in reports.items():
        cycle = "no cycle found"
        if report["cycle_ns"] is not None and report["transient_ns"] is not None:
            after = _ms([report["transient_ns"]])
            cycle = f"cycle {_ms([report['cycle_ns']])} ms after {after} ms"
        print(
            f"{name}: {cycle}, {report['busy_cores']:g} cores busy, "
            f"skipped per cycle {report['skipped_per_cycle']}, starved {report['starved']}"
        )
        for path, chain in report["chains"].items():
            print(
                f"  {path}: first {_ms(chain['transient_from_release_ns'][:4])}; steady "
                f"{_ms(chain['steady_from_release_ns'][:8])} from release, "
                f"{_ms(chain['steady_from_start_ns'][:8])} from start"
            )


def _ms(values: Sequence[int]) -> str:
    return "/".join(f"{value / 1e6:g}" for value in values) or "-"


def _golden(write: bool) -> int:
    changed = golden.write() if write else golden.differing()
    for path in changed:
        print(("wrote " if write else "differs: ") + path)
    return 0 if write or not changed else 1
