"""`takt calibrate`: what it makes of records, and what it refuses."""

import dataclasses

import pytest
from support.schemas import example
from takt_cli.base.errors import TaktError
from takt_cli.results.records import Records
from takt_cli.running.calibration import from_records
from takt_cli.running.host import Measured
from takt_cli.verbs.calibrate import command

COLUMNS = ["callback", "published", "release_ns", "start_ns", "end_ns"]
IDS = ["/First:timer(5ms)", "/Second:timer(5ms)", "/Worker:sub(/First)", "/Sink:sub(/Worker)"]
FIGURES = {"p50": 4_000, "p99": 60_000, "max": 90_000}
CROSS = Measured.read({"wake_up_cross_core_ns": FIGURES}).wake_up_cross_core_ns
PERIOD = 5_000_000
WAKE_UP, DISPATCH, TAKE, PUBLISH = 50_000, 2_000, 7_000, 11_000


def records(periods, *, take=TAKE, slow=(), order=COLUMNS, backwards=False):
    """Records of so many periods: all cost the same, but dispatch of the slow ones is 1 ms."""
    rows = []
    for period in range(periods):
        due = (period + 1) * PERIOD
        dispatch = 1_000_000 if period in slow else DISPATCH
        now = due + WAKE_UP
        for callback in range(4):
            if callback == 1:
                now += dispatch
            elif callback > 1:
                now += DISPATCH + take
            end = now + (0 if callback == 3 else PUBLISH)
            release = due if callback < 2 else due + WAKE_UP + PUBLISH
            row = dict(zip(COLUMNS, (callback, int(callback < 3), release, now, end), strict=True))
            rows.append([row[column] for column in order])
            now = end
    raw = example("records", columns=list(order), callbacks=IDS)
    return Records.read(raw | {"runs": rows[::-1] if backwards else rows})


def test_each_cost_is_told_apart():
    found = from_records(records(1000), CROSS)
    # Of the four runs of a period the first wakes the thread, the second is a timer's that is due.
    # The very first run has none before it.
    assert len(found.wake_up) == 999
    assert len(found.dispatch) == 1000
    assert len(found.take) == 2000
    assert len(found.publish) == 3000
    assert set(found.dispatch) == {DISPATCH}
    assert set(found.take) == {TAKE}
    assert set(found.publish) == {PUBLISH}
    assert set(found.wake_up) == {WAKE_UP}
    assert found.overheads(99) == {
        "dispatch": DISPATCH,
        "middleware": PUBLISH,
        "context_switch": CROSS.p99,
    }
    assert found.jitter(99) == WAKE_UP


def test_middleware_is_the_dearer_of_publishing_and_taking():
    dear = from_records(records(1000, take=3 * PUBLISH), CROSS)
    assert dear.overheads(99)["middleware"] == 3 * PUBLISH


def test_records_may_be_in_any_order_of_columns_and_rows():
    found = from_records(records(1000, order=COLUMNS[::-1], backwards=True), CROSS)
    assert found.overheads(99) == from_records(records(1000), CROSS).overheads(99)


def test_rare_costs_are_beyond_the_percentile_and_within_a_higher_one():
    found = from_records(records(1000, slow=range(5)), CROSS)
    assert found.overheads(99)["dispatch"] == DISPATCH
    # Beyond p99.9 of a thousand there is one sample: too few, so that the worst counts.
    assert found.overheads(99.9)["dispatch"] == 1_000_000
    assert found.overheads(100)["dispatch"] == 1_000_000


def test_what_costs_nothing_is_nothing_and_not_its_worst():
    found = from_records(records(1000), CROSS)
    free = dataclasses.replace(found, take=0 * found.take, publish=0 * found.publish)
    free.publish[0] = 5_000_000
    assert free.overheads(99)["middleware"] == 0
    assert free.overheads(100)["middleware"] == 5_000_000


