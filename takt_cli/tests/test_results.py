import json

import pytest
from support.synthetic import MS, results
from takt_cli.errors import TaktError
from takt_cli.results_file import load_results, parse_results


def test_times_count_from_the_epoch_and_stalls_can_be_left_out():
    run = parse_results(results(stalls=2))
    series = run.chains[0].responses
    assert series.at_ns[0] == 100 * MS
    assert len(series.values) - len(series.clean()) == 2
    assert run.stalls[1][1:] == (10**9, 10**9 + 5 * MS)
    assert run.thread_count == 2  # helpers are no executor threads


def test_threads_that_only_watch_are_no_cost_of_the_run():
    plain, watched = results(), results()
    watched["threads"].append({**watched["threads"][-1], "name": "witness.0", "cpu_ns": 10**9})
    assert parse_results(watched).cpu_share == parse_results(plain).cpu_share
    assert parse_results(watched).switches_per_s == parse_results(plain).switches_per_s


def test_a_result_without_optional_parts_can_be_shown():
    raw = results()
    for key in ("kpis", "stalls", "callbacks", "warnings", "host", "load"):
        raw[key] = None if key in ("kpis", "host", "load") else []
    run = parse_results(raw)
    assert not run.kpis.has_hot_path
    assert run.skipped_periods == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a result"),
        (json.dumps({**results(), "version": 7}), "format version 7"),
        (json.dumps({**results(), "chains": [{}]}), "is damaged"),
    ],
)
def test_what_is_no_result_is_one_clear_error(tmp_path, content, message):
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(TaktError, match=message):
        load_results(path)
