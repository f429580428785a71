"""`takt demo`: one minute that shows the gain of scheduling on this machine; and live demos."""

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
from takt_cli.verbs.demo.camera import show_camera
from takt_cli.verbs.demo.live_demo import PORT, Common
from takt_cli.verbs.demo.pendulum import VARIANTS, show_pendulum
from takt_cli.verbs.demo.verdict import demo_sentences, granted_sentence
from takt_cli.verbs.options import Cores, Json, OutputDirectory, choose_cores, duration_ns, whole
from takt_cli.verbs.renamed import cores_option

GRAPH = "autoware_reference"
_LENGTH = "10s"

app = typer.Typer()


@app.callback(invoke_without_command=True)
def command(
    context: typer.Context,
    duration: Annotated[
        str, typer.Option(help="How long each of the three runs measures.")
    ] = _LENGTH,
    output: OutputDirectory = None,
    cores: Cores = None,
    json_output: Json = False,
) -> None:
    """Run the Autoware reference graph under stock executors and under takt, side by side.

    `pendulum` and `camera` are demos with a page that lives.
    """
    if context.invoked_subcommand is not None:
        if (duration, output, cores, json_output) != (_LENGTH, None, None, False):
            raise TaktError(
                f"options of takt demo {context.invoked_subcommand} go behind its name, as in "
                f"`takt demo {context.invoked_subcommand} --json`"
            )
        return
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
    words = [] if duration == _LENGTH else ["--duration", duration]
    return [*words, *cores_option(cores)]


Length = Annotated[
    str | None,
    typer.Option(
        "--duration",
        help="How long it runs; with --json or --check each variant.",
        show_default="until Ctrl-C; 5 s with --json or --check",
    ),
]
Port = Annotated[
    int, whole("--port", 0, 65535, help="Port of the page on 127.0.0.1; 0: any free one.")
]
Browser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address only.", show_default=False)
]
Check = Annotated[
    bool,
    typer.Option("--check", help="No page; exit code 1 unless all variants did as they should."),
]
NoLoad = Annotated[
    bool, typer.Option("--no-load", help="Begin without busy threads.", show_default=False)
]
LiveOutput = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Directory for a summary and, with --check or --json, a picture."
    ),
]


@app.command("pendulum")
def run_pendulum(
    variant: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(VARIANTS),
            help="Where the control loop runs.",
            show_default="realtime; all, one after the other, with --json or --check",
        ),
    ] = None,
    duration: Length = None,
    port: Port = PORT,
    no_browser: Browser = False,
    no_load: NoLoad = False,
    cores: Cores = None,
    output: LiveOutput = None,
    json_output: Json = False,
    check: Check = False,
) -> None:
    """Hold up an inverted pendulum at 1 kHz, and let it fall, on a live page."""
    common = _common(duration, port, no_browser, no_load, cores, output, json_output, check)
    show_pendulum(variant, common)


@app.command("camera")
def run_camera(
    duration: Annotated[
        str | None,
        typer.Option(
            help="How long it runs.", show_default="until Ctrl-C; 10 s with --json or --check"
        ),
    ] = None,
    port: Port = PORT,
    no_browser: Browser = False,
    no_load: NoLoad = False,
    cores: Cores = None,
    output: LiveOutput = None,
    json_output: Json = False,
    check: Check = False,
) -> None:
    """Run a camera's graph under stock order and under a planned schedule, on a live page."""
    show_camera(_common(duration, port, no_browser, no_load, cores, output, json_output, check))


def _common(
    duration: str | None,
    port: int,
    no_browser: bool,
    no_load: bool,
    cores: str | None,
    output: Path | None,
    json_output: bool,
    check: bool,
) -> Common:
    return Common(
        duration_ns=duration_ns(duration, "--duration") if duration else None,
        cores=choose_cores(cores),
        load=not no_load,
        port=port,
        browser=not no_browser,
        json=json_output,
        check=check,
        output=output,
    )
