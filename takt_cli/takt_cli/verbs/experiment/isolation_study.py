"""`takt experiment isolation`: its options, and the study that it makes."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli.base.console import note
from takt_cli.files.output_directory import output_directory
from takt_cli.files.outputs import write_text
from takt_cli.pages.finish import finish
from takt_cli.pages.study import Study
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import isolation, isolation_claims, isolation_table
from takt_cli.verbs.experiment.graph_studies import (
    Duration,
    Quick,
    must_hold,
    others_used,
    repeated,
)
from takt_cli.verbs.experiment.setting import make_setting
from takt_cli.verbs.options import (
    MOST_SEED,
    Cores,
    Json,
    OutputDirectory,
    choose_cores,
    duration_ns,
    whole,
)


def run_isolation(
    rounds: Annotated[int, whole("--rounds", 1, 1000, help="Runs of each arrangement.")] = 3,
    seed: Annotated[
        int | None,
        whole(
            "--seed", 0, MOST_SEED, help="Draw the chains' phases; without it they begin together."
        ),
    ] = None,
    system_calls: Annotated[
        bool, typer.Option("--system-calls/--no-system-calls", help="Count them with strace.")
    ] = True,
    duration: Duration = None,
    quick: Quick = False,
    output: OutputDirectory = None,
    cores: Cores = None,
    json_output: Json = False,
) -> None:
    """Count what isolated callback groups cost, beside pools and a plan (20 minutes)."""
    setting = make_setting(
        output_directory(output, "isolation"),
        choose_cores(cores),
        quick,
        duration_ns(duration, "--duration") if duration else None,
        None,
    )
    campaign = isolation.Campaign(
        isolation.grid(quick),
        min(rounds, 1) if quick else rounds,
        setting.duration_ns or (400_000_000 if quick else 2_000_000_000),
        system_calls and isolation.may_count_calls(),
        seed,
    )
    note(
        f"{setting.host.describe()}; {campaign.count()} runs, about "
        f"{campaign.expected_s() / 60:.1f} min."
    )
    others = OtherPrograms(setting.cores)
    found = isolation.measure(setting, campaign, note)
    used = others.cores()
    write_text(setting.directory / "counts.json", isolation.raw_counts(found))
    claims = isolation_claims.judge(found)
    finish(
        Study(
            kind="experiment isolation",
            title="What isolated callback groups cost, beside pools and a plan",
            command=repeated(
                "isolation",
                rounds=rounds if rounds != 3 else None,
                seed=seed,
                **{"no-system-calls": not system_calls},
                duration=duration,
                quick=quick,
                cores=cores,
            ),
            host=setting.host,
            configurations=[],
            sentences=others_used(used) + isolation_claims.sentences(claims),
            tables=[isolation_claims.verdicts(claims), *isolation_table.tables(found)],
            figures=isolation_table.figures(found),
            explanations=isolation_table.explanations(setting.cores),
        ),
        setting.directory,
        json_output,
    )
    must_hold((claim.holds for claim in claims), quick)
