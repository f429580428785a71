"""`takt status`, `apply`, `reset` and `template` against processes that are not there."""

import json
import os
import random
import signal
import threading
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from support.any_json import spoiled
from support.built import CHECK, need
from support.closing import each_numbered
from support.fake_control import (
    APPLY,
    ERROR,
    PART,
    RESET,
    RESULT,
    STATUS,
    FakeProcess,
    attributes,
    callback,
    executor,
    frame,
    message,
    process,
    thread,
)
from takt_cli.base.cores import core_list
from takt_cli.control import client, frames, processes
from takt_cli.control.attributes import Attributes, differences
from takt_cli.control.changes import executor_names
from takt_cli.control.client import Gone, Peer, ask
from takt_cli.control.frames import Message, NoAnswer, Refused
from takt_cli.control.status import read_process
from takt_cli.verbs.status.comparison import State, as_json, headline, judge, settled, table_of
from takt_cli.verbs.template.collection import Collection
from takt_cli.verbs.template.template import template_text

KERNEL_SAYS = client.peer_of
SEED = int(os.environ.get("TAKT_TEST_SEED", "1"))
ROUNDS = int(os.environ.get("TAKT_TEST_ROUNDS", "1"))
HOT = attributes("fifo", 90, cores=[0])
HOT_NOW = attributes("fifo", 90, nice=0, cores=[0])
WEAK = attributes("other", nice=0, cores=[0])


@pytest.fixture
def start(folder):
    """Start a process that tells this status."""
    with each_numbered(lambda pid, status: FakeProcess(folder, pid, status)) as call:
        yield call


def talk():
    """A process with two hot threads, one of which has not what was asked, and others."""
    return process(
        "/opt/robot/talk",
        executor(
            "main",
            [
                thread("hot.0", 0, HOT, HOT_NOW),
                thread("hot.1", 1, HOT, WEAK, faults=["policy fifo 90 was refused: no right"]),
                thread("rest", 2),
            ],
            [callback("/n:timer(10ms)", threads=["hot.0"])],
            schedule="/etc/takt/robot.yaml",
        ),
        process_threads=[{"tid": 7, "name": "dds.udp", "now": WEAK, "asked": None}],
    )


def good(name="listen", executor_name="main"):
    """A process whose threads are as asked."""
    return process(f"/opt/robot/{name}", executor(executor_name, [thread("hot", 0, HOT, HOT_NOW)]))


# Messages


def test_a_message_travels_whole_or_in_parts(start):
    long = {**good(), "command": ["x" * 300_000]}
    one = start(long)
    _, data = ask(one.path, Message.status, {"padding": "y" * 200_000}, 5)
    assert data == long
    assert one.requests == [(STATUS, {"padding": "y" * 200_000})]


