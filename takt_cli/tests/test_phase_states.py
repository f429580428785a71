"""Whether bounds that rest on phases hold: in status, in top, in results, in damaged answers."""

import pytest
from support.fake_control import executor, process
from support.fake_statistics import S, statistics
from support.looks import drawn, pair, view
from support.synthetic import results
from takt_cli.control.client import Peer
from takt_cli.control.processes import Process
from takt_cli.control.status import read_process
from takt_cli.documents.document import DamagedError
from takt_cli.results.configuration import Configuration
from takt_cli.results.phase_state import PhaseState
from takt_cli.results.results_file import parse_results
from takt_cli.tables.comparison import comparison_table
from takt_cli.tables.run_tables import key_table
from takt_cli.verbs.run.document import run_summary
from takt_cli.verbs.status.comparison import table_of
from takt_cli.verbs.top.layout import Size
from takt_cli.verbs.top.printed import document
from takt_cli.verbs.top.state import State

QUIET = {"disturbances": 0, "bounds_hold": "yes", "holds_in_ns": 0, "last": None}
LAST = {"cause": "skipped period", "callback": "/scan:timer(50ms)", "ago_ns": 340_000_000}
SETTLING = {
    "disturbances": 2, "bounds_hold": "settling", "holds_in_ns": 260_000_000, "last": LAST,
}  # fmt: skip
WORDS = (
    "2 disturbances, the last one 340 ms ago: skipped period of /scan:timer(50ms); "
    "bounds hold again in 260 ms"
)


def told(state):
    return PhaseState.read(state, "phases")


def test_a_state_is_put_into_words():
    assert str(told(QUIET)) == "no disturbance; bounds hold"
    assert str(told(SETTLING)) == WORDS
    for hold, words in (
        ("yes", "bounds hold again"),
        ("after a new start", "bounds hold again after a new start"),
        ("unknown", "whether bounds hold again is unknown: the schedule has no settles"),
    ):
        assert told(SETTLING | {"bounds_hold": hold}).hold_words == words
    start = QUIET | {"bounds_hold": "settling", "holds_in_ns": 2 * S}
    assert str(told(start)) == "no disturbance; bounds hold in 2.00 s"


@pytest.mark.parametrize(
    "damage",
    [
        {"bounds_hold": "perhaps"},
        {"disturbances": -1},
        {"last": {"cause": "bad luck"}},
        {"last": LAST | {"ago_ns": "now"}},
        {"last": 5},
    ],
)
def test_a_damaged_state_is_refused(damage):
    with pytest.raises(DamagedError):
        told(SETTLING | damage)


def test_status_has_a_line_for_each_executor_with_phases():
    status = process(
        "/p", executor("main", [], phases=SETTLING), executor("rest", []),
        executor("other", [], phases=QUIET),
    )  # fmt: skip
    found = read_process(status, Peer(0, 0), 7)
    notes = table_of(Process(socket=None, status=found), everything=False).notes
    assert f"phases of main: {WORDS}" in notes
    assert "phases of other: no disturbance; bounds hold" in notes
    assert len([note for note in notes if note.startswith("phases")]) == 2


def disturbed(name, state):
    return statistics(f"/opt/{name}") | {
        "executors": [
            {"name": "main", "spinning": True, "threads": [], "callbacks": [], "phases": state}
        ]
    }


def test_top_tells_of_the_process_whose_bounds_do_not_hold():
    again = SETTLING | {"bounds_hold": "yes", "holds_in_ns": 0}
    pairs = [
        pair(None, disturbed("again", again), 1),
        pair(None, disturbed("calm", QUIET), 2),
        pair(None, disturbed("shaken", SETTLING), 3),
    ]
    size = Size(160, 24)
    assert drawn(view(*pairs), State(), size)[1] == f"phases of main, shaken (pid 3): {WORDS}"
    assert "phases of main, again (pid 1): 2 dist" in drawn(view(*pairs[:2]), State(), size)[1]
    assert drawn(view(pairs[1]), State(), size)[1] == ""
    assert drawn(view(pairs[2]), State(filter="x"), size)[1] == "filter: x"
    help_ = " ".join(drawn(view(*pairs), State(help=True), Size(80, 40)))
    assert "again (pid 1)" in help_
    assert "shaken (pid 3)" in help_
    (executor_,) = document(view(pairs[2]))["processes"][0]["executors"]
    assert executor_["phases"] == SETTLING


def run(*states):
    phases = [
        {"process": number, "executor": "main", "state": state}
        for number, state in enumerate(states)
    ]
    return parse_results({**results(), "phase_states": phases})


def test_a_run_tells_of_each_of_its_executors():
    rows = [[cell.text for cell in row] for row in key_table(run(QUIET, SETTLING)).rows]
    assert ["phases", "undisturbed", "0/main: no disturbance"] in rows
    (words,) = (row for row in rows if row[2].startswith("1/main"))
    assert words[1] == "bounds hold again in 260 ms"
    alone = [[cell.text for cell in row] for row in key_table(run(QUIET)).rows]
    assert ["phases", "undisturbed", "no disturbance"] in alone
    assert not [row for row in key_table(run(None)).rows if row[0].text == "phases"]
    assert run_summary(run(QUIET, SETTLING))["phases"] == {"0/main": QUIET, "1/main": SETTLING}


def test_a_report_compares_disturbances_where_a_schedule_gives_offsets():
    def rows(*all_of_them):
        named = [Configuration(str(i), one) for i, one in enumerate(all_of_them)]
        return {row[0].text: row for row in comparison_table(named, "t").rows}

    assert [c.text for c in rows(run(SETTLING), run(QUIET))["disturbances of phases"]][1:3] == [
        *("2", "0"),
    ]
    assert "disturbances of phases" not in rows(run(), run())
