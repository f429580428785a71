"""`takt experiment data-path`: claims, tables, plots, and the real program for a moment."""

from __future__ import annotations

import json
import subprocess

import pytest
from support.built import DATA_PATH, need
from support.schemas import example, faults
from takt_cli.base.errors import TaktError
from takt_cli.base.programs import find_program, find_program_or_none
from takt_cli.verbs.experiment import data_path, data_path_claims, data_path_table
from takt_cli.verbs.experiment.data_path import (
    DIRECT,
    FUTEX,
    KIB,
    LOANS,
    MIB,
    OF_RCLCPP,
    OTHER,
    POOL,
    RCLCPP,
    SAME,
    SIZES,
    STANDARD,
    UDP,
    VARIANTS,
    WITHIN,
    Campaign,
    Found,
    size_words,
)
from takt_cli.verbs.experiment.data_path_program import (
    DataPath,
    Floors,
    Measured,
    run_data_path,
)

LARGE = 4 * MIB


def thread(role="receiver", name="receiver", voluntary=100, **more):
    return example(
        "data_path#thread", role=role, process="receiver", name=name, voluntary=voluntary, **more
    )


def cell(variant, place, size, us, threads=None):
    own = [thread()] if place != WITHIN else [thread(role="both")]
    raw = example(
        "data_path",
        variant=variant,
        place=place,
        size=size,
        messages=100,
        latencies_ns=[round(us * 1000)] * 100,
        stalled_ns=[],
        threads=own if threads is None else threads,
    )
    return Measured([DataPath.read(raw)])


def found_with(threads=None, missing=(), **us):
    """Measure two sizes of each variant at each place: medians in µs by variant and size."""
    result = Found(
        Floors.read({"call_ns": 1.2, "clock_ns": 25.0, "copies": [{"size": LARGE, "ns": 90_000.0}]})
    )
    medians = {UDP: (50, 4000), STANDARD: (50, 3000), LOANS: (30, 31), DIRECT: (5, 5.5), **us}
    for place in data_path.PLACES:
        if place != WITHIN:
            result.cells[FUTEX, place, 64] = cell(FUTEX, place, 64, 3)
        for variant in VARIANTS:
            for size, value in zip((64, LARGE), medians[variant], strict=True):
                if variant not in missing:
                    own = threads if variant == DIRECT else None
                    result.cells[variant, place, size] = cell(variant, place, size, value, own)
    return result


def verdicts(found, place=SAME):
    return {
        c.text.split(":")[0]: c.holds for c in data_path_claims.judge(found) if c.place == place
    }


def test_sizes_are_powers_of_four_up_to_the_largest():
    assert SIZES[:4] == (64, 256, KIB, 4 * KIB)
    assert SIZES[-2:] == (4 * MIB, 8 * MIB)
    assert [size_words(size) for size in (64, 16 * KIB, 8 * MIB)] == ["64 B", "16 KiB", "8 MiB"]


def test_a_campaign_has_each_variant_at_each_place_and_the_wake_up_between_processes():
    cells = list(Campaign((64, KIB), data_path.places_of((0, 1)), 10).cells())
    assert len(cells) == len(set(cells)) == 3 * 2 * len(VARIANTS) + 2 + 2 * len(OF_RCLCPP)
    assert {place for variant, place, _ in cells if variant in OF_RCLCPP} == {WITHIN}
    assert {place for variant, place, _ in cells if variant == FUTEX} == {SAME, OTHER}
    assert data_path.places_of((0,)) == (SAME, WITHIN)


def test_claims_are_met_where_the_figures_are_good():
    found = found_with()
    claims = data_path_claims.judge(found)
    assert len(claims) == 14
    assert all(claim.holds for claim in claims)
    said = data_path_claims.sentences(claims, found)
    assert said[0] == "14 of 14 claims were met."
    assert "took 5 µs, the wake-up alone 3 µs" in said[1]


@pytest.mark.parametrize(
    ("found", "missed"),
    [
        (found_with(direct=(5, 6.1)), "the latency without other threads is flat"),
        (found_with(direct=(5, 31.5)), "it is below the latency of the zero-copy transport"),
        (found_with(udp=(50, 150)), "at 4 MiB the latency without optimisation"),
        (found_with([thread(voluntary=106)]), "the receiver has at most 1.05"),
        (found_with([thread(), thread("other", "dds.shm.1", 6)]), "no other thread switches"),
    ],
)
def test_a_claim_is_missed_where_its_figure_is_bad(found, missed):
    missed_ones = [text for text, holds in verdicts(found).items() if holds is False]
    assert any(text.startswith(missed) for text in missed_ones), missed_ones


