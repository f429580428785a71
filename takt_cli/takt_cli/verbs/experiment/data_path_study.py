"""`takt experiment data-path`: its options, and the study that it makes."""

from __future__ import annotations

from typing import Annotated

from takt_cli.base.console import note
from takt_cli.files.output_directory import output_directory
from takt_cli.pages.finish import finish
from takt_cli.pages.study import Study
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import data_path, data_path_claims, data_path_table
from takt_cli.verbs.experiment.graph_studies import Quick, must_hold, others_used, repeated
from takt_cli.verbs.experiment.setting import make_setting
from takt_cli.verbs.options import Cores, Json, OutputDirectory, choose_cores, whole

_MESSAGES = 1500
_QUICK = 100
_ROUNDS = 3


def run_data_path(
    messages: Annotated[
        int, whole("--messages", 1, 1_000_000, help="Messages of each size.")
    ] = _MESSAGES,
    rounds: Annotated[
        int, whole("--rounds", 1, 1000, help="Over all sizes; each has a part of the messages.")
    ] = _ROUNDS,
    quick: Quick = False,
    output: OutputDirectory = None,
    cores: Cores = None,
    json_output: Json = False,
) -> None:
    """Measure messages of 64 B to 8 MiB: copies, zero copy, and without other threads."""
    setting = make_setting(
        output_directory(output, "data-path"), choose_cores(cores), quick, None, None
    )
    campaign = data_path.Campaign(
        data_path.QUICK_SIZES if quick else data_path.SIZES,
        data_path.places_of(setting.cores),
        min(messages, _QUICK) if quick else messages,
        1 if quick else rounds,
    )
    note(f"{setting.host.describe()}; about {campaign.expected_s() / 60:.1f} min.")
    others = OtherPrograms(setting.cores)
    found = data_path.measure(setting, campaign, note)
    used = others.cores()
    claims = data_path_claims.judge(found)
    finish(
        Study(
            kind="experiment data-path",
            title="What a message costs on its way, by its size",
            command=repeated(
                "data-path",
                messages=messages if messages != _MESSAGES else None,
                rounds=rounds if rounds != _ROUNDS else None,
                quick=quick,
                cores=cores,
            ),
            host=setting.host,
            configurations=[],
            sentences=others_used(used) + data_path_claims.sentences(claims, found),
            tables=[data_path_claims.verdicts(claims), *data_path_table.tables(found)],
            figures=data_path_table.figures(found),
            explanations=data_path_table.explanations(found, campaign, setting.cores),
        ),
        setting.directory,
        json_output,
        tables_shown=1 + data_path_table.shown(found),
    )
    must_hold((claim.holds for claim in claims), quick)