@pytest.mark.parametrize(("periods", "words"), [(0, "0 samples"), (99, "99 samples of dispatch")])
def test_too_few_samples_are_refused(periods, words):
    with pytest.raises(TaktError, match=words) as refused:
        from_records(records(periods), CROSS)
    assert refused.value.code == 2


def test_a_machine_without_a_figure_for_waking_up_across_cores_says_zero():
    assert from_records(records(1000), None).overheads(99)["context_switch"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--message Large", "use Message4kb or Int32"),
        ("--percentile 0", "above 0"),
        ("--percentile nan", "'nan' is not a number from 0 to 100"),
        ("--percentile 100.5", "'100.5' is not a number from 0 to 100"),
        ("--duration 10ms", "at least 1s"),
        ("--duration soon", "--duration"),
        ("--cpus 0,x", "not a list of cores"),
    ],
)
def test_nonsense_is_refused_before_anything_is_measured(takt, fakes, monkeypatch, options, words):
    monkeypatch.setattr(command, "realtime_allowed", lambda: True)
    monkeypatch.setattr(command, "measure", lambda *_: pytest.fail("it was measured"))
    said = takt("calibrate", *options.split())
    assert (said.code, said.out) == (2, "")
    assert words in said.err


def test_without_rights_nothing_is_measured(takt, fakes, monkeypatch):
    monkeypatch.setattr(command, "realtime_allowed", lambda: False)
    monkeypatch.setattr(command, "measure", lambda *_: pytest.fail("it was measured"))
    said = takt("calibrate")
    assert (said.code, said.out) == (2, "")
    assert "takt calibrate needs real-time priorities" in said.err


def test_the_result_is_two_lines_for_a_model_rounded_up(takt, fakes, monkeypatch):
    monkeypatch.setattr(command, "realtime_allowed", lambda: True)
    monkeypatch.setattr(
        command, "measure", lambda *_: from_records(records(1000, take=TAKE + 1), CROSS)
    )
    said = takt("calibrate")
    assert said.code == 0, said.err
    assert "overheads: {dispatch: 2us, middleware: 11us, context_switch: 60us}\n" in said.out
    assert "jitter: 50us" in said.out
    few = takt("calibrate", "--percentile", "99.9")
    kinds = "(dispatch, take, publish, wake_up: the largest, for p99.9 takes 10000 samples)"
    assert f"p99.9 of each {kinds}:" in " ".join(few.out.split())
    assert "largest" not in takt("calibrate", "--percentile", "100").out
    enough = from_records(records(2000), CROSS)
    monkeypatch.setattr(command, "measure", lambda *_: enough)
    assert "p99 of each:\n" in takt("calibrate").out
    shown = takt("calibrate", "--json", "--percentile", "50")
    assert '"dispatch": 2000' in shown.out
    assert '"percentile": 50.0' in shown.out


def test_a_file_of_costs_is_written_for_other_commands_and_none_is_replaced(
    takt, fakes, monkeypatch, tmp_path
):
    monkeypatch.setattr(command, "realtime_allowed", lambda: True)
    monkeypatch.setattr(command, "measure", lambda *_: from_records(records(2000), CROSS))
    path = tmp_path / "costs.yaml"
    said = takt("calibrate", "-o", path)
    assert said.code == 0, said.err
    core = said.err.split("core ")[1].split(";")[0]
    assert path.read_text() == (
        f"# takt calibrate: p99 of each, with Message4kb on core {core}\n"
        "version: 1\n"
        "overheads: {dispatch: 2us, middleware: 11us, context_switch: 60us}\n"
        "jitter: 50us  # of each timer\n"
    )
    assert f"{path} has them" in said.err
    monkeypatch.setattr(command, "measure", lambda *_: pytest.fail("it was measured"))
    said = takt("calibrate", "-o", path)
    assert said.code == 2
    assert "exists" in said.err
    said = takt("calibrate", "-o", tmp_path)
    assert (said.code, said.out) == (2, "")
