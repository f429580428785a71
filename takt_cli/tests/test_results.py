import json

import pytest
from support.synthetic import EPOCH_NS, MS, results
from takt_cli.base.errors import TaktError
from takt_cli.results.results_file import load_results, parse_results
from takt_cli.tables.run_tables import key_table


def test_times_count_from_the_epoch_and_stalls_can_be_left_out():
    run = parse_results(results(stalls=2))
    series = run.chains[0].responses
    assert series.at_ns[0] == 100 * MS
    assert len(series.values) - len(series.clean()) == 2
    assert run.stalls[1][1:] == (10**9, 10**9 + 5 * MS)
    assert run.thread_count == 2  # helpers are no executor threads


def stall(begin_ms, end_ms, core=0, source="witness"):
    """Describe one as the runner does; times in ms since the epoch."""
    begin, end = (EPOCH_NS + at * MS for at in (begin_ms, end_ms))
    return {"core": core, "begin_ns": begin, "end_ns": end, "source": source}


def with_stalls(*stalls, **more):
    return parse_results({**results(), "stalls": list(stalls), **more})


def test_moments_before_the_epoch_count_from_it_too():
    run = with_stalls(stall(-20, 5))
    assert run.stalls == ((0, -20 * MS, 5 * MS),)
    assert run.stall_ns == 25 * MS
    raw = results()
    raw["chains"][0]["releases_ns"][0] = EPOCH_NS - 3 * MS
    assert list(parse_results(raw).chains[0].responses.at_ns[:2]) == [-3 * MS, 200 * MS]


def test_stalls_count_where_they_overlap_what_was_measured():
    measured = {
        "measured_from_ns": EPOCH_NS + 1000 * MS,
        "measured_to_ns": EPOCH_NS + 2000 * MS,
    }
    outside = (stall(-20, 5), stall(900, 1000), stall(2000, 2010))
    run = with_stalls(*outside, **measured)
    assert (run.stalls, run.stall_ns) == ((), 0)
    assert not any(row[0].text == "host stalls" for row in key_table(run).rows)
    run = with_stalls(*outside, stall(990, 1010), stall(1500, 1503), stall(1995, 2050), **measured)
    assert (len(run.stalls), run.stall_ns) == (3, 18 * MS)


def test_the_time_of_stalls_on_several_cores_at_once_counts_once():
    run = with_stalls(stall(10, 20), stall(15, 25, core=1), stall(12, 14), stall(30, 31, core=1))
    assert (len(run.held_up), run.stall_ns) == (2, 16 * MS)


def test_a_stall_is_told_as_long_as_it_certainly_was():
    run = with_stalls({**stall(10, 20), "certain_from_ns": stall(19, 20)["begin_ns"]})
    assert run.stall_ns == MS


def test_only_what_the_witness_saw_is_a_stall_of_the_host():
    ours = (stall(10, 20, None, "overrun"), stall(30, 40, source="throttled"))
    run = with_stalls(stall(1, 2), *ours)
    assert (len(run.stalls), run.stall_ns) == (1, MS)


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
