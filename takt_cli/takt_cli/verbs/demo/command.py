"""`takt demo`: one minute that shows the gain of scheduling on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.console import err, note
from takt_cli.base.cores import cores_words
from takt_cli.base.errors import TaktError
from takt_cli.documents.document import as_json
from takt_cli.files.graphs import graph_info, resolve_graph, resolve_schedule
from takt_cli.files.output_directory import output_directory
from takt_cli.files.outputs import write_text
from takt_cli.files.schedule_files import on_cores, read_schedule, with_count, write_schedule
from takt_cli.pages.finish import finish
from takt_cli.pages.study import Study
from takt_cli.running.host import measure_host, this_host
from takt_cli.running.middleware import check_middleware
from takt_cli.running.runner import RunRequest
from takt_cli.running.several_runs import Planned, run_all, total_s
from takt_cli.running.work_scale import Scaling, fit
from takt_cli.tables.comparison import chain_comparison, comparison_table
from takt_cli.verbs.demo.verdict import demo_sentences, granted_sentence
from takt_cli.verbs.options import Cores, Json, OutputDirectory, choose_cores, duration_ns
from takt_cli.verbs.renamed import cores_option

GRAPH = "autoware_reference"


def command(
    duration: Annotated[
        str, typer.Option(help="How long each of the three runs measures.")
    ] = "10s",
    output: OutputDirectory = None,
    cores: Cores = None,
    json_output: Json = False,
) -> None:
    """Run the Autoware reference graph under stock executors and under takt, side by side."""
    length = duration_ns(duration, "--duration")
    used = choose_cores(cores)
    check_middleware()
    directory = output_directory(output, "demo")
    host = this_host()
    graph = resolve_graph(GRAPH)
    scaling = fit(graph_info(graph), len(used))
    planned = plan_runs(graph, directory, used, scaling, length)
    note(f"{host.describe()}; {scaling.describe()}.")
    note(f"Three runs, about {total_s(planned):.0f} s.")
    measure(directory)
    done = run_all(planned)
    single, pool, takt = done
    rights = granted_sentence(takt.results)
    study = Study(
        kind="demo",
        title="The Autoware reference graph: stock executors and takt",
        command=command_line("demo", *_repeat(duration, cores)),
        host=host,
        configurations=done,
        sentences=[*demo_sentences(takt, pool, single, scaling.load * len(used)), rights],
        tables=[
            comparison_table(done, "Autoware reference graph"),
            chain_comparison(done, "All chains (response in ms)"),
        ],
        explanations=[*explain(used, scaling), rights],
    )
    # The terminal gets the first table only; the report has both.
    finish(study, directory, json_output, tables_shown=1)


def plan_runs(
    graph: Path, directory: Path, cores: tuple[int, ...], scaling: Scaling, length: int
) -> list[Planned]:
    """Plan the three configurations."""

    def request(name: str, shipped: str, count: int | None = None) -> RunRequest:
        source = resolve_schedule(shipped)
        content = on_cores(read_schedule(source), cores)
        file = write_schedule(
            with_count(content, count) if count else content,
            directory / f"schedules/{shipped}.yaml",
            f"The shipped schedule {shipped} for {cores_words(cores)}: takt demo",
            made_from=source,
        )
        return RunRequest(
            graph=graph,
            output=directory / f"{name}.json",
            schedule=file,
            cores=cores,
            duration_ns=length,
            work_scale=scaling.work_scale,
            label=name,
        )

    pool = len(cores)
    return [
        Planned(
            "stock, 1 thread",
            request("stock-single", "autoware_stock_single"),
            "ROS 2's single-threaded executor; overloaded by design, the load needs more than "
            "one core",
            muted=True,
        ),
        Planned(
            f"stock, {pool} threads",
            request("stock-pool", "autoware_stock_pool", pool),
            "ROS 2's multi-threaded executor with one thread per core",
        ),
        Planned(
            "takt",
            request("takt", "autoware_takt"),
            "hot path above planner above the rest, with the attributes that the kernel granted",
            accent=True,
        ),
    ]


def measure(directory: Path) -> None:
    """Measure the machine and keep the figures; the demo goes on without them."""
    try:
        with err().status("measuring the machine"):
            measured = measure_host()
    except TaktError as error:
        note(f"The machine was not measured: {error.message}")
        return
    write_text(directory / "host.json", json.dumps(as_json(measured), indent=2))


def explain(cores: tuple[int, ...], scaling: Scaling) -> list[str]:
    """Say how the load was chosen."""
    names = ", ".join(str(core) for core in cores)
    return [
        f"Everything ran on core{'s' if len(cores) > 1 else ''} {names}; {scaling.describe()}.",
        "The physical limit is the work on the hot path alone, without any waiting.",
    ]


def _repeat(duration: str, cores: str | None) -> list[str]:
    words = [] if duration == "10s" else ["--duration", duration]
    return [*words, *cores_option(cores)]
