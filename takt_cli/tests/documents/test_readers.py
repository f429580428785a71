"""Readers get any document that its schema allows, and documents with one thing wrong."""

import importlib
import json
import math
import pkgutil
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
import takt_cli
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.any_json import spoiled
from support.schemas import documents, example, faults
from takt_cli.base.printable import printable
from takt_cli.control.set_answer import SetAnswer
from takt_cli.control.statistics import ProcessStatistics
from takt_cli.control.status import Changes, ProcessStatus
from takt_cli.control.told import Refusal
from takt_cli.control.tracing import Told, Traced
from takt_cli.documents.document import DamagedError, Document
from takt_cli.documents.schema import FOLDER, definition, load, referred, version
from takt_cli.files.graphs import GraphInfo
from takt_cli.results.explanation import Explanation
from takt_cli.results.plan import Plan
from takt_cli.results.records import Records
from takt_cli.results.results_file import parse_results
from takt_cli.results.trace import TraceSummary
from takt_cli.running.control_loop import HostStalls, Loop
from takt_cli.running.host import Measured
from takt_cli.running.runner import Progress
from takt_cli.verbs.audit.pairs import SideBySide
from takt_cli.verbs.bench.programs import Limits
from takt_cli.verbs.experiment.data_path_program import DataPath, Floors
from takt_cli.verbs.experiment.isolation_program import Isolation
from takt_cli.verbs.experiment.oracle import OracleReport
from takt_cli.verbs.experiment.pipeline import Pipeline
from takt_cli.verbs.experiment.planners import Count
from takt_cli.verbs.experiment.tightness import KindPoint, Point
from takt_cli.verbs.experiment.workshop_program import Run as Workshop
from takt_cli.verbs.latency.measurement import LatencyProgress
from takt_cli.verbs.latency.results import LatencyReport
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.watched import Subscribed
from takt_cli.verbs.report.trace_figures import TraceReport

READERS = {
    "acceptance": Count,
    "change": Changes,
    "control_loop": Loop,
    "data_path": DataPath,
    "data_path_floors": Floors,
    "error": Refusal,
    "explanation": Explanation,
    "graph": GraphInfo,
    "host": Measured,
    "host_stalls": HostStalls,
    "isolation": Isolation,
    "latency": LatencyReport,
    "latency_progress": LatencyProgress,
    "limits": Limits,
    "oracle_report": OracleReport,
    "pipeline": Pipeline,
    "plan": Plan,
    "progress": Progress,
    "records": Records,
    "set": SetAnswer,
    "side_by_side": SideBySide,
    "statistics": ProcessStatistics,
    "status": ProcessStatus,
    "subscribed": Subscribed,
    "tightness": Point,
    "tightness_of_kind": KindPoint,
    "trace_begun": Traced,
    "trace_report": TraceReport,
    "trace_summary": TraceSummary,
    "trace_written": Told,
    "workshop": Workshop,
}
OF_ROS = ("launch", "ros2_command")  # modules that import ROS 2's packages
EACH = pytest.mark.parametrize("name", READERS)
FUZZ = settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(raw, found):
    """Assert that everything that was written was read."""
    if isinstance(found, Document):
        for name in raw:
            if name != "responses":  # sorted
                check(raw[name], getattr(found, name))
    elif isinstance(raw, dict):
        assert raw.keys() == found.keys()
        for name in raw:
            check(raw[name], found[name])
    elif isinstance(raw, list):
        assert len(raw) == len(found)
        for one, other in zip(raw, found, strict=True):
            check(one, other)
    elif isinstance(raw, str):
        assert found in (raw, printable(raw))
    elif isinstance(raw, float):
        assert math.isclose(raw, found)
    else:
        assert raw == found


@EACH
@FUZZ
@given(data=st.data())
def test_every_document_that_the_schema_allows_is_read(name, data):
    raw = data.draw(documents(name))
    check(raw, READERS[name].read(raw))


@EACH
@FUZZ
@given(data=st.data())
def test_a_document_with_one_wrong_value_is_read_or_refused(name, data):
    raw = data.draw(spoiled(data.draw(documents(name))))
    try:
        READERS[name].read(raw)
    except DamagedError as error:
        assert str(error)
        assert faults(name, raw) != []


@FUZZ
@given(documents("alarm"))
def test_every_alarm_that_the_schema_allows_is_read(raw):
    raw["actions"] = [{"log": True}, {"set_parameter": {"node": "/a", "name": "p", "value": 1}}]
    found = Alarm.read(raw)
    for name in raw:
        if name not in ("actions", "callback", "chain", "thread", "stack"):
            check(raw[name], getattr(found, name))
    assert [found.callback, found.chain, found.thread] == [
        printable(raw[name] or "") for name in ("callback", "chain", "thread")
    ]
    assert len(found.actions) == 2


