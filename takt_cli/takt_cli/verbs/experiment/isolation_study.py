"""`takt experiment isolation`: its options, and the study that it makes."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli.base.console import note
from takt_cli.files.outputs import write_text
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import isolation, isolation_claims, isolation_table
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used
from takt_cli.verbs.options import MOST_SEED, whole


@experiment("isolation", without=("samples",))
def run_isolation(
    asked: Asked,
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
) -> None:
    """Count what isolated callback groups cost, beside pools and a plan (20 minutes)."""
    setting = asked.setting
    campaign = isolation.Campaign(
        isolation.grid(setting.quick),
        1 if setting.quick else rounds,
        setting.duration_ns or (400_000_000 if setting.quick else 2_000_000_000),
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
    asked.show(
        asked.study(
            {
                "rounds": rounds if rounds != 3 else None,
                "seed": seed,
                "no-system-calls": not system_calls,
            },
            [],
            title="What isolated callback groups cost, beside pools and a plan",
            sentences=others_used(used) + isolation_claims.sentences(claims),
            tables=[isolation_claims.verdicts(claims), *isolation_table.tables(found)],
            figures=isolation_table.figures(found),
            explanations=isolation_table.explanations(setting.cores),
        )
    )
    asked.must_hold(claim.holds for claim in claims)
