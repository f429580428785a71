"""Traces of real programs: the Autoware graph in three processes, recorded while it runs."""

import json
import os
from collections import Counter

import pytest
import yaml
from support.built import WORKLOAD, need
from support.running_graph import answer, convert, running_graph, takt_trace, traced, wait_for_runs
from support.schemas import faults
from takt_cli.base.units import parse_duration
from takt_cli.control.frames import Message
from takt_cli.files.systems import available_systems

perfetto_trace_pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
BEGIN, END, INSTANT = 1, 2, 3


@pytest.fixture
def graph(tmp_path):
    """Run the graph for a minute at most; gives the sockets of its three processes."""
    arguments = ("--schedule", "autoware_takt", "--duration", "60s", "--work-scale", "0.1")
    with running_graph(tmp_path, "autoware_reference", *arguments) as sockets:
        yield sockets


@need(*WORKLOAD, ("takt_trace", "takt_trace"))
def test_messages_of_three_processes_are_joined_and_the_trace_is_what_perfetto_reads(
    graph, tmp_path
):
    files = traced(graph, 20)
    assert sum(file["dropped"] for file in files) == 0
    raws = [file["file"] for file in files]
    told = convert(raws, tmp_path / "trace", "perfetto")
    messages = told["messages"]
    assert messages["joinable"] > 50, told
    assert messages["joinable_joined"] == messages["joinable"], told
    assert len(told["processes"]) == 3
    assert all(process["runs"] > 0 for process in told["processes"])

    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString((tmp_path / "trace").read_bytes())
    names = {
        packet.track_descriptor.process.pid
        for packet in trace.packet
        if packet.track_descriptor.HasField("process")
    }
    assert names == {process["pid"] for process in told["processes"]}
    tracks = {packet.track_descriptor.uuid for packet in trace.packet}
    open_slices, starts, ends = Counter(), Counter(), Counter()
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in tracks
        open_slices[event.track_uuid] += {BEGIN: 1, END: -1}.get(event.type, 0)
        assert open_slices[event.track_uuid] >= 0
        starts.update(event.flow_ids)
        ends.update(event.terminating_flow_ids)
    assert not any(open_slices.values())
    assert starts == ends
    assert set(starts.values()) == {1}
    # Nothing is an arrow that is not a message; arrows that would go back in time are left out.
    assert 0.9 * messages["joined"] <= len(starts) <= messages["joined"]


@need(*WORKLOAD, ("takt_trace", "takt_trace"))
def test_messages_of_the_time_in_which_some_processes_have_ended_their_trace_are_not_joinable(
    graph, tmp_path
):
    files = traced(graph, 5, pause=0.5)
    told = convert([file["file"] for file in files], tmp_path / "trace", "perfetto")
    messages = told["messages"]
    assert messages["joined"] < messages["taken"], "the pause is longer than all periods"
    assert messages["joinable"] > 10, told
    assert messages["joinable_joined"] == messages["joinable"], told


@need(*WORKLOAD, ("takt_trace", "takt_trace"))
def test_a_flight_recorder_writes_what_was_last_and_the_program_goes_on(graph, tmp_path):
    for socket in graph:
        answer(socket, Message.trace_start, {"last_ns": 500_000_000})
    wait_for_runs(graph, 10)  # longer than half a second
    first = [answer(socket, Message.trace_snapshot)["file"] for socket in graph]
    told = convert(first, tmp_path / "first.json", "chrome")
    assert all(process["runs"] > 0 for process in told["processes"])
    events = json.loads((tmp_path / "first.json").read_text())["traceEvents"]
    times = [event["ts"] for event in events if event["ph"] in "Xi"]
    assert max(times) - min(times) <= 1_000_000  # of half a second each, one after the other
    last = [answer(socket, Message.trace_stop)["file"] for socket in graph]
    again = convert(last, tmp_path / "last.json", "chrome")
    assert again["ended_ns"] > told["began_ns"]


@need(*WORKLOAD, ("takt_trace", "takt_trace"), ("takt_plan", "takt_plan"))
def test_the_model_of_a_trace_has_the_graphs_callbacks_topics_periods_and_chains(
    graph, tmp_path, takt
):
    """The shipped model of the graph is the ground truth."""
    files = traced(graph, 25, cpu_times=True)
    convert([file["file"] for file in files], tmp_path / "t.takttrace", "takt")
    said = takt("model", tmp_path / "t.takttrace", "-o", tmp_path / "system.yaml")
    assert said.code == 0, said.err
    model = yaml.safe_load((tmp_path / "system.yaml").read_text())
    file = available_systems()["autoware_reference"]
    truth = yaml.safe_load(file.read_text())

    def by_id(system):
        """Of sets of messages each input."""
        found = {}
        for one in system["callbacks"]:
            for id_ in one["id"] if isinstance(one["id"], list) else [one["id"]]:
                found[id_] = one
        return found

    seen, known = by_id(model), by_id(truth)
    assert seen.keys() == known.keys()
    assert len({one.get("executor", "main") for one in seen.values()}) == 3
    for id_, one in known.items():
        if "period" in one:
            ratio = parse_duration(seen[id_]["period"]) / parse_duration(one["period"])
            assert 0.99 <= ratio <= 1.01, id_
        topics = [system[id_].get("publishes", []) for system in (seen, known)]
        mine, theirs = ({one} if isinstance(one, str) else set(one) for one in topics)
        # Of a node that fuses topics the run that comes last publishes, and a short trace may have
        # only one of them.
        assert mine <= theirs, id_
    assert set(model["chains"]) == set(truth["chains"])
    for name, chain in model["chains"].items():
        assert chain["path"] == truth["chains"][name]["path"], name
    # The quickest planner: a search over all chains of the graph would take twenty seconds.
    options = ("--cpus", "0-1", "--planner", "rate-monotonic")
    said = takt("plan", tmp_path / "system.yaml", "-o", tmp_path / "plan.yaml", *options)
    assert said.code in (0, 1), said.err
    assert (tmp_path / "plan.yaml").is_file()