@FUZZ
@given(documents("results"))
def test_all_results_that_the_schema_allows_are_read(raw):
    found = parse_results(raw)
    assert [one.name for one in found.chains] == [one["name"] for one in raw["chains"]]
    assert found.skipped_periods == raw["kpis"]["skipped_periods"]
    check(raw["callbacks"], found.callbacks)


@EACH
def test_the_least_document_has_no_fault_and_one_without_a_property_has_one(name):
    least = example(name)
    assert faults(name, least) == []
    for key in least:
        lacking = {other: value for other, value in least.items() if other != key}
        assert faults(name, lacking) == [f"{name}.{key} is missing"]
    assert faults(name, least | {"more": 1}) == [f"{name}.more is not in the schema"]


def version_field(name):
    """Give the field with the version of a document; None: it has none."""
    return next((one for one in ("schema", "version") if one in load(name)["properties"]), None)


@pytest.mark.parametrize("name", [name for name in READERS if version_field(name)])
def test_another_version_is_refused(name):
    known, field = version(name), version_field(name)
    with pytest.raises(DamagedError, match=f"{field} is {known + 1} where {known} belongs"):
        READERS[name].read(example(name) | {field: known + 1})


def test_every_schema_says_what_it_is_of():
    for file in FOLDER.glob("*.json"):
        assert load(file.stem)["title"], file


def test_every_document_with_a_reader_is_read_here():
    for module in pkgutil.walk_packages(takt_cli.__path__, "takt_cli."):
        if module.name.removeprefix("takt_cli.") not in ("__main__", *OF_ROS):
            importlib.import_module(module.name)
    read = {at for at in Document._classes if "#" not in at}
    assert read - READERS.keys() == {"alarm", "exec_report"}  # their readers have own tests


def test_the_contributors_page_names_the_writer_of_every_schema():
    page = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page[page.index("| schema | written by") :].partition("\n\n")[0]
    named = {
        name for row in table.splitlines() for name in re.findall("`(\\w+)`", row.split("|")[1])
    }
    assert named == {file.stem for file in FOLDER.glob("*.json")} - {"common"}


def places(at):
    """Give all objects that one of a schema can hold, by their places."""
    found, left = set(), [at]
    while left:
        place = left.pop()
        parts = [(definition(place), place.partition("#")[0])] if place not in found else []
        found.add(place)
        while parts:
            part, document = parts.pop()
            if isinstance(part, dict):
                left += [referred(part, document)] if "$ref" in part else []
                parts += [(one, document) for key, one in part.items() if key != "$defs"]
            elif isinstance(part, list):
                parts += [(one, document) for one in part]
    return found


# What a module imports decides which class reads a part: without its class it has no words.
KNOWN = """
import importlib, json, sys
from takt_cli.control.tracing import Told, Traced
from takt_cli.documents.document import Document
def known():
    return {at: one.__module__ for at, one in Document._classes.items()}
importlib.import_module(sys.argv[1])
first = known()
for name in sys.argv[2:]:
    importlib.import_module(name)
print(json.dumps([first, known()]))
"""


@pytest.mark.parametrize("name", [*READERS, "alarm", "results"])
def test_a_module_that_reads_a_document_knows_the_classes_of_its_parts(name):
    reader = {"alarm": Alarm, "results": parse_results}.get(name) or READERS[name]
    package = Path(takt_cli.__file__).parent
    modules = [
        ".".join(("takt_cli", *file.relative_to(package).with_suffix("").parts))
        for file in package.rglob("*.py")
        if "(Document, at=" in file.read_text(encoding="utf-8")
    ]
    done = subprocess.run(
        [sys.executable, "-c", KNOWN, reader.__module__, *modules],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    first, everything = json.loads(done.stdout)
    lacking = [at for at in places(name) if at in everything and at not in first]
    assert lacking == [], f"import {[everything[at] for at in lacking]} in {reader.__module__}"


def test_a_class_is_found_by_other_threads_only_when_it_can_read(monkeypatch):
    class Found(dict):
        def __setitem__(self, at, one):
            raw = {"raised": 2, "cleared": 1, "active": 0, "active_list": []}
            assert one.read(raw).raised == 2
            super().__setitem__(at, one)

    monkeypatch.setattr(Document, "_classes", Found(Document._classes))
    types.new_class("Alarms", (Document,), {"at": "statistics#alarms"})
    assert Document._classes["statistics#alarms"].__name__ == "Alarms"
