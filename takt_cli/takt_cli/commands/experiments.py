"""`takt experiment`: all experiments, in the order of the help."""

from __future__ import annotations

from takt_cli.commands import experiment, experiment_generated, experiment_isolation

app = experiment.app
app.command("planners")(experiment_generated.run_planners)
app.command("tightness")(experiment_generated.run_tightness)
app.command("isolation")(experiment_isolation.run_isolation)
