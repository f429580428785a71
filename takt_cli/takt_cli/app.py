"""The command line: which commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli import __version__
from takt_cli.commands import (
    apply_schedule,
    bench,
    calibrate,
    check,
    demo,
    doctor,
    exec_program,
    experiment,
    experiment_generated,
    experiment_isolation,
    explain,
    graph,
    host,
    import_configuration,
    latency,
    model,
    monitor,
    plan,
    report,
    reset,
    run,
    set_value,
    simulate,
    status,
    template,
    top,
    trace,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"takt {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="takt",
    help="Real-time execution for ROS 2: run a graph under a schedule, and see the gain.",
    epilog="Start with: takt demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


app.command("demo")(demo.demo)
app.command("exec")(exec_program.exec_help)
app.command("observe")(exec_program.observe_help)
app.command("run")(run.run_graph)
app.command("check")(check.check)
app.command("explain")(explain.explain)
app.command("graph")(graph.graph)
app.command("plan")(plan.plan)
app.command("status")(status.status)
app.command("top")(top.top)
app.command("monitor", context_settings=monitor.CONTEXT)(monitor.monitor)
app.command("apply")(apply_schedule.apply)
app.add_typer(set_value.app, name="set")
app.command("reset")(reset.reset)
app.command("template")(template.template)
app.add_typer(trace.app, name="trace")
app.command("model")(model.model)
app.add_typer(import_configuration.app, name="import")
app.command("simulate")(simulate.simulate)
experiments = experiment.app
experiments.command("planners")(experiment_generated.run_planners)
experiments.command("tightness")(experiment_generated.run_tightness)
experiments.command("isolation")(experiment_isolation.run_isolation)
app.add_typer(experiments, name="experiment")
app.command("report")(report.make_report)
app.command("host")(host.show_host)
app.command("doctor")(doctor.doctor)
app.command("latency")(latency.latency)
app.command("calibrate")(calibrate.calibrate)
app.command("bench")(bench.bench)
