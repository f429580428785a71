"""`takt latency`: how late a thread wakes up on each core."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.console import note, print_json, progress
from takt_cli.base.errors import EXIT_INTERRUPTED, TaktError
from takt_cli.base.units import human
from takt_cli.files.outputs import check_file, refuse_replacing, same_file, write_text
from takt_cli.running.host import Host, this_host, usable_cores
from takt_cli.running.interrupts import Interrupts
from takt_cli.verbs.latency.document import latency_document
from takt_cli.verbs.latency.measurement import (
    LatencyProgress,
    LatencySetting,
    find_cyclictest,
    run_cyclictest,
    run_own,
)
from takt_cli.verbs.latency.printed import print_runs, setting_words
from takt_cli.verbs.latency.results import LatencyRun, joined
from takt_cli.verbs.options import Force, Json, choose_cores, duration_ns, whole

# Runs of one call alternate, so that all of them meet the same disturbances.
_ROUNDS = 2
# The first interrupt ends the measurement, the second discards it.
_DISCARDS = 2


class Policy(str, Enum):
    """Kernel scheduling policies of the cyclic threads."""

    fifo = "fifo"
    rr = "rr"
    other = "other"
    deadline = "deadline"


def command(
    duration: Annotated[str, typer.Option(help="Measured time of each way of running.")] = "10s",
    interval: Annotated[str, typer.Option(help="From one release to the next.")] = "1ms",
    cores: Annotated[
        str | None,
        typer.Option(
            "--cpus",
            "--core-count",
            metavar="LIST|COUNT",
            help="Measure on these cores, as in 0,2-3, or on this many, as in 2.",
            show_default="all that are usable",
        ),
    ] = None,
    policy: Annotated[Policy, typer.Option(help="Policy of the cyclic threads.")] = Policy.fifo,
    priority: Annotated[
        int | None,
        whole("--priority", 1, 99, help="Priority under fifo and rr.", show_default="80"),
    ] = None,
    runtime: Annotated[
        str | None,
        typer.Option(help="Budget under deadline.", show_default="a tenth of its deadline"),
    ] = None,
    deadline: Annotated[
        str | None, typer.Option(help="Deadline under deadline.", show_default="its period")
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="Period under deadline.", show_default="the interval")
    ] = None,
    load: Annotated[
        bool, typer.Option("--load", help="Keep each core busy with a SCHED_OTHER thread.")
    ] = False,
    compare_fair: Annotated[
        bool, typer.Option("--compare-fair", help="Measure SCHED_OTHER in turn with it.")
    ] = False,
    cyclictest: Annotated[
        bool, typer.Option("--cyclictest", help="Measure the same with cyclictest in turn.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Measure nothing if a right is missing: exit code 1."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write everything as JSON.", show_default="none"
        ),
    ] = None,
    html_file: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page with histograms.", show_default="none"
        ),
    ] = None,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Measure how late a cyclic thread wakes up on each core."""
    setting = LatencySetting(
        cores=usable_cores() if cores is None else choose_cores(cores),
        policy=policy.value,
        priority=priority,
        runtime_ns=_optional_ns(runtime, "--runtime"),
        deadline_ns=_optional_ns(deadline, "--deadline"),
        period_ns=_optional_ns(period, "--period"),
        interval_ns=duration_ns(interval, "--interval", least="20us"),
        duration_ns=duration_ns(duration, "--duration", least="1us"),
        load=load,
        strict=strict,
    )
    settings = _settings(setting, compare_fair, cyclictest)
    _check_files(output, html_file, force)
    host = this_host()
    runs = _measure(settings, host)
    words = setting_words(setting)
    asked = [("--compare-fair", compare_fair), ("--cyclictest", cyclictest)]
    options = [*setting.command_words(), *(option for option, given in asked if given)]
    command = command_line("latency", *options)
    document = latency_document(runs, setting, words, host, command)
    if output is not None:
        write_text(output, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    if json_output:
        print_json(document)
    if html_file is not None:
        _write_page(runs, words, host, command, html_file)
    through = output is not None and output.absolute().as_posix().startswith(("/dev/", "/proc/"))
    if not json_output and not through:
        print_runs(runs, words, host.virtual)
    if html_file is not None:
        note(f"Page: {html_file.resolve()}")
    if any(run.ended_early for run in runs):
        raise typer.Exit(EXIT_INTERRUPTED)


def _optional_ns(text: str | None, option: str) -> int | None:
    return None if text is None else duration_ns(text, option, least="1us")


def _settings(
    setting: LatencySetting, compare_fair: bool, cyclictest: bool
) -> list[tuple[LatencySetting, bool]]:
    """Give each way of running, and whether takt's own program runs it."""
    ways = [setting]
    if compare_fair:
        if setting.policy == Policy.other.value:
            raise TaktError("--compare-fair compares with SCHED_OTHER; choose another --policy")
        fair = LatencySetting(
            cores=setting.cores,
            policy=Policy.other.value,
            interval_ns=setting.interval_ns,
            duration_ns=setting.duration_ns,
            load=setting.load,
            strict=setting.strict,
        )
        ways.append(fair)
    if not cyclictest:
        return [(way, True) for way in ways]
    if setting.policy == Policy.deadline.value:
        raise TaktError("--cyclictest: cyclictest has no policy deadline; choose fifo, rr or other")
    find_cyclictest()
    return [(way, own) for own in (True, False) for way in ways]


def _check_files(json_file: Path | None, html_file: Path | None, force: bool) -> None:
    for option, path in (("--output", json_file), ("--html", html_file)):
        if path is None:
            continue
        if str(path) == "-":
            raise TaktError(f"{option}: '-' names no file; /dev/stdout is standard output")
        refuse_replacing(path, force)
        check_file(path)
    if json_file is not None and html_file is not None and same_file(json_file, html_file):
        raise TaktError("--output and --html name the same file; name two files")


def _measure(settings: Sequence[tuple[LatencySetting, bool]], host: Host) -> list[LatencyRun]:
    """Run all of them alternately; after an interrupt, return those that have begun."""
    rounds = 1 if len(settings) == 1 else _ROUNDS
    found: list[list[LatencyRun]] = [[] for _ in settings]
    failed: set[int] = set()
    early = False
    with ExitStack() as stack:
        bar = stack.enter_context(progress())
        interrupts = stack.enter_context(Interrupts(_DISCARDS))
        for number in range(rounds * len(settings)):
            which = number % len(settings)
            setting, own = settings[which]
            # No round is shorter than a period, unless the whole measurement is.
            least = min(setting.interval_ns, setting.duration_ns)
            part = replace(setting, duration_ns=max(setting.duration_ns // rounds, least))
            name = setting.words() if own else f"cyclictest, {setting.words()}"
            task = bar.add_task(name, total=1.0 if own else None)
            follow = _follow(bar, task, name)
            if own:
                found[which].append(run_own(part, host.virtual, interrupts, follow))
            elif which not in failed:
                try:
                    found[which].append(run_cyclictest(part, interrupts))
                except TaktError as error:  # takt's own figures count without it
                    failed.add(which)
                    note(f"{name} failed, so its figures are missing: {error.message}")
            bar.remove_task(task)
            if interrupts.count:
                early = True
                break
    runs = [joined(some) for some in found if some]
    return [replace(run, ended_early=True) for run in runs] if early else runs


def _follow(bar: Any, task: Any, name: str) -> Callable[[LatencyProgress], None]:
    def follow(told: LatencyProgress) -> None:
        words = (
            f"{name}: {told.cycles:,} cycles, worst {human(told.worst_ns)}, "
            f"{told.overruns:,} overruns"
        )
        bar.update(task, completed=min(told.elapsed_s / told.of_s, 1.0), description=words)

    return follow


def _write_page(
    runs: Sequence[LatencyRun], words: str, host: Host, command: str, path: Path
) -> None:
    # Import this here: it is slow, and most runs write no page.
    from takt_cli.pages.page import write_report
    from takt_cli.verbs.latency.page import latency_study

    write_report(latency_study(runs, words, host, command), path)
