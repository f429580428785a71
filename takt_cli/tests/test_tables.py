import io
import re

import pytest
from rich.console import Console
from support.synthetic import results
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import parse_results
from takt_cli.tables.comparison import chain_comparison, clearly_best, comparison_table
from takt_cli.tables.run_tables import chain_table, key_table, run_tables, thread_table
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.run.document import run_summary


def test_every_column_has_a_title():
    for columns in (["a", ""], ["a", " "]):
        with pytest.raises(ValueError, match="a column has no title"):
            Table("", columns)


def test_tables_of_all_commands_are_plain_text_without_boxes():
    printed = io.StringIO()
    made = parse_results(results())
    console = Console(file=printed, width=80)
    for table in (*run_tables(made), comparison_table([Configuration("a", made)], "t")):
        table.print_to(console)
    assert "figure" in printed.getvalue()
    assert not re.search("[\u2500-\u257f|+]{2}", printed.getvalue())


def texts(table, row):
    return [cell.text for cell in table.rows[row]]


def test_p99_is_shown_from_a_thousand_samples_on():
    short, long = (chain_table(parse_results(results(duration_s=s))) for s in (10, 100))
    column = short.columns.index("p99")
    assert texts(short, 0)[column] == "–"
    assert "1,000 samples" in " ".join(short.notes)
    assert texts(long, 0)[column] != "–"
    assert texts(long, 0)[long.columns.index("p99.9")] == "–"
    longest = chain_table(parse_results(results(duration_s=1000)))
    assert texts(longest, 0)[longest.columns.index("p99.9")] != "–"
    assert texts(short, 0)[short.columns.index("stalled")] == "1.0 %"


def ends(table, row):
    """What the activations of a row came to, by column."""
    names = ("released", "completed", "superseded", "lost", "unfinished", "skipped")
    return [table.rows[row][table.columns.index(name)].text for name in names]


def test_every_released_activation_is_accounted_for():
    raw = results()
    raw["chains"][0] |= {
        "released": 165, "completed": 100, "superseded": 40, "lost": 13, "unfinished": 7,
        "skipped": 5,
    }  # fmt: skip
    run = parse_results(raw)
    counts = ["165", "100", "40", "13", "7", "5"]
    assert ends(chain_table(run), 0) == counts
    assert ends(chain_comparison([Configuration("a", run)], "t"), 0) == counts
    told = run_summary(run)["chains"][0]
    parts = ("completed", "superseded", "lost", "unfinished", "skipped")
    assert told["released"] == sum(told[part] for part in parts) == 165
    stalled = chain_table(run)
    assert stalled.columns[-2:] == ["max w/o stalls", "stalled"]
    for chain in raw["chains"]:
        chain["stalled"] = []
    assert chain_table(parse_results(raw)).columns[-1] == "max"


def test_skipped_timer_periods_are_named_for_takt_too():
    made = [
        Configuration(name, parse_results(results(skipped=count)))
        for name, count in (("pool", 0), ("takt", 7))
    ]
    for table in (comparison_table(made, "t"), chain_comparison(made, "t")):
        assert "skipped timer periods: takt: 7 (a 7); none in the others" in table.notes
    assert "skipped timer periods: none in any run" in chain_comparison(made[:1], "t").notes
    row = next(row for row in key_table(made[1].results).rows if "skipped" in row[0].text)
    assert [cell.text for cell in row[1:]] == ["7", "a 7"]


def test_the_thread_table_says_what_was_refused():
    raw = results(policy="fifo")
    raw["threads"][0] |= {
        "granted": "other, core 1",
        "faults": ["no right to use fifo 80; raise RLIMIT_RTPRIO"],
    }
    table = thread_table(parse_results(raw))
    refused = next(row for row in table.rows if row[0].text == "worker.0")
    assert refused[1].text == "fifo 80, core 0"
    assert (refused[2].text, refused[2].mood) == ("other, core 1", "bad")
    assert "no right to use fifo 80; raise RLIMIT_RTPRIO" in table.notes


def test_the_tables_of_a_run_leave_that_to_its_warnings():
    raw = results(policy="fifo")
    raw["threads"][0]["faults"] = ["no right to use fifo 80; raise RLIMIT_RTPRIO"]
    assert not any(
        "no right" in note for table in run_tables(parse_results(raw)) for note in table.notes
    )


