"""`takt experiment data-path`: its options, and the study that it makes."""

from __future__ import annotations

from typing import Annotated

from takt_cli.base.console import note
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import data_path, data_path_claims, data_path_table
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used
from takt_cli.verbs.options import whole

_MESSAGES = 1500
_QUICK = 100
_ROUNDS = 3


@experiment("data-path", without=("duration", "samples"))
def run_data_path(
    asked: Asked,
    messages: Annotated[
        int, whole("--messages", 1, 1_000_000, help="Messages of each size.")
    ] = _MESSAGES,
    rounds: Annotated[
        int, whole("--rounds", 1, 1000, help="Over all sizes; each has a part of the messages.")
    ] = _ROUNDS,
) -> None:
    """Measure messages of 64 B to 8 MiB: copies, zero copy, and without other threads."""
    setting = asked.setting
    campaign = data_path.Campaign(
        data_path.QUICK_SIZES if setting.quick else data_path.SIZES,
        data_path.places_of(setting.cores),
        min(messages, _QUICK) if setting.quick else messages,
        1 if setting.quick else rounds,
    )
    note(f"{setting.host.describe()}; about {campaign.expected_s() / 60:.1f} min.")
    others = OtherPrograms(setting.cores)
    found = data_path.measure(setting, campaign, note)
    used = others.cores()
    claims = data_path_claims.judge(found)
    asked.show(
        asked.study(
            {
                "messages": messages if messages != _MESSAGES else None,
                "rounds": rounds if rounds != _ROUNDS else None,
            },
            [],
            title="What a message costs on its way, by its size",
            sentences=others_used(used) + data_path_claims.sentences(claims, found),
            tables=[data_path_claims.verdicts(claims), *data_path_table.tables(found)],
            figures=data_path_table.figures(found),
            explanations=data_path_table.explanations(found, campaign, setting.cores),
        ),
        tables_shown=1 + data_path_table.shown(found),
    )
    asked.must_hold(claim.holds for claim in claims)
