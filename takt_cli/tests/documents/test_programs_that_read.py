"""What programs in C++ read, with things wrong: a sentence and exit code 2, and no crash."""

import json
import random
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from support.any_json import changed, places
from support.built import CHECK, WORKLOAD, need
from support.exec_prefix import TAKT_EXEC
from support.running_graph import answer, running_graph
from support.schemas import REQUESTS, documents, example
from support.takttrace import Pipeline, encode
from takt_cli.base.programs import find_program
from takt_cli.control.client import ask
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.documents.schema import load
from takt_cli.files.graphs import graph_ids, resolve_graph, resolve_schedule

WRONG = (
    *(None, True, -1, 0, 0.5, 2**63, 2**64, 1e308),
    *("", "x", "x" * 70_000, "\0", "\ud800", [], [None], {}, {"id": {}}),
)
SEEDS = range(60)
FUZZ = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,  # of a running process: the same requests in each run
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def mutated(document, seed):
    """Give a document with up to three values in place of others; at times a part of its text."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        place = chance.choice(list(places(document)))
        document = changed(document, place, chance.choice(WRONG))
    text = json.dumps(document).encode()
    if chance.random() < 0.15:
        text = text[: chance.randrange(len(text))]
    if text and chance.random() < 0.15:
        at = chance.randrange(len(text))
        text = text[:at] + chance.randbytes(1) + text[at + 1 :]
    return text


def codes_of(run, known=(0, 2)):
    """Run a program for each seed; gives the exit codes that there were, all of them known."""
    codes = set()
    for seed in SEEDS:
        done = run(seed)
        assert done.returncode in known, (seed, done.returncode, done.stderr[-500:])
        assert done.returncode == 0 or done.stderr.strip(), seed
        codes.add(done.returncode)
    return codes


def started(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, check=False, timeout=60)


@need(*CHECK, *WORKLOAD)
def test_ids_of_callbacks(tmp_path):
    ids = json.loads(graph_ids(resolve_graph("three_chains")))
    file, check = tmp_path / "ids.json", find_program(*CHECK[0])
    schedule = resolve_schedule("three_chains_single")

    def run(seed):
        file.write_bytes(mutated(ids, seed))
        return started(check, schedule, "--ids", file)

    assert 2 in codes_of(run)


@need(*WORKLOAD)
def test_execution_times_of_a_graph(tmp_path):
    graph, program = resolve_graph("three_chains"), find_program("takt_graph", "takt_workload")
    times = {one["id"]: 1_000_000 for one in json.loads(graph_ids(graph))["callbacks"]}
    file = tmp_path / "times.json"

    def run(seed):
        file.write_bytes(mutated(times, seed))
        return started(program, "system", graph, "--times", file)

    assert codes_of(run) == {0, 2}


@need(("takt_trace", "takt_trace"))
@pytest.mark.parametrize(
    # What cannot be converted or has no runs to make a model of is a failure of a trace.
    ("verb", "known"),
    [("report", (0, 2)), ("convert", (0, 1)), ("model", (0, 1, 2))],
)
def test_names_in_a_trace(tmp_path, verb, known):
    pipeline = Pipeline(1)
    pipeline.thread(7, 40)
    names = json.dumps(pipeline.process.facts()).encode()
    whole = encode([pipeline.process])
    file, program = tmp_path / "a.takttrace", find_program("takt_trace", "takt_trace")
    more = [] if verb == "report" else ["-o", tmp_path / "out"]

    def run(seed):
        other = mutated(pipeline.process.facts(), seed)
        head = whole.index(names) - 4
        length = len(other).to_bytes(4, "little")
        file.write_bytes(whole[:head] + length + other + whole[head + 4 + len(names) :])
        return started(program, verb, file, *more)

    assert codes_of(run, known) == set(known)


@need(("takt_exec", "takt_rclcpp"))
def test_reports_of_adopted_executors(tmp_path):
    thread = example("exec_report#thread", name="hot")
    callback = example("exec_report#callback", id="/a:timer(1s)", runs=3)
    chain = example("exec_report#chain", name="c")
    parts = {"threads": [thread], "callbacks": [callback], "chains": [chain]}
    report = example("exec_report#executor", executor="e", **parts)
    file, folder = tmp_path / "joined", tmp_path / "parts"
    folder.mkdir()
    # Of the same executor: the other one is added to it.
    (folder / "0.json").write_text(json.dumps(report), encoding="utf-8")

    def run(seed):
        (folder / "1.json").write_bytes(mutated(report, seed))
        printed = started(TAKT_EXEC, "--join", folder)
        return (
            printed
            if printed.returncode
            else started(TAKT_EXEC, "--join", "--report", file, folder)
        )

    assert codes_of(run) == {0, 2}


WHOLE = {
    Message.status: {},
    Message.statistics: {},
    Message.apply: {"file": "s.yaml", "text": "version: 1\n", "check_only": True, "id": "a"},
    Message.reset: {"apply": "a"},
    Message.set: {"callback": "/a:timer(1s)", "priority": 5, "executor": None, "check_only": True},
    Message.trace_start: {"last_ns": 10**9, "records": 100, "cpu_times": True, "kernel": True},
}
OF_ANOTHER_KIND = {"string": 5, "integer": "5", "boolean": "yes", "array": {}}


def sent(socket, kind, request):
    """Send a request; gives the faults that the process answers with. None: it did as asked."""
    try:
        ask(socket, kind, request, 30.0)
    except Refused as error:
        assert all(error.faults)
        return error.faults
    except NoAnswer as error:
        pytest.fail(f"{kind.name} {str(request)[:300]}: {error}")
    return None


@need(*WORKLOAD)
def test_requests_to_a_running_process(tmp_path):
    arguments = ("three_chains", "--schedule", "three_chains_single", "--duration", "60s")
    with running_graph(tmp_path, *arguments, processes=1) as (socket,):
        for kind, request in WHOLE.items():
            refused = 0
            for seed in SEEDS:
                try:
                    wrong = json.loads(mutated(request, seed))
                except ValueError:
                    continue  # no JSON: this side cannot send it
                refused += sent(socket, kind, wrong) is not None
            if kind in (Message.apply, Message.set):
                assert refused
        assert answer(socket, Message.status)["executors"]
        answer(socket, Message.trace_stop)
        answer(socket, Message.trace_start, {})
        answer(socket, Message.trace_snapshot)
        answer(socket, Message.trace_stop)
        with pytest.raises(Refused):
            answer(socket, Message.trace_stop)


def send_what_the_schema_allows(socket, kind, name):
    @FUZZ
    @given(documents(name))
    def any_request(request):
        sent(socket, kind, request)

    any_request()


def asked_of(socket):
    """What a process was asked for, of all that its status says."""
    executors = answer(socket, Message.status)["executors"]
    threads = [thread["asked"] for executor in executors for thread in executor["threads"]]
    return threads, [(one["name"], one["schedule"], one["set_values"]) for one in executors]


@need(*WORKLOAD)
def test_requests_that_the_schemas_allow_and_values_that_they_do_not(tmp_path):
    arguments = ("three_chains", "--schedule", "three_chains_single", "--duration", "60s")
    with running_graph(tmp_path, *arguments, processes=1) as (socket,):
        for kind, name in REQUESTS.items():
            send_what_the_schema_allows(socket, kind, name)
            before = asked_of(socket)
            # A process that took such a value as absent would do something that nobody asked for.
            for key, schema in load(name)["properties"].items():
                kinds = schema["type"]
                wrong = OF_ANOTHER_KIND[kinds if isinstance(kinds, str) else kinds[0]]
                (fault,) = sent(socket, kind, WHOLE[kind] | {key: wrong}) or [""]
                assert f"'{key}'" in fault, (kind, key)
            assert asked_of(socket) == before
