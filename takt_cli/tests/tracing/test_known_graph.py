"""A graph with known work in three processes: its model, and the chains that `takt top` shows.

`takt trace` records some hundred runs of it. For the same runs takt_run wrote the CPU time of the
work, measured inside of the callback.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from support.built import WORKLOAD, need
from support.private import private
from support.running_graph import convert, running_graph, starts, wait_for_runs
from takt_cli.base.units import parse_duration

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "oracles"))

from ctf_reader import read_traces

pytestmark = [need(*WORKLOAD, ("takt_trace", "takt_trace")), pytest.mark.together]

# The first process has the first two nodes, and so on.
GRAPH = """
version: 1
name: known
message: Int32
defaults: {depth: 10}
nodes:
  - {name: Front, kind: sensor, period: 100ms, offset: 10ms, work: 8ms}
  - {name: Rear, kind: sensor, period: 200ms, offset: 60ms, work: 8ms}
  - {name: Near, kind: transform, input: Front, work: {min: 6ms, max: 16ms}}
  - {name: Far, kind: transform, input: Rear, work: 10ms}
  - {name: Wheels, kind: transform, input: Near, work: 8ms}
  - {name: Horn, kind: transform, input: Far, work: 8ms}
"""
SCHEDULE = """
version: 1
executors:
  main: {order: priority, missing_rights: report, threads: {main: {}}, default: main}
chains:
"""
FRONT, REAR = "/Front:timer(100ms)", "/Rear:timer(200ms)"
NEAR, FAR = "/Near:sub(/Front)", "/Far:sub(/Rear)"
WHEELS, HORN = "/Wheels:sub(/Near)", "/Horn:sub(/Far)"
CHAINS = {"front": [FRONT, NEAR, WHEELS], "rear": [REAR, FAR, HORN], "brief": [REAR, FAR]}
PROCESSES = [{FRONT, REAR}, {NEAR, FAR}, {WHEELS, HORN}]
ALL = set().union(*PROCESSES)
LEAST_RUNS = 10
# A model's execution time is the CPU time from the pick to the end: beside the work it has the take
# and the publication. On a quiet machine these need 0.05 to 0.15 ms, 0.7 to 1.6 % of these works. A
# host that shares its cores makes any of them dearer by half a millisecond and more, but not each
# take and each publication of a callback: the quietest run shows what the trace itself adds.
ALLOWED = 0.05


def command(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", "takt_cli", *map(str, words)],
        env=private(folder), cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Run the graph, and trace it: a file for each process, and the records of all runs."""
    folder = tmp_path_factory.mktemp("known")
    (folder / "known.yaml").write_text(GRAPH)
    chains = "".join(f"  {name}: {json.dumps({'path': path})}\n" for name, path in CHAINS.items())
    (folder / "schedule.yaml").write_text(SCHEDULE + chains)
    options = ("--schedule", folder / "schedule.yaml", "--records", folder / "records.json")
    with running_graph(folder, folder / "known.yaml", *options, "--duration", "2min") as sockets:
        wait_for_runs(sockets, 2)
        command(folder, "trace", "start", "--cpu")
        top = json.loads(command(folder, "top", "--once", "--json", "--interval", "200ms").stdout)
        wait_for_runs(sockets, LEAST_RUNS)
        sockets.sort(key=lambda socket: PROCESSES.index(set(starts([socket]))))
        files = [folder / f"{socket.stem}.takttrace" for socket in sockets]
        for socket, file in zip(sockets, files, strict=True):
            command(folder, "trace", "stop", socket.stem, "--format", "takt", "-o", file)
    work = work_of(folder / "records.json")
    return SimpleNamespace(folder=folder, files=files, work=work, top=top)


def work_of(file):
    """CPU times of the work, by callback and release."""
    records = json.loads(file.read_text())
    rows = (dict(zip(records["columns"], row, strict=True)) for row in records["runs"])
    return {
        (
            records["callbacks"][row["callback"]],
            row["release_ns"] + records["epoch_ns"],
        ): row["work_cpu_ns"]
        for row in rows
    }