def test_frames_are_cut_at_the_longest_payload():
    for size in (0, 1, frames.MOST_PAYLOAD, frames.MOST_PAYLOAD + 1, 2 * frames.MOST_PAYLOAD):
        cut = list(frames.frames(Message.status, b"z" * size))
        assert len(cut) == max(1, -(-size // frames.MOST_PAYLOAD))
        kinds = [frames.HEADER.unpack(one[: frames.HEADER.size])[2] for one in cut]
        assert kinds == [PART] * (len(cut) - 1) + [STATUS]
        assert sum(len(one) - frames.HEADER.size for one in cut) == size


WRONG = {
    "nothing": (b"", "closed the connection without an answer"),
    "half a header": (b"takt\1", "in the middle of its answer"),
    "half a payload": (frame(RESULT, b"{", length=10), "in the middle of its answer"),
    "another magic": (frame(RESULT, b"{}", magic=b"http"), "bytes that are no message of takt"),
    "another version": (frame(RESULT, b"{}", version=2), "speaks version 2 of takt's messages"),
    "a long frame": (frame(RESULT, b"", length=1 << 20), "a frame of 1048576 bytes"),
    "another type": (frame(100, b"{}"), "a message of type 100"),
    "no JSON": (frame(RESULT, b"{no"), "not JSON"),
    "no UTF-8": (frame(RESULT, b'{"a": "\xff"}'), "not JSON"),
    "a deep nest": (message(RESULT, b"[" * 200_000), "not JSON"),
    "a long number": (message(RESULT, b'{"pid": ' + b"9" * 10_000 + b"}"), "not JSON"),
    "a list": (frame(RESULT, b"[]"), "not an object"),
    "an empty part": (frame(PART, b""), "an empty part"),
    "too much": (frame(PART, b" " * (64 << 10)) * 257, "more than 16 MiB"),
    "no faults": (frame(ERROR, b"{}"), "without saying why"),
    "a fault that is no text": (message(ERROR, {"faults": ["a", 5]}), "faults[1] is 5 where text"),
    "a wrong kind": (message(RESULT, {"executors": 5}), "executors is 5 where a list belongs"),
    "an unknown policy": (
        message(RESULT, process("/p", executor("e", [thread("t", asked={"policy": "fast"})]))),
        "asked.policy is none of inherit",
    ),
    "a wrong core": (
        message(RESULT, process("/p", executor("e", [thread("t", asked={"cores": [-1]})]))),
        "asked.cores[0] is -1 where a number from 0 to 65535",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_one_line(takt, start, case):
    answer, why = WRONG[case]
    one = start(answer)
    start(good())
    said = takt("status")
    assert said.code == 1
    (line,) = said.err.splitlines()
    assert line.startswith("process 4000001 ")
    assert why in line
    assert line.endswith(f"({one.path})")
    assert "1 process, 1 thread: all as asked; 1 process does not answer" in said.out


def test_random_bytes_never_end_in_a_traceback(start):
    chance = random.Random(SEED)
    one = start(b"")
    whole = message(RESULT, good())
    for round_ in range(100 * ROUNDS):
        answer = bytearray(whole)
        for _ in range(chance.randint(1, 20)):
            answer[chance.randrange(len(answer))] = chance.randrange(256)
        cut = chance.randrange(len(answer)) if chance.random() < 0.3 else len(answer)
        one.status = bytes(answer[:cut]) if round_ % 4 else chance.randbytes(chance.randint(0, 99))
        try:
            peer, data = ask(one.path, Message.status, {}, 5)
            read_process(data, peer, 1)
        except (NoAnswer, Refused):
            pass


@given(told=spoiled(talk()))
@settings(max_examples=100 * ROUNDS, deadline=None)
def test_any_json_is_read_or_refused(told):
    try:
        status = read_process(told, Peer(1, 0), 1)
    except NoAnswer as error:
        assert "damaged data" in str(error)
        return
    found = processes.Found((processes.Process(Path("/1.sock"), status),), ())
    assert json.loads(json.dumps(as_json(found, True)))["headline"] == headline(found)
    table_of(found.processes[0], True)
    assert yaml.safe_load(template_text([status]))["version"] == 1


# Finding processes


def test_without_a_process_one_sentence_says_how_to_start_one(takt, folder):
    for command in (["status"], ["reset"], ["template", "-o", "t.yaml"]):
        said = takt(*command)
        assert said.code == 1
        assert said.out == ""
        assert said.err.startswith(
            "takt: no process runs under takt; `takt exec -- PROGRAM` starts"
        )
    assert json.loads(takt("status", "--json").out)["processes"] == []


def test_a_process_that_hangs_is_told_in_one_line(takt, start, hasty):
    start(good()).hangs.set()
    said = takt("status")
    assert said.code == 1
    assert "process 4000001 does not answer within 60 s" in said.err


def test_a_process_that_answers_byte_by_byte_does_not_hold_takt_up(takt, folder, monkeypatch):
    monkeypatch.setattr(processes, "ANSWER_S", 0.2)

    class Dripping(FakeProcess):
        def _answer(self, connection):
            for byte in message(RESULT, good()) * 1000:
                connection.sendall(bytes([byte]))
                self.hangs.wait(0.01)

    one = Dripping(folder, 4_000_001, good())
    said = takt("status")
    one.close()
    assert said.code == 1
    assert "process 4000001 does not answer within 0.2 s" in said.err


def test_a_thousand_threads_make_one_table(takt, start):
    threads = [thread(f"t{n}", n, HOT, HOT_NOW, group=f"/node{n}:group(own)") for n in range(1000)]
    start(process("/p", executor("main", threads)))
    said = takt("status")
    assert said.code == 0
    assert said.out.startswith("1 process, 1,000 threads: all as asked\n")
    assert written(takt)[1]["executors"]["main"]["groups"][999]["match"] == "/node999:group(own)"


def test_the_socket_of_a_process_that_is_gone_is_removed(takt, start, folder):
    gone = start(good(), pid=4_100_000)
    living = start(good(), pid=os.getpid())  # a process of this number is there: it may be starting
    for one in (gone, living):
        one.close(leave_socket=True)
    (folder / "4100001.sock").write_text("no socket")
    (folder / "notes.txt").touch()
    assert takt("status").code == 1
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [living.path.name, "4100001.sock", "notes.txt"]
    )
    with pytest.raises(Gone):
        ask(living.path, Message.status, {}, 1)


def test_a_long_path_of_a_socket_is_no_obstacle(takt, tmp_path, monkeypatch):
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    short = Path(os.path.relpath(deep, Path.cwd()))
    monkeypatch.chdir(deep)
    one = FakeProcess(Path(), 4_000_001, good())
    monkeypatch.setenv("TAKT_RUNTIME_DIR", str(deep))
    assert len(str(deep / "4000001.sock")) > 107, short
    said = takt("status")
    one.close()
    assert said.code == 0, said.err


def test_the_kernel_names_process_and_user(takt, start, monkeypatch):
    start(good())
    monkeypatch.setattr(client, "peer_of", KERNEL_SAYS)
    said = takt("status")
    assert f"listen (pid {os.getpid()}, user " in said.out
    assert "somebody" not in said.out


def test_folders_are_those_of_the_user_and_for_root_of_all(tmp_path):
    for place in ("run/user/7/takt", "tmp/takt-8", "tmp/other"):
        (tmp_path / place).mkdir(parents=True)
    session = {"XDG_RUNTIME_DIR": "/run/user/9"}

    def found(environ, uid):
        return [
            str(place).replace(str(tmp_path), "")
            for place in processes.folders(environ, uid, tmp_path)
        ]

    assert found({}, 1000) == ["/tmp/takt-1000"]
    assert found(session, 1000) == ["/run/user/9/takt"]
    assert found({}, 0) == ["/tmp/takt-0", "/run/user/7/takt", "/tmp/takt-8"]
    assert found({**session, "TAKT_RUNTIME_DIR": "/here"}, 0) == ["/here"]


def test_a_folder_of_another_user_is_passed_over(folder, start):
    start(good())
    assert list(processes.sockets([folder, folder], os.geteuid()))
    if os.geteuid() == 0:
        os.chown(folder, 4242, 4242)
        assert not list(processes.sockets([folder], 1000))
        assert list(processes.sockets([folder], 4242))
        assert list(processes.sockets([folder], 0))


def test_processes_are_chosen_by_number_and_name(takt, start):
    start(good("talk"))
    start(good("listen"))
    for word, names in (
        ("talk", ["talk"]),
        ("/opt/robot/listen", ["listen"]),
        ("4000001", ["talk"]),
    ):
        told = json.loads(takt("status", word, "--json").out)["processes"]
        assert [one["program"].rpartition("/")[2] for one in told] == names
    said = takt("status", "talk", "sing")
    assert said.code == 2
    assert said.out == ""
    assert "has the number or the program name 'sing'" in said.err
    assert "listen (pid 4000002), talk (pid 4000001)" in said.err


# Status


def test_status_names_each_thread_that_has_not_what_was_asked(takt, start):
    start(talk())
    start(good())
    said = takt("status")
    assert said.code == 1
    first, *lines = said.out.splitlines()
    assert first == "2 processes, 4 threads: 3 as asked, 1 not: hot.1 of talk (pid 4000001)"
    (row,) = [line for line in lines if line.startswith("main ") and "hot.1" in line]
    assert "fifo 90, core 0" in row
    assert "other, nice 0, core 0" in row
    assert "not granted" in row
    assert "hot.1: policy fifo 90 was refused: no right" in lines
    assert "schedule of main: /etc/takt/robot.yaml" in lines
    assert "1 other thread: --all lists them" in lines
    assert "dds.udp" not in said.out
    assert "dds.udp" in takt("status", "--all").out


def test_status_is_good_where_only_unasked_attributes_differ(takt, start):
    plain = attributes("other", nice=5, cores=[3])
    start(process("/p", executor("main", [thread("a", now=plain)])))
    said = takt("status")
    assert said.code == 0
    assert said.out.startswith("1 process, 1 thread: all as asked\n")


def test_values_that_takt_set_changed_are_told(takt, start):
    changes = [
        {"what": "thread hot", "value": "priority", "before": 60, "now": 41},
        {
            "what": "callback /n:timer(1s)",
            "value": "threads",
            "before": ["rest"],
            "now": ["a", "b"],
        },
        {"what": "callback /n:timer(1s)", "value": "priority", "before": None, "now": 3},
    ]
    hot = [thread("hot", 0, HOT, HOT_NOW)]
    start(process("/opt/robot/talk", executor("main", hot, set_values=changes)))
    said = takt("status")
    assert said.code == 0
    assert said.out.startswith(
        "1 process, 1 thread: all as asked; 3 values changed since the schedule\n"
    )
    for words in (
        "thread hot: priority 60 -> 41",
        "callback /n:timer(1s): threads rest -> a,b",
        "callback /n:timer(1s): priority none -> 3",
    ):
        assert (
            f"changed since the schedule of main by takt set or takt monitor: {words}" in said.out
        )


def test_status_names_the_subscriptions_that_do_not_get_their_messages_by_the_middleware(
    takt, start
):
    shared = [callback(f"/n:sub(/{topic})", transport="shared_memory") for topic in "abcde"]
    others = [
        callback("/n:sub(/f)", transport="pointer"),
        callback("/n:sub(/g)", transport="middleware"),
        callback("/n:timer(1s)", transport=None),
        callback("/old:sub(/h)"),  # of a process with an older takt
    ]
    start(process("/p", executor("main", [thread("a")], [*shared, *others])))
    said = takt("status")
    assert (
        "messages by shared memory: /n:sub(/a), /n:sub(/b), /n:sub(/c) and 2 more\n"
        "messages by pointer: /n:sub(/f)\n"
    ) in said.out
    assert "/g" not in said.out
    (one,) = json.loads(takt("status", "--json").out)["processes"]
    ways = [one["transport"] for one in one["executors"][0]["callbacks"]]
    assert ways == ["shared_memory"] * 5 + ["pointer", "middleware", None, None]


def test_without_a_process_json_is_not_ok_as_the_exit_code_says(takt, folder):
    said = takt("status", "--json")
    assert said.code == 1
    assert json.loads(said.out)["ok"] is False


def test_a_later_change_is_told_apart_from_a_refusal(start):
    one = start(process("/p", executor("main", [thread("a", 0, HOT, HOT_NOW, WEAK)])))
    found = processes.find()
    (judged,) = judge(found.processes[0])
    assert judged.state == State.changed
    assert judged.differs == ("policy",)
    one.status["executors"][0]["threads"][0]["now"] = HOT_NOW
    (judged,) = judge(settled(found, processes.find, 0).processes[0])
    assert judged.state == State.as_asked


def test_a_thread_that_does_not_run_counts_apart(takt, start):
    ended = thread("a", 0, HOT, HOT_NOW, attributes())
    start(process("/p", executor("main", [ended, thread("b", 1, HOT, HOT_NOW, tid=0)])))
    said = takt("status")
    assert said.code == 0
    assert said.out.startswith("1 process, 2 threads: 0 as asked, 2 not running\n")


def test_status_as_json_has_states_and_attributes(takt, start):
    start(talk())
    said = takt("status", "--json", "--all")
    data = json.loads(said.out)
    assert said.code == 1
    assert data["ok"] is False
    assert data["counts"] == {"as_asked": 2, "not_granted": 1, "changed": 0, "not_running": 0}
    threads = data["processes"][0]["executors"][0]["threads"]
    assert [one["state"] for one in threads] == ["as_asked", "not_granted", "as_asked"]
    assert threads[1]["differs"] == ["policy"]
    assert threads[0]["asked"]["cores"] == [0]
    assert data["processes"][0]["process_threads"][0]["name"] == "dds.udp"


def test_a_name_cannot_steer_the_terminal(takt, start):
    start(process("/p/\x1b[31mevil\n", executor("main", [thread("a\x1b]0;x\x07")])))
    said = takt("status")
    assert "\x1b" not in said.out
    assert "\\x1b[31mevil\\n" in said.out


@pytest.mark.parametrize(
    ("asked", "has", "follows", "found"),
    [
        (Attributes(), Attributes("fifo", 9, cores=(1,)), False, ()),
        (Attributes("fifo", 9), Attributes("fifo", 8), False, ("policy",)),
        (Attributes("fifo", 9), Attributes("fifo", 8), True, ()),
        (Attributes("fifo", 9), Attributes("fifo", 10), True, ("policy",)),
        (Attributes("fifo", 9), Attributes("rr", 9), False, ("policy",)),
        (Attributes(nice=5), Attributes("other", nice=0), False, ("nice",)),
        (Attributes("other", nice=5), Attributes("fifo", 3, nice=5), False, ("policy",)),
        (Attributes(cores=(1, 0)), Attributes("other", cores=(0, 1)), False, ()),
        (Attributes(cores=(1,)), Attributes("other", cores=(0, 1)), False, ("cores",)),
        (
            Attributes("deadline", runtime_ns=1, period_ns=9),
            Attributes("deadline", runtime_ns=1, deadline_ns=9, period_ns=9),
            False,
            (),
        ),
        (
            Attributes("deadline", runtime_ns=1, period_ns=9),
            Attributes("deadline", runtime_ns=2, deadline_ns=9, period_ns=9),
            False,
            ("policy",),
        ),
    ],
)
def test_only_asked_attributes_are_compared(asked, has, follows, found):
    assert differences(asked, has, follows=follows) == found


def test_attributes_in_words():
    assert str(Attributes()) == "–"
    assert str(Attributes("rr", 3, cores=(0, 1, 2, 5))) == "rr 3, cores 0-2,5"
    assert str(Attributes(nice=-5, cores=(2,))) == "nice -5, core 2"
    deadline = Attributes("deadline", runtime_ns=10**6, deadline_ns=10**7, period_ns=2 * 10**7)
    assert str(deadline) == "deadline 1 ms each 20 ms within 10 ms"
    assert core_list([]) == ""


# Apply and reset

SCHEDULE = """version: 1
executors:
  main: {threads: {hot: {policy: fifo, priority: 90}}, default: hot}
  planning: {threads: {a: {}}, default: a}
"""


def parts(*outcomes):
    """Give the answer of a process with an executor main."""
    found = [
        {
            "what": f"thread t.{number}",
            "outcome": outcome,
            "why": "no right" * (outcome == "failed"),
        }
        for number, outcome in enumerate(outcomes)
    ]
    return RESULT, {"executors": [{"name": "main", "parts": found}], "not_in_file": ["other"]}


def refuse(*faults):
    """Refuse a schedule."""
    return ERROR, {"faults": list(faults)}


def refuses_later(*faults):
    """Agree to a schedule at first, and refuse it then."""
    return lambda request: parts("applied") if request["check_only"] else refuse(*faults)


@pytest.fixture
def schedule(tmp_path):
    """The schedule of the tests."""
    (tmp_path / "s.yaml").write_text(SCHEDULE)


def test_apply_says_what_became_of_each_entry(takt, start, schedule):
    one, other = start(good("talk")), start(good("other", "elsewhere"))
    one.apply = lambda request: parts("applied", "unchanged", "unchanged")
    said = takt("apply", "s.yaml")
    assert said.code == 0
    assert said.out.splitlines() == [
        "talk (pid 4000001), executor main: thread t.0: applied",
        "s.yaml: 1 applied, 2 unchanged",
        "executors of s.yaml that no running process has: planning",
    ]
    first, second = one.asked(APPLY)
    assert first == {"file": "s.yaml", "text": SCHEDULE, "check_only": True}
    # Processes keep the name for `takt status`.
    kept = str(Path("s.yaml").absolute())
    assert second == {**first, "file": kept, "check_only": False, "id": second["id"]}
    assert not other.asked(APPLY)
    assert "thread t.2: unchanged" in takt("apply", "s.yaml", "--verbose").out


def test_what_fails_or_is_skipped_makes_the_exit_code_1(takt, start, schedule):
    start(good()).apply = lambda request: parts("applied", "failed", "skipped")
    said = takt("apply", "s.yaml")
    assert said.code == 1
    assert "thread t.1: failed: no right\n" in said.out
    assert "s.yaml: 1 applied, 1 failed, 1 skipped\n" in said.out


def unmatched(*ids):
    """Give the answer of a process that has no callback of these ids."""
    kind, answer = parts("applied")
    answer["executors"][0]["parts"] += [
        {"what": "rule", "outcome": "skipped", "why": f"s.yaml:7:9: '{id_}' matches no callback"}
        for id_ in ids
    ]
    return kind, answer


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_rule_that_nothing_matches_changes_nothing_unless_told_to(takt, start, schedule, more):
    one, other = start(good("talk")), start(good("listen"))
    one.apply = lambda request: unmatched("/a:sub(/x)", "/detektor:sub(/images)")
    other.apply = lambda request: unmatched("/detektor:sub(/images)")
    said = takt("apply", "s.yaml", *more)
    assert (said.code, said.out) == (2, "")
    first, last = said.err.splitlines()
    assert first == "s.yaml:7:9: '/detektor:sub(/images)' matches no callback"
    assert "no process was changed" in last
    assert "--allow-unmatched" in last
    assert [request["check_only"] for request in one.asked(APPLY)] == [True]
    document = json.loads(takt("apply", "s.yaml", "--json", *more).out)
    assert (document["ok"], document["refused"], document["faults"]) == (False, True, [first])
    said = takt("apply", "s.yaml", "--allow-unmatched", *more)
    assert said.code == 1
    assert ("2 applied, 2 skipped" in said.out) == (not more)


def test_one_refusal_keeps_all_processes_as_they_are(takt, start, schedule):
    one, two = start(good("one")), start(good("two"))
    both = "s.yaml:3:9: both say so"
    one.apply = lambda request: refuse(both, "s.yaml:4:1: only here")
    two.apply = lambda request: refuse(both)
    said = takt("apply", "s.yaml")
    assert said.code == 2
    assert said.err.splitlines() == [
        both,
        "s.yaml:4:1: only here [in one (pid 4000001)]",
        "takt: the schedule was refused; no process was changed",
    ]
    two.apply = lambda request: parts("applied")
    said = takt("apply", "s.yaml", "--json")
    assert said.code == 2
    assert takt("apply", "s.yaml").err.endswith(
        "takt: the schedule was refused; no process was changed; to change only those that agree, "
        "add 4000002\n"
    )
    data = json.loads(said.out)
    assert data["refused"] is True
    assert data["faults"] == [
        f"{both} [in one (pid 4000001)]",
        "s.yaml:4:1: only here [in one (pid 4000001)]",
    ]
    assert all(request["check_only"] for fake in (one, two) for request in fake.asked(APPLY))


def test_a_dry_run_only_asks(takt, start, schedule):
    one = start(good())
    one.apply = lambda request: parts("applied", "failed", "unchanged")
    said = takt("apply", "s.yaml", "--dry-run")
    assert said.code == 1
    assert "thread t.0: would be applied\n" in said.out
    assert "s.yaml: 1 would be applied, 1 would fail, 1 unchanged\n" in said.out
    assert [request["check_only"] for request in one.asked(APPLY)] == [True]


def test_after_a_late_refusal_the_others_take_the_change_back(takt, start, schedule):
    one, two, three = start(good("a")), start(good("b")), start(good("c"))
    one.apply = three.apply = lambda request: parts("applied")
    two.apply = refuses_later("s.yaml:3:9: raced")
    one.reset = lambda: parts("applied")
    said = takt("apply", "s.yaml")
    assert said.code == 1
    assert "s.yaml:3:9: raced\n" in said.err
    assert "b (pid 4000002) refused the schedule, although it had agreed" in said.err
    assert "a (pid 4000001) has the attributes from before this takt apply again" in said.err
    # A reset would also undo earlier schedules.
    assert one.asked(RESET) == [{"apply": one.asked(APPLY)[1]["id"]}]
    assert not two.asked(RESET)
    assert [request["check_only"] for request in three.asked(APPLY)] == [True]


def test_processes_take_a_change_back_side_by_side(takt, start, schedule):
    those = [start(good(name)) for name in "abc"]
    together = threading.Barrier(2)

    def give_back():
        together.wait(3)  # less than takt waits for an answer
        return parts("applied")

    for one in those[:2]:
        one.apply, one.reset = lambda request: parts("applied"), give_back
    those[2].apply = refuses_later("s.yaml:3:9: raced")
    said = takt("apply", "s.yaml")
    assert (said.code, said.out) == (
        1,
        "executors of s.yaml that no running process has: planning\n",
    )
    for name, pid in (("b", 4000002), ("a", 4000001)):
        assert f"{name} (pid {pid}) has the attributes from before this takt apply" in said.err


def test_a_process_that_hangs_while_it_is_changed_is_told(takt, start, schedule, hasty):
    one, two = start(good("a")), start(good("b"))
    one.apply = lambda request: parts("applied")

    def hang(request):
        if not request["check_only"]:
            two.hang()
        return parts("applied")

    two.apply = hang
    said = takt("apply", "s.yaml")
    assert said.code == 1
    assert "b (pid 4000002) does not answer within 60 s; takt status tells" in said.err
    assert one.asked(RESET) == [{"apply": one.asked(APPLY)[1]["id"]}]


def test_what_is_not_given_back_is_told(takt, start, schedule):
    one, two = start(good("a")), start(good("b"))
    one.apply = lambda request: parts("applied")
    one.reset = lambda: parts("failed")
    two.apply = refuses_later("s.yaml:3:9: raced")
    said = takt("apply", "s.yaml")
    assert said.code == 1
    assert "before this takt apply again, but for thread t.0: no right" in said.err


def test_a_silent_process_does_not_hold_up_the_others(takt, start, schedule, hasty):
    one = start(good("a"))
    one.apply = lambda request: parts("applied")
    start(good("b")).hangs.set()
    said = takt("apply", "s.yaml")
    assert said.code == 1
    assert "s.yaml: 1 applied" in said.out
    assert "process 4000002 does not answer within 60 s" in said.err


def test_a_schedule_for_nobody_is_told(takt, start, schedule, folder):
    assert takt("apply", "s.yaml").code == 1
    start(good("talk", "elsewhere"))
    said = takt("apply", "s.yaml")
    assert said.code == 1
    assert "no process has an executor of s.yaml, which names main, planning" in said.err
    assert "executors that run: elsewhere (talk (pid 4000001))" in said.err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (SCHEDULE, ("main", "planning")),
        ("executors: {a: 1, b: &x {c: [d, e]}, f: *x, g: {}}\nchains: {h: {}}", tuple("abfg")),
        ("x: {executors: {a: {}}}\ny: executors", None),
        ("? [executors, a]\n: {b: c}\nexecutors: {d: {e: f}}\nz: {y: {}}", ("d",)),
        ("executors: {}", ()),
        ("executors: [a, b]", None),
        ("- executors: {a: b}", None),
        ("executors", None),
        ("", None),
        ("executors: {a: [", None),
        ("{a: " * 100_000, None),
        ("executors: " + "{a: " * 100_000, None),
    ],
)
def test_names_of_executors_are_read_without_reading_the_rest(text, names):
    assert executor_names(text) == names


def test_a_file_that_is_no_schedule_goes_to_a_process_that_says_so(takt, start, tmp_path):
    start(good()).apply = lambda request: refuse(f"{request['file']}:1:1: is a list")
    for text in ("[]", "a: [", "executors: []", "&a [*a]", "[" * 10_000):
        (tmp_path / "s.yaml").write_text(text)
        said = takt("apply", "s.yaml")
        assert said.code == 2, text
        assert "s.yaml:1:1: is a list" in said.err
    (tmp_path / "s.yaml").write_bytes(b"\xff")
    for name, why in (
        ("s.yaml", "not UTF-8"),
        ("none.yaml", "cannot be read: No such file"),
        (".", "directory"),
    ):
        said = takt("apply", name)
        assert said.code == 2
        assert why in said.err


def test_reset_restores_and_says_so(takt, start):
    one, two = start(good("a")), start(good("b"))
    one.reset = lambda: parts("applied", "unchanged")
    said = takt("reset")
    assert said.code == 0
    assert said.out.splitlines() == [
        "a (pid 4000001), executor main: thread t.0: applied",
        "reset: 1 applied, 1 unchanged",
    ]
    assert takt("reset", "b").out == "reset: there is nothing to restore\n"
    two.reset = lambda: refuse("not now")
    said = takt("reset", "--json")
    assert said.code == 1
    assert json.loads(said.out)["failures"] == ["b (pid 4000002) refuses: not now"]


# Templates


def robot():
    """A process with all that a template can have."""
    lone = attributes("fifo", 70, cores=[0])
    top = [attributes("fifo", 80, cores=[core]) for core in (0, 1)]
    own, pool = attributes("rr", 5), attributes("fifo", 40)
    times = {"runtime_ns": 10**6, "deadline_ns": 5 * 10**6, "period_ns": 10**7}
    budget = attributes("deadline") | times
    everywhere = {"nice": 0, "cores": [0, 1]}
    threads = [
        thread("hot.0", 0, top[0], top[0] | {"nice": 0}),
        thread("hot.1", 1, top[1], top[1] | {"nice": 0}),
        thread("weak", 2, lone, attributes("other", nice=0, cores=[0])),
        thread("nice", 3, attributes(nice=5), attributes("other", nice=5, cores=[0, 1])),
        thread("budget", 4, budget, budget, stack=256 << 10),
        thread("follow", 5, pool, pool | everywhere, follow=True),
        thread("rest", 6),
        thread("n", 7, own, own | everywhere, group="/n:group(own)"),
        thread("n", 8, own, own | everywhere, group="/n:group(own)"),
    ]
    hot = {"threads": ["hot.0"], "rule_priority": 90, "runs": 1200, "deadline_ns": 10**7}
    callbacks = [
        callback("/n:timer(10ms)", **hot),
        callback(
            "/n:sub(/points)",
            threads=["hot.0", "hot.1"],
            runs=34,
            publishes_last=True,
            transport="shared_memory",
        ),
        callback(
            "/n:service(/reset)",
            "/n:group(wide)",
            ["rest", "weak"],
            reentrant=True,
            sequence={"number": 3, "position": 1, "graph": False},
        ),
        callback(
            "/n:waitable(/reset)",
            "/n:group(wide)",
            ["rest", "weak"],
            reentrant=True,
            sequence={"number": 3, "position": 1, "graph": False},
        ),
        callback(
            "/n:client(/reset)",
            "/n:group(wide)",
            ["rest", "weak"],
            reentrant=True,
            sequence={"number": 3, "position": 0, "graph": False},
        ),
        callback(
            "/n:timer(1s)",
            "/n:group(own)",
            ["n"],
            isolated=True,
            reentrant=True,
            let={"late": "drop", "runs": 9, "late_runs": 1, "published": 8, "dropped": 1},
        ),
        callback(
            "/f:sub(/a)",
            "/f:group(default)",
            ["follow"],
            rule_priority=30,
            when={"count": 0, "fresh_ns": 10**8},
        ),
        callback("/f:waitable(odd one)", "/f:group(default)", ["follow"], transport="pointer"),
        callback(
            "/f:sub(/b)",
            "/f:group(default)",
            ["follow"],
            deadline_ns=10**6,
            non_triggering={
                "takers": ["/f:sub(/a)"],
                "keep": 1,
                "max_age_ns": 2 * 10**6,
                "left_out": 3,
            },
        ),
        callback("odd * id", ""),
    ]
    chain = {
        "name": "hot path",
        "path": ["/n:timer(10ms)", "/n:sub(/points)"],
        "priority": 90,
        "deadline_ns": 10**7,
        "period_ns": 10**7,
    }
    plain = attributes("other", nice=0)
    return process(
        "/opt/robot/robot",
        executor(
            "main",
            threads,
            callbacks,
            chains=[chain],
            schedule="/etc/robot.yaml",
            on_exception="report",
            epoch="host",
            middleware_ceiling="off",
            lock_memory=True,
        ),
        process_threads=[
            {"tid": 5, "name": "dds.udp", "now": plain, "asked": None},
            {"tid": 6, "name": "dds.udp", "now": plain, "asked": None},
            {"tid": 7, "name": "dds.shm", "now": own, "asked": own},
            {"tid": 8, "name": "a*", "now": plain, "asked": None},
            {"tid": 9, "name": "longer than kernel", "now": plain, "asked": own},
        ],
    )


def written(takt, *arguments):
    """Write a template, and read it back."""
    said = takt("template", "-o", "t.yaml", "--force", *arguments)
    assert said.code == 0, said.err
    text = Path("t.yaml").read_text(encoding="utf-8")
    return text, yaml.safe_load(text)


def test_a_template_has_sets_of_messages(takt, start):
    fuse = [
        callback(
            f"/f:sub(/{topic})", "/f:group(default)", when={"count": 0, "spread_ns": 2 * 10**7}
        )
        for topic in "ab"
    ]
    start(process("/opt/robot/robot", executor("main", [thread("t", 0)], fuse)))
    _, data = written(takt)
    assert data["executors"]["main"]["groups"] == [
        {"match": "/f:group(default)", "when": {"spread": "20ms"}}
    ]


def test_a_template_has_all_that_runs(takt, start):
    start(robot())
    text, data = written(takt)
    main = data["executors"]["main"]
    assert main["threads"] == {
        "hot": {"count": 2, "policy": "fifo", "priority": 80, "cores": [0, 1], "spread": True},
        "weak": {"cores": [0]},
        "nice": {"nice": 5},
        "budget": {
            "policy": "deadline",
            "runtime": "1ms",
            "deadline": "5ms",
            "period": "10ms",
            "stack": "256KiB",
        },
        "follow": {"policy": "fifo", "priority": 40, "follow": True},
        "rest": {},
    }
    assert main["default"] == "rest"
    assert main["missing_rights"] == "report"
    assert main["callbacks"] == [
        {"match": "/n:timer(10ms)", "threads": "hot.0", "priority": 90},
        {"match": "/n:sub(/points)", "threads": "hot", "publishes_last": True},
        {
            "match": ["/n:service(/reset)", "/n:waitable(/reset)", "/n:client(/reset)"],
            "threads": ["weak", "rest"],
        },
        {"match": "/n:timer(1s)"},
        {"match": "/f:sub(/a)", "threads": "follow", "priority": 30},
        {
            "match": "/f:sub(/b)",
            "deadline": "1ms",
            "trigger": False,
            "with": ["/f:sub(/a)"],
            "keep": "latest",
            "max_age": "2ms",
        },
    ]
    assert main["groups"] == [
        {
            "match": "/n:group(own)",
            "isolate": True,
            "count": 2,
            "policy": "rr",
            "priority": 5,
            "let": {"late": "drop"},
        },
        {"match": "/n:group(default)", "across_priorities": "allow"},
        {"match": "/f:group(default)", "when": {"count": "all", "fresh": "100ms"}},
    ]
    assert main["sequences"] == [["/n:client(/reset)", "/n:service(/reset)"]]
    assert main["process_threads"] == [{"match": "dds.shm", "policy": "rr", "priority": 5}]
    assert data["chains"] == {
        "hot_path": {
            "path": ["/n:timer(10ms)", "/n:sub(/points)"],
            "priority": 90,
            "deadline": "10ms",
            "period": "10ms",
        }
    }
    assert data["topics"] == [{"match": "/points", "transport": "shared_memory"}]
    assert main["on_exception"] == "report"
    assert main["epoch"] == "host"
    assert main["middleware_ceiling"] is False or main["middleware_ceiling"] == "off"
    assert main["lock_memory"] is True
    for comment in (
        "# robot (pid 4000001), started as: /opt/robot/robot --fast",
        "# its schedule: /etc/robot.yaml",
        "# weak was asked fifo 70, core 0; it was granted other, nice 0, core 0",
        "# group /n:group(default), mutually exclusive; 1,200 runs",
        "# group /n:group(wide), reentrant\n",
        "# group /n:group(own), reentrant, with threads of its own",
        "# a schedule cannot name its callback odd * id",
        '#   - match: "dds.udp" # 2 threads, now other, nice 0',
        "#   no pattern means only the thread a*",
        "takt model -- PROGRAM",
    ):
        assert comment in text, comment


def test_processes_with_equal_executors_are_one_executor_of_the_file(takt, start):
    def part(name, *ids):
        own = good(name)
        own["executors"][0]["callbacks"] = [callback(id_, threads=["hot"]) for id_ in ids]
        return own

    start(part("a", "/n:timer(1s)", "/both:timer(1s)"))
    start(part("b", "/m:timer(1s)", "/both:timer(1s)"))
    text, data = written(takt)
    assert list(data["executors"]) == ["main"]
    assert "# a (pid 4000001), started as" in text
    assert "# b (pid 4000002), started as" in text
    (rule,) = data["executors"]["main"]["callbacks"]
    assert rule["match"] == ["/n:timer(1s)", "/both:timer(1s)", "/m:timer(1s)"]


def test_rules_for_other_processes_are_no_news(takt, start, schedule):
    one, other = start(good("talk")), start(good("listen"))
    one.apply = lambda request: unmatched("/b:sub(/x)")
    other.apply = lambda request: unmatched("/a:sub(/x)")
    for more in (["--dry-run"], []):
        said = takt("apply", "s.yaml", *more)
        assert said.code == 0, said.err
        assert "skipped" not in said.out


def test_processes_with_differing_executors_of_one_name_are_numbered(takt, start):
    one = good("a")
    one["executors"][0]["callbacks"] = [callback("/n:timer(1s)", threads=["hot"])]
    start(one)
    other = good("b")
    other["executors"][0] |= {"order": "fifo", "callbacks": one["executors"][0]["callbacks"]}
    start({**other, "program": "/b"})
    text, data = written(takt)
    assert list(data["executors"]) == ["main", "main_2"]
    assert "# The executor is named main, as another one in this file" in text
    assert "# /n:timer(1s): executor main of this file has it already" in text
    assert "callbacks" not in data["executors"]["main_2"]
    assert list(written(takt, "b")[1]["executors"]) == ["main"]


def test_a_template_says_that_processes_of_one_executor_differ(takt, start, tmp_path):
    def instance(priority):
        own = [callback("/a:sub(/x)", rule_priority=priority), callback("/b:sub(/y)")]
        return process("/opt/talk", executor("main", [thread("hot")], own))

    start(instance(None))
    two = start(instance(7))
    text, _ = written(takt)
    assert text.count("  main:\n") == 1
    assert "# /a:sub(/x) has other values in some of these processes." in text
    assert "/b:sub(/y) has other" not in text
    two.status = instance(None)
    assert "other values" not in written(takt)[0]


def test_a_template_keeps_sequences_of_several_processes_apart(takt, start):
    def part(name, *path, threads=("hot", "hot")):
        own = [
            callback(id_, threads=[on], sequence={"number": 0, "position": place, "graph": False})
            for place, (id_, on) in enumerate(zip(path, threads, strict=True))
        ]
        return process(f"/opt/{name}", executor("main", [thread("hot"), thread("low", 1)], own))

    start(part("a", "/a:timer(1s)", "/a:sub(/x)"))
    start(part("b", "/b:timer(1s)", "/b:sub(/y)"))
    start(part("c", "/c:timer(1s)", "/c:sub(/z)", threads=("hot", "low")))
    text, data = written(takt)
    assert data["executors"]["main"]["sequences"] == [
        ["/a:timer(1s)", "/a:sub(/x)"],
        ["/b:timer(1s)", "/b:sub(/y)"],
    ]
    assert "other values" not in text
    graph = part("e", "/e:timer(1s)", "/e:sub(/x)")
    for one in graph["executors"][0]["callbacks"]:
        one["sequence"]["graph"] = True
    start(graph)
    assert {"graph": ["/e:timer(1s)", "/e:sub(/x)"]} in written(takt)[1]["executors"]["main"][
        "sequences"
    ]
    start(part("d", "/d:timer(1s)", "/a:sub(/x)"))
    text, data = written(takt)
    assert len(data["executors"]["main"]["sequences"]) == 3
    assert "# /a:sub(/x) has other values in some of these processes." in text


def test_a_template_replaces_a_file_only_when_told(takt, start, tmp_path):
    start(good())
    (tmp_path / "t.yaml").write_text("mine")
    said = takt("template", "-o", "t.yaml")
    assert said.code == 2
    assert "t.yaml exists; name another file, or replace it with --force" in said.err
    assert (tmp_path / "t.yaml").read_text() == "mine"
    assert takt("template").code == 2


def test_a_template_waits_for_processes_and_keeps_those_that_end(takt, start, monkeypatch):
    """Looks: none; a; a with another callback; b and a second start of a; then Ctrl-C."""
    a, b = good("a", "one"), good("b", "two")
    running = []
    steps = iter(
        [
            lambda: running.append(start(a)),
            lambda: a["executors"][0]["callbacks"].append(callback("/n:timer(1s)")),
            lambda: a["executors"][0].update(callbacks=[callback("/n:timer(2s)")]),
            lambda: (running[0].close(), start(b), start({**good("a", "one"), "started": 9})),
            lambda: running[0].close(),
            lambda: os.kill(os.getpid(), signal.SIGINT),
        ]
    )
    monkeypatch.setattr("takt_cli.verbs.template.command.time.sleep", lambda _: next(steps)())
    said = takt("template", "-o", "t.yaml", "--wait", "1min")
    assert said.code == 0, said.err
    assert "it has 2 processes, 2 executors, 0 callbacks" in said.err


def test_a_collection_keeps_callbacks_and_processes_that_went(start):
    collection = Collection()
    told = good("a", "one")
    told["executors"][0]["callbacks"] = [callback("/n:timer(1s)")]
    one = start(told)
    collection.add(processes.find().processes)
    told["executors"][0]["callbacks"] = [callback("/n:timer(2s)")]
    collection.add(processes.find().processes)
    one.close()
    collection.add([])
    assert collection.sentence() == "1 process, 1 executor, 2 callbacks"


@need(*CHECK)
def test_a_template_is_a_good_schedule(takt, start):
    start(robot())
    text, _ = written(takt)
    said = takt("check", "t.yaml", "--core-count", "8")
    assert said.code == 0, said.err + text


@need(*CHECK)
def test_templates_of_random_processes_are_good_schedules(takt, start):
    chance = random.Random(SEED)
    one = start(good())
    for _ in range(5 * ROUNDS):
        one.status = random_process(chance)
        text, _ = written(takt)
        said = takt("check", "t.yaml", "--core-count", "8")
        assert said.code == 0, said.err + text


def random_process(chance):
    """A process with random names, attributes and bindings."""
    odd = [
        "/a",
        "b c",
        "a:b",
        "é",
        "\x1b",
        "'",
        '"',
        "#",
        "*",
        "{",
        "- ",
        "%",
        "all",
        "\u2028",
        "x" * 20,
    ]

    def attributes_():
        kind = chance.choice(["fifo", "rr", "other", "batch", "idle"])
        nice = chance.randint(-20, 19)
        cores = chance.sample(range(4), chance.randint(1, 4))
        return attributes(kind, chance.randint(1, 99) if kind in ("fifo", "rr") else 0, nice, cores)

    names = ["hot.0", "hot.1", "lone", "zero.0", "gap.1", "rest"]
    if chance.random() < 0.5:
        names += chance.sample(odd[:2], 1)
    threads = [
        thread(name, number, chance.choice([None, attributes_()]), attributes_())
        for number, name in enumerate(names)
    ]
    callbacks = [
        callback(
            f"/n{chance.choice(odd)}:timer({chance.choice(odd)}{number})",
            f"/n:group({chance.choice(odd)})",
            chance.sample(names, chance.randint(1, len(names))),
            reentrant=chance.random() < 0.5,
            rule_priority=chance.choice([None, 0, 255]),
            deadline_ns=chance.choice([None, 1, 10**7 + 1]),
            runs=chance.choice([None, 5]),
        )
        for number in range(chance.randint(0, 12))
    ]
    main = executor("main", threads, callbacks, default=chance.sample(names, 2))
    main["order"] = chance.choice(["priority", "fifo", "edf"])
    others = [
        {
            "tid": number,
            "name": name,
            "now": attributes_(),
            "asked": chance.choice([None, attributes_()]),
        }
        for number, name in enumerate(chance.sample(odd, 4))
    ]
    return process(f"/opt/{chance.choice(odd)}", main, process_threads=others)