@need(*WORKLOAD, ("takt_trace", "takt_trace"))
def test_the_parts_of_every_chains_response_times_add_up(graph, tmp_path):
    files = traced(graph, 25, cpu_times=True, kernel=True)
    assert sum(file["dropped"] for file in files) == 0
    report = takt_trace("report", *[file["file"] for file in files])
    assert faults("trace_report", report) == []
    assert len(report["processes"]) == 3
    assert len(report["hosts"]) == 1
    assert report["measured"] == {"cpu": True, "kernel": True}
    truth = yaml.safe_load(available_systems()["autoware_reference"].read_text())
    chains = {chain["name"]: chain for chain in report["chains"]}
    assert set(chains) == set(truth["chains"])
    for name, chain in chains.items():
        assert chain["path"] == truth["chains"][name]["path"], name
        assert chain["activations"] == chain["response"]["count"] == len(chain["responses"]) > 5
        assert chain["unsplit"] <= 0.05 * chain["activations"], name
        if not chain["unsplit"]:
            mean = chain["response"]["mean_ns"]
            assert sum(chain["split"].values()) == pytest.approx(mean, rel=0.02), name
        assert all(part >= 0 for part in chain["split"].values()), name
        assert chain["split"]["ran_ns"] > 0, name
        assert chain["split"]["middleware_ns"] > 0, "it crosses processes"
        check_account(chain)
        for worst in chain["worst"]:
            check_activation(worst, chain["path"])
    assert {one["id"] for one in report["callbacks"]} >= set(truth["chains"][name]["path"])
    assert all(one["cpu"] is not None for one in report["callbacks"])


def check_account(chain):
    """Check that each activation ended in one way, and that the missed ones are the sum of ways."""
    account = chain["account"]
    assert account is not None, chain["account_why"]
    ways = ("completed", "lost", "superseded", "unfinished", "skipped")
    assert account["released"] == sum(account[way] for way in ways)
    assert account["completed"] == chain["activations"]
    misses = ("late", "lost", "overdue", "skipped")
    bound = chain["deadline_ns"] is not None
    assert chain["missed"] == bound * sum(account[way] for way in misses)
    stops = sum(one["count"] for one in account["stops"])
    assert stops == account["released"] - account["completed"]
    assert len(account["stopped"]) == min(stops, 20)
    assert {one["callback"] for one in account["stops"]} <= set(chain["path"])


def check_activation(activation, path):
    """Check that times are in order and parts add up, of the whole and of each step."""
    response = activation["response_ns"]
    assert response == activation["end_ns"] - activation["release_ns"]
    assert sum(activation["split"].values()) == pytest.approx(response, rel=0.02)
    steps = activation["steps"]
    assert [step["callback"] for step in steps] == path
    for step in steps:
        assert all(part >= 0 for part in step["split"].values())
        assert sum(step["split"].values()) == step["until_ns"] - step["from_ns"]
        assert step["from_ns"] <= step["release_ns"] <= step["picked_ns"]
        assert step["picked_ns"] <= step["start_ns"] <= step["end_ns"]
        assert step["core"] in range(os.cpu_count())
        waited = Counter()
        for one in step["blocked_by"]:
            waited[f"{one['why']}_ns"] += one["ns"]
        for part in ("group_ns", "queue_ns", "core_ns"):
            assert waited[part] == step["split"][part]
    assert sum(step["until_ns"] - step["from_ns"] for step in steps) == response
    own = [run for run in activation["timeline"] if run["own"]]
    assert sorted(run["callback"] for run in own) == sorted(path)


@need(("takt_trace", "takt_trace"))
@pytest.mark.parametrize("content", [b"", b"version: 1\n", b"\0" * 100])
def test_a_model_of_what_is_no_trace_is_wrong_input(tmp_path, takt, content):
    (tmp_path / "t.takttrace").write_bytes(content)
    said = takt("model", tmp_path / "t.takttrace", "-o", tmp_path / "system.yaml")
    assert said.code == 2, said.err
    assert said.err.count("t.takttrace") == len(said.err.splitlines()) == 1
    assert "exit code" not in said.err
    assert not (tmp_path / "system.yaml").exists()