def traced_runs(recorded):
    """Give CPU times of whole runs in the trace: by callback, then by release."""
    convert(recorded.files, recorded.folder / "ctf", "ctf")
    found = defaultdict(dict)
    for trace in read_traces(recorded.folder / "ctf").values():
        ids, begun = {}, {}
        for event in trace.events():
            about = event.fields
            if event.name == "takt:callback_init":
                ids[about["callback"]] = about["id"]
            elif event.name == "takt:run_start":
                begun[about["callback"]] = about["release"]
            elif event.name == "takt:run_end" and about["callback"] in begun:
                release = begun.pop(about["callback"])
                if about["cpu_time"] > 0:
                    found[ids[about["callback"]]][release] = about["cpu_time"]
    return found


def model_of(recorded, files, name):
    said = command(recorded.folder, "model", *files, "-o", f"{name}.yaml").stderr
    text = (recorded.folder / f"{name}.yaml").read_text()
    return said, text, yaml.safe_load(text)


def by_id(model):
    return {one["id"]: one for one in model["callbacks"]}


def comments(text):
    """Give the comment above each callback."""
    found = re.findall(r"^  # (.*)\n  - \{id: \"(.*?)\"", text, re.MULTILINE)
    return {id_: comment for comment, id_ in found}


def test_times_are_those_that_the_run_measured_inside(recorded):
    _, text, model = model_of(recorded, recorded.files, "times")
    traced = traced_runs(recorded)
    told = comments(text)
    assert set(by_id(model)) == set(traced) == ALL
    for id_, runs in traced.items():
        work = {release: recorded.work[id_, release] for release in runs}
        # Both clocks are the thread's; the trace's interval holds the work.
        assert all(runs[release] >= work[release] > 0 for release in runs), id_
        spelled = re.search(r"over (\d+) runs: CPU mean ([\d.]+) (µs|ms)", told[id_])
        count, mean, unit = spelled.groups()
        assert int(count) == len(runs) >= LEAST_RUNS - 1, id_
        # What the trace counts beside the work must not grow with the work, as it would if it
        # counted a run twice, a neighbour's run or the wait for one.
        assert min(runs[release] / work[release] for release in runs) <= 1 + ALLOWED, id_
        of_three_digits = float(mean) * {"µs": 1e3, "ms": 1e6}[unit]
        mean = sum(runs.values()) / len(runs)
        assert of_three_digits == pytest.approx(mean, rel=0.005, abs=6e3), id_
        assert parse_duration(by_id(model)[id_]["time"]["worst"]) == max(runs.values()), id_


def test_topics_periods_and_chains_are_those_of_the_graph(recorded):
    said, _, model = model_of(recorded, recorded.files, "whole")
    seen = by_id(model)
    assert "omitted" not in said
    for id_, period in ((FRONT, 100e6), (REAR, 200e6)):
        assert parse_duration(seen[id_]["period"]) == pytest.approx(period, rel=0.01)
    for id_ in (NEAR, FAR, WHEELS, HORN):
        (topic,) = re.findall(r"sub\((.*)\)", id_)
        assert seen[id_]["triggers"] in (topic, [topic])
        assert "period" not in seen[id_]
    chains = {name: chain["path"] for name, chain in model["chains"].items()}
    assert chains == CHAINS


@pytest.mark.parametrize("withheld", [0, 1, 2])
def test_without_one_process_the_model_names_each_chain_that_is_cut(recorded, withheld):
    files = [file for number, file in enumerate(recorded.files) if number != withheld]
    said, _, model = model_of(recorded, files, f"without_{withheld}")
    gone = PROCESSES[withheld]
    assert set(by_id(model)) == ALL - gone
    for name, path in CHAINS.items():
        missing = [id_ for id_ in path if id_ in gone]
        notes = [line for line in said.splitlines() if f"'{name}'" in line]
        if missing:
            assert name not in model.get("chains", {})
            assert len(notes) == 1, said
            assert missing[0] in notes[0]
        else:
            assert model["chains"][name]["path"] == path
            assert not notes


def test_takt_top_has_one_row_for_each_chain_where_it_ends(recorded):
    rows = {chain["name"]: chain for chain in recorded.top["chains"]}
    assert len(rows) == len(recorded.top["chains"]) == len(CHAINS)
    pids = [int(file.stem) for file in recorded.files]
    for name, path in CHAINS.items():
        ends = next(number for number, ids in enumerate(PROCESSES) if path[-1] in ids)
        assert rows[name]["pid"] == pids[ends]
        assert rows[name]["elsewhere"] == path[:-1]
        assert rows[name]["from_arrival"]
        assert rows[name]["activations"] > 0