def test_the_main_thread_is_not_called_the_middlewares():
    raw = results()
    raw["threads"][2] |= {"name": "takt_run", "cpu_ns": 10**9}
    rows = [row[0].text for row in thread_table(parse_results(raw)).rows]
    assert "takt_run (main)" in rows


def test_threads_of_several_processes_are_told_apart():
    raw = results()
    one = thread_table(parse_results(raw))
    assert {row[0].text for row in one.rows} >= {"worker.0", "worker.1"}
    raw["threads"][0] |= {"process": 0, "name": "executor.0"}
    raw["threads"][1] |= {"process": 1, "name": "executor.0"}
    raw["threads"][2] |= {"process": 1, "cpu_ns": 10**9}
    table = thread_table(parse_results(raw))
    names = {row[0].text for row in table.rows}
    assert names == {"0/executor.0", "1/executor.0", "1/dds.ev (middleware)"}
    assert any(
        note.startswith("0/name, 1/name: threads of the first process") for note in table.notes
    )


def test_a_graph_without_key_figures_gets_the_other_tables():
    raw = results()
    raw["kpis"] = {}
    titles = [table.title for table in run_tables(parse_results(raw))]
    assert titles == ["Chains (response in ms)", "Key figures", "Threads"]


@pytest.mark.parametrize(
    ("values", "best"),
    [([3, 1, 2], 1), ([1.0, 1.02], None), ([0, 0], None), ([0, 5], 0), ([None, 4], None)],
)
def test_only_a_clearly_better_value_is_marked(values, best):
    assert clearly_best(values) == best


def test_the_comparison_has_the_floor_beside_and_figures_without_stalls():
    configurations = [
        Configuration(name, parse_results(results(seed=seed)))
        for seed, name in enumerate(("pool", "takt"))
    ]
    table = comparison_table(configurations, "c")
    rows = {row[0].text: row for row in table.rows}
    for name in (
        "hot path p50 (ms)",
        "hot path max (ms)",
        "hot path max without host stalls (ms)",
        "hot path samples in host stalls",
        "hot path from its due time p50 (ms)",
        "hot path drops",
        "planner late max (ms)",
        "planner cycles without fresh obstacles",
        "skipped timer periods",
        "missed deadlines",
        "CPU (100 % is one core)",
        "context switches /s",
        "host stalls",
    ):
        assert name in rows
    assert rows["hot path max (ms)"][-1].text == "36.0"
    assert "hot path p90 (ms)" in rows  # 100 samples support p90 but not p99
    assert any("p99 takes 1,000" in note for note in table.notes)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 119, 160])
def test_no_heading_and_no_number_breaks_inside_at_any_width(width):
    run = parse_results(results())
    pair = comparison_table([Configuration("stock, 2 threads", run)], "c")
    for table in [*run_tables(run), pair]:
        stream = io.StringIO()
        table.print_to(Console(file=stream, width=width))
        shown = stream.getvalue()
        assert max(map(len, shown.splitlines())) <= width
        cells = [cell.strip() for line in shown.splitlines() for cell in re.split(" {2,}", line)]
        words = {word for cell in cells for word in cell.split()}
        for word in " ".join(table.columns).split():
            assert word in words, (table.title, word, shown)
        for row in table.rows:
            for cell in row[table.words :]:
                if re.fullmatch(r"[\d.,]+( %| ms)?", cell.text):
                    assert cell.text in cells, (table.title, cell.text, shown)


def test_a_table_that_does_not_fit_is_shared_out_evenly_under_one_title():
    table = chain_table(parse_results(results()))
    assert table.fitting(200) == [list(range(len(table.columns)))]
    (first, second) = table.fitting(80)
    assert first[0] == second[0] == 0  # each begins with the names
    assert [*first, *second[1:]] == list(range(len(table.columns)))
    assert abs(len(first) - len(second)) <= 3
    stream = io.StringIO()
    table.print_to(Console(file=stream, width=80))
    assert stream.getvalue().count(table.title) == 1


def test_the_bare_timer_is_shown():
    raw = results()
    raw["kpis"]["reference_timer"] = {"lateness_ns": [1_000_000] * 30 + [2_000_000]}
    row = next(row for row in key_table(parse_results(raw)).rows if "bare timer" in row[0].text)
    assert row[1].text == "1.00 / 2.00 ms"


def test_a_row_of_the_wrong_width_is_refused_and_json_has_numbers():
    table = Table("t", ["a", "b"])
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        table.add("x")
    table.add("x", Cell("1.0 ms", value=1.0))
    assert table.to_json()["rows"] == [["x", 1.0]]