def test_in_one_thread_no_other_thread_may_switch():
    found = found_with([thread("both"), thread("other", "dds.udp.1", 6)])
    assert [text for text, holds in verdicts(found, WITHIN).items() if holds is False]


def test_a_claim_without_its_figures_is_not_judged():
    assert None in verdicts(found_with(missing=(LOANS,))).values()
    assert data_path_claims.judge(found_with(missing=(DIRECT,))) == []
    few = found_with()
    run = example("data_path", latencies_ns=[5000] * 19, threads=[thread()], messages=100)
    few.cells[DIRECT, SAME, 64] = Measured([DataPath.read(run)])
    assert verdicts(few)["the latency without other threads is flat"] is None


def test_threads_that_do_the_same_are_summed_up():
    one = cell(
        UDP,
        SAME,
        64,
        5,
        [
            thread(),
            thread("other", "dds.udp.7412", 30, cpu_ns=1000),
            thread("other", "dds.udp.7413", 20, cpu_ns=3000),
        ],
    )
    receiver, udp = one.kinds()
    assert (receiver.role, receiver.voluntary) == ("receiver", 1.0)
    assert (udp.name, udp.threads, udp.voluntary, udp.cpu_ns) == ("dds.udp", 2, 0.5, 40.0)


def test_runs_of_several_rounds_are_put_together():
    one, other = cell(DIRECT, SAME, 64, 5).runs + cell(DIRECT, SAME, 64, 7).runs
    both = Measured([one, other])
    assert both.messages == 200
    assert sorted(set(both.clean)) == [5000.0, 7000.0]
    (receiver,) = both.kinds()
    # A thread of each run: twice the switches of twice the messages.
    assert (receiver.threads, receiver.voluntary) == (1, 1.0)


def test_tables_and_plots_show_every_size_and_variant():
    found = found_with()
    tables = data_path_table.tables(found)
    latency = tables[0]
    assert [row[0].text.split() for row in latency.rows] == [["64", "B"], ["4", "MiB"]]
    assert "channel p50" in latency.columns
    assert latency.rows[0][latency.columns.index("channel p50")].text == "5.00"
    # A hundred samples: p99 has one beyond it.
    assert latency.rows[0][latency.columns.index("channel p99")].text == "–"
    assert "sequence by pointer p50" in tables[2].columns
    limits = {row[0].text: row[1].text for row in data_path_table.limits(found).rows}
    assert limits["call of a function"] == "1.2 ns"
    assert limits["copy of 4 MiB"] == "90.0 µs"
    plots = dict(data_path_table.figures(found))
    assert len(plots) == 6
    names = [line["name"] for line in plots["Latency, two processes, same core"]["data"]]
    assert names == ["UDP", "default", "loans", "channel", "limit: copy", "limit: wake-up"]


def test_a_missing_variant_leaves_gaps_and_says_why():
    found = found_with(missing=(LOANS,))
    found.missing[LOANS, SAME] = "loans: another middleware"
    assert all(data_path_table.tables(found))
    assert "Not measured: loans: another middleware." in data_path_table.explanations(
        found, Campaign((64,), (SAME,), 100), (0, 1)
    )


def test_rclcpps_own_messages_are_beside_takts_where_they_were_measured():
    found = found_with()
    campaign = Campaign((64,), (WITHIN,), 100)
    assert not any("rclcpp" in text for text in data_path_claims.sentences([], found))
    for size in (64, LARGE):
        found.cells[RCLCPP, WITHIN, size] = cell(RCLCPP, WITHIN, size, 20)
        found.cells[POOL, WITHIN, size] = cell(POOL, WITHIN, size, 40)
    latency = data_path_table.tables(found)[2]
    assert latency.rows[0][latency.columns.index("rclcpp p50")].text == "20.0"
    assert latency.rows[0][latency.columns.index("rclcpp pool p50")].text == "40.0"
    assert "rclcpp p50" not in data_path_table.tables(found)[0].columns
    said = data_path_claims.sentences([], found)
    assert "within the process took 20 µs, one of a sequence by pointer 5 µs" in said[-1]
    assert any("unique pointers" in text for text in data_path_table.explanations(
        found, campaign, (0, 1)
    ))  # fmt: skip
    assert len(data_path_claims.judge(found)) == 14


