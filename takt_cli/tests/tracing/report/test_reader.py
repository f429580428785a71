"""The reader of `takt_trace report`: whole documents, poor ones, and damaged ones."""

import json

import pytest
from support.any_json import changed, places
from support.trace_documents import document
from takt_cli.documents.document import DamagedError
from takt_cli.verbs.report.trace_figures import TraceReport

WRONG = [
    None, True, "text", "", "\udcff", [], ["text"], [None], [[]], [[1]], {}, {"a": 1}, -1, 0, 0.5,
    10**400, 1e308, float("nan"), float("inf"), 2**63, -(2**70),
]  # fmt: skip


def test_a_whole_document_is_read():
    raw = document(60)
    report = TraceReport.read(raw)
    assert report.duration_ns == raw["ended_ns"] - raw["began_ns"]
    assert [chain.name for chain in report.chains] == ["display", "steer", "brake"]
    brake, told = report.chains[2], raw["chains"][2]
    assert (brake.activations, brake.missed) == (60, told["missed"])
    assert len(brake.responses) == 60
    assert brake.response.max_ns == told["response"]["max_ns"]
    worst = brake.worst[0]
    assert worst.split.total_ns == worst.response_ns == told["worst"][0]["response_ns"]
    assert [step.callback for step in worst.steps] == told["path"]
    assert sum(run.own for run in worst.timeline) == 3
    assert [one.why for step in worst.steps for one in step.blocked_by].count("queue") == 2
    assert report.hosts[1].clock_uncertainty_ns == 31_000
    assert report.measured.cpu
    assert report.measured.kernel


def test_a_document_with_nothing_but_its_schema_is_an_empty_report():
    report = TraceReport.read({"schema": 1})
    assert (report.chains, report.callbacks, report.dropped) == ((), (), 0)
    assert not report.measured.cpu


def test_a_part_of_a_response_below_zero_reads_as_zero():
    raw = document(3)
    raw["chains"][0]["split"]["middleware_ns"] = -5000  # two hosts, and clocks that disagree
    report = TraceReport.read(raw)
    assert report.chains[0].split.parts["middleware"] == 0


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ((), [], "the document is a list where an object"),
        (("schema",), 2, "schema is 2 where 1 belongs"),
        (("chains", 1, "activations"), "many", "chains[1].activations is 'many' where a number"),
        (("chains", 0, "name"), None, "chains[0].name is None where a name belongs"),
        (("chains", 0, "responses"), {}, "chains[0].responses is an object where a list"),
        (("chains", 0, "responses", 1), [5], "chains[0].responses[1] has 1 values in place of 2"),
        (
            ("chains", 0, "responses", 0, 1),
            -1,
            "chains[0].responses[0][1] is -1 where a number from 0",
        ),
        (("chains", 2, "worst", 0, "steps", 1, "thread"), 7, "worst[0].steps[1].thread is 7 where"),
        (("measured", "cpu"), "yes", "measured.cpu is 'yes' where true or false belongs"),
    ],
)
def test_a_damaged_document_names_the_place(path, value, words):
    with pytest.raises(DamagedError) as told:
        TraceReport.read(changed(document(30), path, value))
    assert words in str(told.value)


def test_one_wrong_value_anywhere_is_read_or_refused():
    whole = json.loads(json.dumps(document(3)))
    wrong = json.loads(json.dumps(WRONG))
    refused = cases = 0
    for path in places(whole):
        for value in wrong:
            cases += 1
            try:
                TraceReport.read(changed(whole, path, value))
            except DamagedError:
                refused += 1
    assert whole == json.loads(json.dumps(document(3))), "a reader changed its document"
    assert cases // 2 < refused < cases
