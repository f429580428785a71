"""`takt experiment`: all experiments, in the order of the help."""

from __future__ import annotations

import typer

from takt_cli.running.private_domain import private_domain
from takt_cli.verbs.experiment import (
    adopted_study,
    data_path_study,
    generated_studies,
    graph_studies,
    isolation_study,
    pipeline_study,
    workshop_study,
)
from takt_cli.verbs.experiment.control_loop import run_control_loop

app = graph_studies.app


@app.callback()
def in_a_domain_of_its_own(context: typer.Context) -> None:
    """Experiments that measure the effect of executors, binding and OS priorities."""
    context.with_resource(private_domain())


app.command("planners")(generated_studies.run_planners)
app.command("tightness")(generated_studies.run_tightness)
app.command("isolation")(isolation_study.run_isolation)
app.command("data-path")(data_path_study.run_data_path)
app.command("pipeline")(pipeline_study.run_pipeline)
app.command("adopted")(adopted_study.run_adopted)
app.command("workshop")(workshop_study.run_workshop)
app.command("control-loop")(run_control_loop)
