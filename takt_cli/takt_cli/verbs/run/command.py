"""`takt run`: one graph, one schedule, one run."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, suppress
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import note, pass_through, print_json, progress
from takt_cli.base.errors import EXIT_FAILED, EXIT_INTERRUPTED, TaktError
from takt_cli.files.graphs import resolve_graph, resolve_schedule
from takt_cli.files.output_directory import DEFAULT, output_directory
from takt_cli.files.outputs import check_file, refuse_inputs, refuse_replacing, refuse_same
from takt_cli.files.standard_input import DASH
from takt_cli.running.guard import Guard, GuardOptions
from takt_cli.running.runner import RunRequest, run
from takt_cli.verbs.options import (
    MOST_SEED,
    Force,
    Json,
    check_phases,
    duration_ns,
    factor,
    file_or_dash,
    parse_cores,
    whole,
)
from takt_cli.verbs.run.document import run_summary
from takt_cli.verbs.run.printed import print_run


class Witness(str, Enum):
    """The choice whether to watch for stalls of the host."""

    auto = "auto"
    off = "off"


class Guarded(str, Enum):
    """The threads whose callbacks the guard watches."""

    rt = "rt"
    all = "all"


class Order(str, Enum):
    """How a ready queue picks."""

    priority = "priority"
    fifo = "fifo"
    edf = "edf"
    window = "window"
    stock = "stock"


def command(
    graph: Annotated[str, typer.Argument(help="A shipped graph's name, or a graph file.")],
    schedule: Annotated[
        str | None,
        typer.Option(
            help="A schedule file, or a shipped schedule's name.",
            show_default="none: --order and --threads",
        ),
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            help="The executor of the schedule to run.",
            show_default="the first, or the part's",
        ),
    ] = None,
    order: Annotated[
        Order | None,
        typer.Option(help="Order of the ready queue, without a schedule.", show_default="fifo"),
    ] = None,
    threads: Annotated[
        int | None,
        whole("--threads", 1, 63, help="Executor threads, without a schedule.", show_default="1"),
    ] = None,
    duration: Annotated[str, typer.Option(help="How long to measure.")] = "10s",
    warmup: Annotated[
        str, typer.Option(help="Time before the measurement, which does not count.")
    ] = "1s",
    phases: Annotated[str, typer.Option(help="Timer phases: fixed or random:SEED.")] = "fixed",
    split: Annotated[
        int | None,
        whole(
            "--split", 1, 64, help="Spread the nodes over this many processes.", show_default="1"
        ),
    ] = None,
    work_scale: Annotated[
        float | None, factor("--work-scale", 1000, help="Factor on all work.", show_default="1")
    ] = None,
    split_map: Annotated[
        str | None,
        typer.Option(
            help='Nodes of each process, as in "A,B;C".', show_default="blocks by creation order"
        ),
    ] = None,
    restart: Annotated[
        str | None,
        typer.Option(
            metavar="PART@TIME",
            help="End one of the processes in the warm-up, and start it again, as in 2@5s.",
            show_default="none",
        ),
    ] = None,
    cores: Annotated[
        str | None,
        typer.Option(
            "--cpus",
            metavar="LIST",
            help="Confine the run to these cores, by number, as in 0,2-3.",
            show_default="all",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        whole(
            "--seed",
            0,
            MOST_SEED,
            help="Of work times drawn from distributions.",
            show_default="0",
        ),
    ] = None,
    witness: Annotated[
        Witness | None,
        typer.Option(help="Watch for stalls of the host.", show_default="auto"),
    ] = None,
    domain: Annotated[
        int | None,
        whole("--domain", 0, 232, help="ROS domain id.", show_default="a free one"),
    ] = None,
    reference_timer: Annotated[
        int | None,
        whole(
            "--reference-timer",
            1,
            99,
            help="Also time a bare thread of this SCHED_FIFO priority.",
            show_default="none",
        ),
    ] = None,
    match_timeout: Annotated[
        str | None, typer.Option(help="Longest wait for discovery.", show_default="30s")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Kept in the results.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        file_or_dash(
            help="Keep the raw results in this file; - is standard output, without tables.",
            show_default=f"results.json in a new directory in {DEFAULT}",
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(
            help="Also keep the raw record of each run here, some 80 bytes each.",
            show_default="none",
        ),
    ] = None,
    guard: Annotated[
        Guarded | None,
        typer.Option(
            help="Note what callbacks on real-time threads (all: on all threads) do that real-time "
            "code should not do, as `takt exec --guard` does.",
            show_default="no guard",
        ),
    ] = None,
    guard_ignore: Annotated[
        Path | None,
        typer.Option(
            help="Omit events of the functions whose patterns this file lists.",
            show_default="none",
        ),
    ] = None,
    guard_report: Annotated[
        Path | None,
        typer.Option(
            help="Write the guard's report there, as JSON for `takt report`, and print no table "
            "of it.",
            show_default="none",
        ),
    ] = None,
    fail_on_miss: Annotated[
        bool, typer.Option("--check", help="End with exit code 1 if a chain missed a deadline.")
    ] = False,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Run a graph, and print how its chains did."""
    if split_map and split is None:
        raise TaktError("--split-map needs --split")
    if restart and split is None:
        raise TaktError("--restart needs --split")
    for option, given in (("--order", order), ("--threads", threads)):
        if schedule and given is not None:
            raise TaktError(
                f"{option} and --schedule: the schedule describes its executors; omit one of them"
            )
    for name, value in (("--guard-ignore", guard_ignore), ("--guard-report", guard_report)):
        if value is not None and guard is None:
            raise TaktError(f"{name} needs --guard")
    if guard_report is not None:
        refuse_replacing(guard_report, force)
        check_file(guard_report)
    printed = str(output) == DASH
    if printed and json_output:
        raise TaktError("-o - and --json both print a document; omit one of them")
    kept = None if printed else output
    outputs = {"--output": kept, "--records": records, "--guard-report": guard_report}
    refuse_same(outputs)
    graph_file = resolve_graph(graph)
    schedule_file = resolve_schedule(schedule) if schedule else None
    refuse_inputs(
        outputs,
        {"graph": graph_file, "schedule": schedule_file, "list": guard_ignore},
    )
    if kept is not None:
        refuse_replacing(kept, force)
    request = RunRequest(
        graph=graph_file,
        output=kept or Path("results.json"),
        schedule=schedule_file,
        executor=executor,
        order=order.value if order else None,
        threads=threads,
        cores=parse_cores(cores) if cores is not None else (),
        duration_ns=duration_ns(duration, "--duration"),
        warmup_ns=duration_ns(warmup, "--warmup", least="0s"),
        phases=check_phases(phases),
        split=split,
        split_map=split_map,
        restart=restart,
        work_scale=work_scale,
        seed=seed,
        witness=witness.value if witness else None,
        domain=domain,
        reference_timer=reference_timer,
        match_timeout_ns=duration_ns(match_timeout, "--match-timeout") if match_timeout else None,
        label=label or "",
        records=records,
    )
    said = ""
    with ExitStack() as stack:
        if printed:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="takt-"))
            request = replace(request, output=Path(scratch, "results.json"))
        elif kept is None:
            request = replace(request, output=output_directory(None, "run") / "results.json")
        watch = None
        if guard is not None:
            watch = stack.enter_context(Guard(GuardOptions(guard.value, guard_ignore)))
            request = replace(request, environment=watch.environment())
        try:
            with progress() as bar:
                task = bar.add_task(f"{request.graph.stem}", total=1.0)
                results = run(
                    request, lambda share: bar.update(task, completed=share), keep_interrupted=True
                )
        except TaktError as error:
            # What callbacks did until then may be the reason why the run failed.
            if watch is not None:
                with suppress(TaktError):
                    _tell_guard(watch.report(guard_report), guard_report)
            if printed and request.output.is_file():
                pass_through(request.output.read_text(encoding="utf-8"))
                hint = "The records until then are on standard output, marked incomplete."
                raise TaktError(error.message, hint=hint, code=error.code) from error
            raise
        if watch is not None:
            said = watch.report(guard_report)
        if printed:
            pass_through(request.output.read_text(encoding="utf-8"))
    if json_output:
        print_json(run_summary(results))
    elif not printed:
        print_run(results)
    if not printed:
        more = f", the record of each run in {records}" if records is not None else ""
        note(f"Raw results are in {request.output}{more}")
    elif records is not None:
        note(f"The record of each run is in {records}")
    _tell_guard(said, guard_report)
    if results.ended_early:
        raise typer.Exit(EXIT_INTERRUPTED)
    late = [chain.name for chain in results.chains if chain.missed_deadlines]
    if fail_on_miss and late:
        note(f"Deadlines were missed by {', '.join(late)}, so the exit code is 1")
        raise typer.Exit(EXIT_FAILED)


def _tell_guard(said: str, file: Path | None) -> None:
    """Print the guard's tables, and where its report is."""
    if said.rstrip():
        note(said.rstrip())
    if file is not None:
        note(f"The guard's report is in {file}; `takt report` makes a page of it")