@need(*DATA_PATH)
def test_without_rclcpp_its_messages_are_missing_in_one_line(tmp_path):
    if find_program_or_none("takt_data_path_rclcpp", "takt_bench"):
        pytest.skip("takt was built with rclcpp")
    for variant in OF_RCLCPP:
        why = run_data_path(
            variant,
            WITHIN,
            64,
            tmp_path / "told",
            messages=1,
            interval_ns=1_000_000,
            longest_ns=10**9,
            cores=(0,),
        )
        assert why == "rclcpp's own messages within a process: takt was built without rclcpp"
        done = subprocess.run(
            [find_program(*DATA_PATH[0]), "--variant", variant, "--place", WITHIN],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (3, "")
        assert "takt_data_path_rclcpp measures it" in done.stderr


@need(("takt_data_path_rclcpp", "takt_bench"))
@pytest.mark.alone
@pytest.mark.parametrize("variant", OF_RCLCPP)
def test_a_moment_of_rclcpps_own_messages(tmp_path, variant):
    run = run_data_path(
        variant,
        WITHIN,
        4096,
        tmp_path / "told",
        messages=20,
        interval_ns=2_000_000,
        longest_ns=10**10,
        cores=(0,),
    )
    assert not isinstance(run, str), run
    assert (run.variant, run.lost, run.damaged) == (variant, 0, 0)
    assert len(run.latencies_ns) + len(run.stalled_ns) == 20


@need(*DATA_PATH)
@pytest.mark.alone
def test_the_program_writes_what_the_schemas_have(tmp_path):
    program = find_program(*DATA_PATH[0])
    words = ["--place", "one_thread", "--messages", "30", "--output", "told"]
    subprocess.run([program, *words], cwd=tmp_path, check=True, timeout=120)
    found = json.loads((tmp_path / "told").read_text(encoding="utf-8"))
    assert faults("data_path", found) == []
    assert len(found["latencies_ns"]) + len(found["stalled_ns"]) == 30
    subprocess.run([program, "--floors", "64", "--output", "told"], cwd=tmp_path, check=True)
    assert faults("data_path_floors", json.loads((tmp_path / "told").read_text())) == []


@need(*DATA_PATH)
@pytest.mark.parametrize(
    "words",
    [
        ("--variant", "fast"),
        ("--place", "here"),
        ("--size", "63"),
        ("--interval", "1us"),
        ("--variant", "futex", "--place", "one_thread"),
    ],
)
def test_the_program_refuses_what_it_cannot_measure(words):
    done = subprocess.run([find_program(*DATA_PATH[0]), *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert words[0].strip("-") in done.stderr or words[1] in done.stderr


@need(*DATA_PATH)
def test_a_failed_measurement_is_an_error_with_its_reason(tmp_path):
    with pytest.raises(TaktError, match="is not one of"):
        run_data_path(
            "fast",
            SAME,
            64,
            tmp_path / "told",
            messages=1,
            interval_ns=1_000_000,
            longest_ns=10**9,
            cores=(0,),
        )


# The page on ways of messages quotes the two commands that follow.
@need(*DATA_PATH)
@pytest.mark.alone
def test_a_moment_of_shared_memory_between_nodes():
    program = find_program("takt_data_path", "takt_bench")
    done = subprocess.run(
        [program, "--variant", "shared", "--interval", "200us", "--messages", "20"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["variant"] == "shared"
    assert found["lost"] == 0
    assert len(found["latencies_ns"]) + len(found["stalled_ns"]) == 20


@need(("hop_benchmark", "takt_bench"))
@pytest.mark.alone
def test_a_moment_of_the_benchmark_of_hops(takt):
    said = takt("bench", "hop", "--only", "core_|clock", "--min-time", "1ms", "--json")
    assert said.code in (0, 1), said.err  # a busy machine may miss a limit
    measured = {
        one["name"].split("/")[0] for one in json.loads(said.out)["hop_benchmark"]["benchmarks"]
    }
    assert {"clock_read", "core_sequence", "core_queue"} <= measured


@need(*DATA_PATH)
@pytest.mark.alone
def test_a_moment_of_the_whole_experiment(takt, monkeypatch, tmp_path):
    monkeypatch.setattr(data_path, "QUICK_SIZES", (64, 64 * KIB))
    said = takt(
        *("experiment", "data-path", "--quick", "--messages", "20", "--json"), "-o", tmp_path / "d"
    )
    assert said.code == 0, said.err
    raw = sorted(path.name for path in (tmp_path / "d/raw").iterdir())
    assert "floors.json" in raw
    assert "one_thread-direct-65536-1.json" in raw
    summary = json.loads((tmp_path / "d/summary.json").read_text())
    assert summary["kind"] == "experiment data-path"
    assert summary["tables"][1]["rows"][0][0].split() == ["64", "B"]
    assert (tmp_path / "d/report.html").stat().st_size > 1_000_000
    assert (tmp_path / "d/latency-one-thread.svg").is_file()
