"""Configurations of other tools become schedules that `takt check` accepts."""

import json
import subprocess
import textwrap
from pathlib import Path

import pytest
import yaml
from support.built import CHECK, need
from takt_cli.base.programs import find_program
from takt_cli.verbs.import_.formats import AGNOCAST, CIE, REP2017, import_file
from takt_cli.verbs.import_.not_carried_over import Kind

FORMATS = {one.name: one for one in (CIE, AGNOCAST, REP2017)}

CAR = """\
hardware_info:
  model_name: Example CPU 9000
rt_throttling: {period_us: 1000000, runtime_us: 950000}
callback_groups:
  - id: /sensing/lidar@Timer(100000000)
    policy: SCHED_FIFO
    priority: 80
    affinity: [1, 0, 1]
  - id: /fusion@Timer(2500000)@Subscription(/points)@Client(/map/load)@Service(/reset)@Waitable
    policy: SCHED_RR
    priority: 60
    affinity: ~
  - id: /fusion@Service(/fusion/list_parameters)@Subscription(/parameter_events)
    policy: SCHED_OTHER
    priority: 0
    affinity: []
  - id: /planner@Service(/planner/get_parameters)
    policy: SCHED_OTHER
    priority: 0
  - id: /planner@Timer(20000000)
    policy: SCHED_DEADLINE
    runtime: 5000000
    deadline: 010000000
    period: 20000000
    affinity: [1]
  - id: /planner@Subscription(/a)@Timer(20000000)
    policy: SCHED_BATCH
    nice: 3
non_ros_threads:
  - id: receiver
    policy: SCHED_FIFO
    priority: 85
    affinity: [3]
"""

NAVIGATION = """\
callback_groups:
  - id: /nav/controller/*
    domain_id: 0
    policy: SCHED_FIFO
    priority: 50
    affinity: [2]
  - id: /nav/controller@Timer(10000000)
    domain_id: 0
    policy: SCHED_FIFO
    priority: 80
  - id: /nav/map/*
    policy: SCHED_OTHER
    nice: 5
non_ros_threads:
  - name: worker
    policy: SCHED_OTHER
    nice: -3
kernel_threads:
  - comm: ksoftirqd/1
    policy: SCHED_FIFO
    priority: 10
irqs:
  - irq: 44
    affinity: [1]
"""

TAGS = """\
- tag: RCLCPP_EXECUTOR_SINGLE_THREADED
  core_affinity: [1]
  scheduling_policy: FIFO
  priority: 10
- name: RCLCPP_EXECUTOR_MULTI_THREADED
  core_affinity: [0, 1, 2]
  scheduling_policy: OTHER
  priority: 0
- tag: scanner
  core_affinity: []
  scheduling_policy: RR
  priority: 20
"""

# As cie-inspector writes it.
TEMPLATE = """\
# Thread configuration skeleton
callback_groups:
  # demo/talker  group: default (MutuallyExclusive)
  - id: /talker@Timer(500000000)@Subscription(chatter)@Subscription(<unresolved>)
    policy: TODO  # one of SCHED_...
    priority: TODO  # 1-99
    affinity: TODO  # a list
  - id: /<TODO:listener>@Timer(1000)
    policy: TODO
    priority: TODO
    affinity: TODO
"""

SAMPLES = {
    "cie": [CAR, TEMPLATE, "callback_groups: []\n"],
    "agnocast": [NAVIGATION, CAR.replace("- id: receiver", "- name: receiver")],
    "rep2017": [TAGS, TAGS.replace("RCLCPP_", "OWN_"), "[]\n"],
}


def imported(tmp_path, name, text):
    path = tmp_path / "given.yaml"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return import_file(FORMATS[name], path)


def executor(made, name="main"):
    assert made.faults == []
    content = yaml.safe_load(made.text)
    assert content == made.schedule
    return content["executors"][name]


def threads_of(executor):
    """Each id and pattern with the attributes of the thread that a rule gives it."""
    found = {}
    for rule in executor.get("callbacks", ()):
        match = rule["match"]
        for one in [match] if isinstance(match, str) else match:
            assert one not in found
            found[one] = executor["threads"][rule["threads"]]
    return found


def group(entry):
    """A file of one group."""
    return "callback_groups:\n" + textwrap.indent(textwrap.dedent(entry), "  ")


def check(text, tmp_path, *arguments):
    """What takt's checker says, for a machine that has all cores."""
    path = tmp_path / "schedule.yaml"
    path.write_text(text, encoding="utf-8")
    program = find_program("takt_check", "takt_schedule")
    command = [program, path, "--cores", "4096", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_all_callbacks_of_a_group_run_on_one_thread_with_its_attributes(tmp_path):
    main = executor(imported(tmp_path, "cie", CAR))
    threads = threads_of(main)
    lidar = {"policy": "fifo", "priority": 80, "cores": [0, 1]}
    assert threads["/sensing/lidar:timer(100ms)"] == lidar
    fusion = {"policy": "rr", "priority": 60}
    for what in ("timer(2.5ms)", "sub(/points)", "client(/map/load)", "service(/reset)"):
        assert threads[f"/fusion:{what}"] == fusion
    rules = {rule["threads"]: rule["match"] for rule in main["callbacks"]}
    assert len(rules["fusion"]) == 4
    assert main["default"] == "rest"
    assert main["threads"]["rest"] == {}
    assert main["missing_rights"] == "report"


def test_groups_of_parameter_services_alone_share_a_thread(tmp_path):
    main = executor(imported(tmp_path, "cie", CAR))
    rule = next(rule for rule in main["callbacks"] if rule["threads"] == "parameters")
    assert rule["match"] == [
        "/fusion:service(/fusion/list_parameters)",
        "/fusion:sub(/parameter_events)",
        "/planner:service(/planner/get_parameters)",
    ]
    assert main["threads"]["parameters"] == {"policy": "other", "nice": 0}


def test_policies_keep_their_parameters(tmp_path):
    threads = threads_of(executor(imported(tmp_path, "cie", CAR)))
    assert threads["/planner:timer(20ms)"] == {
        "policy": "deadline",
        "runtime": "5ms",
        "deadline": "10ms",
        "period": "20ms",
    }
    assert threads["/planner:sub(/a)"] == {"policy": "batch", "nice": 3}


def test_equal_callbacks_of_a_node_are_numbered_and_said(tmp_path):
    made = imported(tmp_path, "cie", CAR)
    threads = threads_of(executor(made))
    assert threads["/planner:timer(20ms)#2"] == {"policy": "batch", "nice": 3}
    assert [one.line for one in made.remarks if "#2" in one.advice] == [26]


def test_threads_of_the_program_become_rules_for_names_of_threads(tmp_path):
    made = imported(tmp_path, "cie", CAR)
    rule = {"match": "receiver", "policy": "fifo", "priority": 85, "cores": [3]}
    assert executor(made)["process_threads"] == [rule]
    text = CAR.replace("- id: receiver", "- id: receiver_of_packets").replace(
        "SCHED_RR", "SCHED_RR"
    )
    made = imported(tmp_path, "cie", text)
    assert executor(made)["process_threads"][0]["match"] == "receiver_of_pac"
    assert any("pthread_setname_np with 'receiver_of_pac'" in one.advice for one in made.remarks)


def test_threads_that_the_kernel_cannot_tell_apart_never_get_each_others_attributes(tmp_path):
    entry = "- {{id: '{0}', policy: SCHED_RR, priority: {1}}}\n"
    names = {"packet_receiver_1": 1, "packet_receiver_2": 2, "any*": 1, "packet_receive": 1}
    text = "non_ros_threads:\n" + "".join(entry.format(*one) for one in names.items())
    made = imported(tmp_path, "cie", text)
    rules = [rule["match"] for rule in executor(made)["process_threads"]]
    assert rules == ["packet_receive"]
    assert [one.line for one in made.remarks if one.kind == Kind.dropped] == [2, 3, 4]
    made = imported(tmp_path, "cie", text.replace("priority: 2", "priority: 1"))
    rules = [rule["match"] for rule in executor(made)["process_threads"]]
    assert rules == ["packet_receiver", "packet_receive"]
    assert [one.line for one in made.remarks if one.kind == Kind.dropped] == [4]


def test_earlier_ids_of_agnocast_are_subscriptions_services_and_clients(tmp_path):
    of_node = "/gate@Timer(10000000)@AgnocastClient(/AGNOCAST_SRV_RESPONSE/engage_SEP_/gate_SEP_0)"
    made = imported(
        tmp_path,
        "agnocast",
        group(
            f"""\
            - {{id: "{of_node}", policy: SCHED_FIFO, priority: 8}}
            - {{id: "/gate@AgnocastService(/AGNOCAST_SRV_REQUEST/engage)", policy: ~}}
            - {{id: "/gate@AgnocastService(/reset)", policy: ~}}
            - {{id: "/filter@AgnocastSubscription(/points)", policy: SCHED_RR, priority: 6}}
            """
        ),
    )
    threads = threads_of(executor(made))
    assert threads == {
        "/gate:timer(10ms)": {"policy": "fifo", "priority": 8},
        "/gate:client(/engage)": {"policy": "fifo", "priority": 8},
        "/gate:service(/engage)": {},
        "/gate:service(/reset)": {},
        "/filter:sub(/points)": {"policy": "rr", "priority": 6},
    }
    assert [(one.line, one.kind) for one in made.remarks] == [
        (line, Kind.changed) for line in (2, 3, 4, 5)
    ]


MACHINE = """\
kernel_threads:
  - {comm: ksoftirqd/0, policy: SCHED_OTHER, nice: 0, affinity: UNMANAGEABLE}
  - {comm: kthreadd, policy: SCHED_OTHER, nice: 0, affinity: [0, 1]}
  - {comm: migration/0, policy: UNMANAGEABLE, priority: UNMANAGEABLE, affinity: UNMANAGEABLE}
  - {comm: exit_worker, policy: SCHED_FIFO, priority: 10, affinity: [0, 1]}
  - {comm: irq/103-nvme, policy: ~, priority: ~, affinity: [1]}
irqs:
  - {irq: 103, name: nvme0q1, affinity: [1]}
  - {irq: 0, name: timer, affinity: UNMANAGEABLE}
  - {irq: 42, affinity: ~}
  - {irq: 43, affinity: [0, 1]}
"""


def test_of_the_machine_is_said_only_what_would_change_it(tmp_path):
    made = imported(tmp_path, "agnocast", MACHINE)
    assert executor(made)["threads"] == {"rest": {}}
    assert [(one.line, one.what) for one in made.remarks] == [
        (5, "comm 'exit_worker' of kernel_threads"),
        (6, "comm 'irq/103-nvme' of kernel_threads"),
        (8, "irq '103' of irqs"),
    ]
    # A list that somebody wrote by hand is a wish, whatever other cores the machine has.
    by_hand = "irqs:\n  - {irq: 43, affinity: [0, 1]}\n"
    assert [one.line for one in imported(tmp_path, "agnocast", by_hand).remarks] == [2]
    made = imported(tmp_path, "agnocast", "kernel_threads: [nfsd]\nirqs:\n  - {afinity: [1]}\n")
    assert [fault.line for fault in made.faults] == [1, 3]


def test_what_is_not_carried_over_is_said_with_its_line(tmp_path):
    made = imported(tmp_path, "cie", CAR)
    said = {(one.line, one.kind): one.what for one in made.remarks}
    assert said[1, Kind.dropped] == "hardware_info"
    assert said[3, Kind.dropped] == "rt_throttling"
    assert "affinity [1]" in said[25, Kind.dropped]
    assert (30, Kind.changed) in said
    made = imported(tmp_path, "agnocast", NAVIGATION)
    said = [(one.line, one.what) for one in made.remarks if one.kind == Kind.dropped]
    assert said == [
        (3, "domain_id 0 of 2 entries"),
        (19, "comm 'ksoftirqd/1' of kernel_threads"),
        (23, "irq '44' of irqs"),
    ]
    for one in made.remarks:
        assert made.text.index(f"#   {one}\n") < made.text.index("version: 1")
        assert str(one).startswith(f"{tmp_path}/given.yaml:{one.line}: ")


def test_a_wildcard_of_agnocast_is_a_pattern_and_an_exact_group_beats_it(tmp_path):
    made = imported(tmp_path, "agnocast", NAVIGATION)
    threads = threads_of(executor(made))
    every = {"policy": "fifo", "priority": 50, "cores": [2]}
    assert threads["/nav/controller:timer(**)**"] == every
    assert threads["/nav/controller:sub(**)**"] == every
    assert threads["/nav/controller:timer(10ms)"] == {"policy": "fifo", "priority": 80}
    # Events of the exact group's publishers must run where that group runs.
    assert not any("waitable" in id_ for id_ in threads)
    assert threads["/nav/map:**"] == {"policy": "other", "nice": 5}
    assert sum("share thread" in one.why for one in made.remarks) == 2


@need(*CHECK)
def test_the_checker_places_callbacks_as_the_file_meant(tmp_path):
    made = imported(tmp_path, "agnocast", NAVIGATION)
    kinds = {"timer": "timer", "sub": "subscription", "waitable": "waitable"}
    wanted = {
        "/nav/controller:timer(10ms)": ["controller_2"],
        "/nav/controller:timer(10ms)#2": ["controller"],
        "/nav/controller:sub(/scan)": ["controller"],
        "/nav/controller:sub(/scan)#2": ["controller"],
        "/nav/controller/inner:sub(/scan)": ["rest"],
        "/nav/map:waitable(action_server)": ["map"],
        "/other:timer(1s)": ["rest"],
    }
    callbacks = [
        {"id": id_, "kind": kinds[id_.partition(":")[2].partition("(")[0]]} for id_ in wanted
    ]
    (tmp_path / "ids.json").write_text(json.dumps({"callbacks": callbacks}))
    said = check(made.text, tmp_path, "--ids", tmp_path / "ids.json")
    assert said["ok"]
    assert {one["id"]: one["threads"] for one in said["placements"]} == wanted


@need(*CHECK)
@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, texts in SAMPLES.items() for n in range(len(texts))]
)
def test_the_checker_accepts_the_samples(tmp_path, name, number):
    made = imported(tmp_path, name, SAMPLES[name][number])
    assert made.faults == []
    said = check(made.text, tmp_path)
    assert said["faults"] == []
    assert not [one for one in said["warnings"] if "run nothing" not in one]


def test_a_group_without_callbacks_is_the_actions_of_its_node(tmp_path):
    made = imported(
        tmp_path, "cie", group("- {id: '/arm@Waitable', policy: SCHED_FIFO, priority: 3}")
    )
    assert threads_of(executor(made)) == {
        "/arm:waitable(action_*)**": {"policy": "fifo", "priority": 3}
    }
    assert [one.kind for one in made.remarks] == [Kind.changed]


@pytest.mark.parametrize(
    ("keys", "attributes", "kinds"),
    [
        ("policy: SCHED_OTHER, priority: 0", {"policy": "other", "nice": 0}, []),
        ("policy: SCHED_OTHER, nice: -20", {"policy": "other", "nice": -20}, []),
        ("policy: SCHED_OTHER, priority: 7", {"policy": "other", "nice": 7}, [Kind.changed]),
        ("policy: SCHED_OTHER, priority: 50", {"policy": "other"}, [Kind.undecided]),
        (
            "policy: SCHED_OTHER, nice: 1, priority: 50",
            {"policy": "other", "nice": 1},
            [Kind.dropped],
        ),
        ("policy: SCHED_IDLE, priority: 0", {"policy": "idle"}, []),
        ("policy: SCHED_IDLE, nice: 4", {"policy": "idle"}, [Kind.dropped]),
        (
            "policy: SCHED_FIFO, priority: 9, nice: 4",
            {"policy": "fifo", "priority": 9},
            [Kind.dropped],
        ),
        (
            "policy: SCHED_RR, priority: 9, runtime: 4, nice: 0",
            {"policy": "rr", "priority": 9},
            [Kind.dropped],
        ),
        ("policy: SCHED_FIFO, priority: TODO", {}, [Kind.undecided]),
        ("policy: TODO, priority: 5, affinity: [2]", {"cores": [2]}, [Kind.undecided]),
        (
            "policy: SCHED_RR, priority: 2, affinity: UNMANAGEABLE",
            {"policy": "rr", "priority": 2},
            [],
        ),
        ("policy: ~, priority: ~, affinity: [1]", {"cores": [1]}, []),
        ("policy: UNMANAGEABLE, nice: UNMANAGEABLE, affinity: ~", {}, []),
        ("policy: SCHED_OTHER, nice: ~", {"policy": "other"}, []),
        (
            "policy: ~, nice: 4",
            {},
            [Kind.dropped],
        ),
        (
            "policy: SCHED_RR, priority: 2, afinity: [1]",
            {"policy": "rr", "priority": 2},
            [Kind.dropped],
        ),
        (  # longer than 32 bits, and longer than kernels take
            "policy: SCHED_DEADLINE, runtime: 1000000, deadline: 5000000000, period: 5000000000",
            {},
            [Kind.dropped],
        ),
        (
            "policy: SCHED_DEADLINE, runtime: 1024, deadline: 4194304000, period: 4194304000",
            {
                "policy": "deadline",
                "runtime": "1024ns",
                "deadline": "4194304us",
                "period": "4194304us",
            },
            [],
        ),
    ],
)
def test_attributes(tmp_path, keys, attributes, kinds):
    made = imported(tmp_path, "cie", group(f"- {{id: '/a@Timer(1000)', {keys}}}"))
    assert threads_of(executor(made)) == {"/a:timer(1us)": attributes}
    assert [one.kind for one in made.remarks] == kinds


@pytest.mark.parametrize(
    ("name", "text", "faults"),
    [
        ("cie", "", ["1:1: the file is empty"]),
        ("cie", "callback_groups: [", ["1:19: the file is not YAML"]),
        ("cie", "a: 1\n", ["1:1: the file has neither callback_groups nor"]),
        ("cie", "- a\n", ["1:1: the file must be a map with callback_groups; takt import rep2017"]),
        ("rep2017", "a: 1\n", ["1:1: the file must be a list of tags; takt import cie"]),
        ("cie", "callback_groups: 3\n", ["1:18: the file: callback_groups must be a list"]),
        ("cie", "callback_groups: [3]\n", ["1:19: each entry of callback_groups must be a map"]),
        (
            "cie",
            """\
            callback_groups:
              - id: /a@Timer(1000)
                policy: FIFO
                priority: 80
              - id: /a@Timer(1000)@Waitable
                policy: SCHED_FIFO
              - policy: SCHED_OTHER
              - id: /b@Frob(3)@Timer(1s)
                policy: SCHED_DEADLINE
                runtime: 4000000
                deadline: 1000000
                period: 5000000
                affinity: [a, 5000]
              - id: b@Timer(1)
                nice: 30
                policy: SCHED_OTHER
                nice: 30
              - id: /c/*
                policy: SCHED_FIFO
                priority: 100
            non_ros_threads:
              - name: worker
                policy: SCHED_OTHER
                nice: 0
            """,
            [
                "3:5: '/a@Timer(1000)': unknown policy 'FIFO'; did you mean SCHED_FIFO?",
                "5:5: duplicate id '/a@Timer(1000)'; it is on line 2 already",
                "6:5: '/a@Timer(1000)@Waitable' has no priority",
                "7:5: this entry of callback_groups has no id",
                "8:5: '/b@Frob(3)@Timer(1s)': 'Frob(3)' is not",
                "8:5: '/b@Frob(3)@Timer(1s)': '1s' is not the period of a timer",
                "9:5: '/b@Frob(3)@Timer(1s)': the kernel needs 1024 <= runtime <= deadline",
                "13:16: '/b@Frob(3)@Timer(1s)': each core must be a whole number",
                "13:19: '/b@Frob(3)@Timer(1s)': each core must be a whole number",
                "14:5: 'b@Timer(1)': 'b' is not the full name of a node",
                "15:11: 'b@Timer(1)': nice must be a whole number from -20 to 19, not '30'",
                "17:5: this entry of callback_groups: duplicate key 'nice'; it is on line 15",
                "18:5: '/c/*': CallbackIsolatedExecutor has no stars",
                "20:15: '/c/*': priority must be a whole number from 1 to 99, not '100'",
                "22:5: this entry of non_ros_threads has no id; takt import agnocast reads",
            ],
        ),
        (
            "agnocast",
            group("- {id: '/a/*/b', policy: SCHED_RR, priority: 1}\n- {id: '/*', nice: 0}\n"),
            [
                "2:6: '/a/*/b': a star may only stand at the end",
                "3:5: '/*' has no policy",
                "3:6: '/*': a star may only stand at the end",
            ],
        ),
        (
            "rep2017",
            """\
            - {tag: a, scheduling_policy: FIFO}
            - {tag: a, scheduling_policy: SCHED_FIFO, priority: 1}
            - {scheduling_policy: RR, priority: 1}
            - {tag: a, name: b}
            """,
            [
                "1:12: 'a' has no priority",
                "2:3: duplicate tag 'a'; it is on line 1 already",
                "2:12: 'a': unknown scheduling_policy 'SCHED_FIFO'; did you mean FIFO?",
                "3:3: this entry has no tag",
                "4:3: this entry has tag 'a' and name 'b'",
            ],
        ),
    ],
)
def test_an_invalid_file_is_one_list_of_faults(takt, tmp_path, monkeypatch, name, text, faults):
    monkeypatch.chdir(tmp_path)
    Path("given.yaml").write_text(textwrap.dedent(text))
    said = takt("import", name, "given.yaml", "-o", "schedule.yaml")
    assert (said.code, said.out) == (2, "")
    lines = said.err.splitlines()
    assert len(lines) == len(faults), said.err
    for line, words in zip(lines, faults, strict=True):
        assert line.startswith(f"given.yaml:{words}")
    assert not Path("schedule.yaml").exists()


def test_one_id_in_two_domains_is_one_rule(tmp_path):
    one = "- {{id: '/a@Timer(1000)', domain_id: {0}, policy: SCHED_FIFO, priority: {0}}}\n"
    made = imported(tmp_path, "agnocast", group(one.format(1) + one.format(2)))
    assert threads_of(executor(made)) == {"/a:timer(1us)": {"policy": "fifo", "priority": 1}}
    dropped = next(one for one in made.remarks if one.line == 3)
    assert "of domain 2" in dropped.what
    assert "of domain 1" in dropped.why


def test_names_that_change_in_each_run_are_not_written(tmp_path):
    id_ = "/transform_listener_impl_55d0c8a1b2f0@Subscription(/tf)"
    made = imported(tmp_path, "cie", group(f"- {{id: '{id_}', policy: SCHED_RR, priority: 4}}"))
    assert list(threads_of(executor(made))) == ["/transform_listener_impl:sub(/tf)"]
    id_ = "/camera_1234567890@Subscription(/tf)"  # a serial number
    made = imported(tmp_path, "cie", group(f"- {{id: '{id_}', policy: SCHED_RR, priority: 4}}"))
    assert list(threads_of(executor(made))) == ["/camera_1234567890:sub(/tf)"]


def test_a_template_of_cie_inspector_leaves_threads_to_be_decided(tmp_path):
    made = imported(tmp_path, "cie", TEMPLATE)
    assert threads_of(executor(made)) == {"/talker:timer(500ms)": {}, "/talker:sub(/chatter)": {}}
    undecided = [(one.line, one.what) for one in made.remarks if one.kind == Kind.undecided]
    assert (4, "'/talker@Timer(500000000)@Subscription(ch...': policy, priority, affinity") in (
        undecided
    )
    assert [line for line, _ in undecided] == [4, 4, 8, 8]


def test_tags_of_rclcpp_are_executors_and_others_are_threads(tmp_path):
    made = imported(tmp_path, "rep2017", TAGS)
    single = executor(made, "single_threaded")
    assert single["threads"]["main"] == {"policy": "fifo", "priority": 10, "cores": [1]}
    assert single["default"] == "main"
    multi = executor(made, "multi_threaded")
    assert multi["threads"] == {"pool": {"count": 3, "policy": "other", "cores": [0, 1, 2]}}
    assert multi["default"] == "pool"
    assert single["threads"]["scanner"] == {"policy": "rr", "priority": 20}
    assert any("bind callbacks to it" in one.advice for one in made.remarks)


@pytest.mark.parametrize("policy", ["SPORADIC", "DEADLINE"])
def test_policies_without_parameters_are_not_carried(tmp_path, policy):
    text = f"- {{tag: RCLCPP_EXECUTOR_SINGLE_THREADED, scheduling_policy: {policy}, priority: 3}}"
    made = imported(tmp_path, "rep2017", text)
    assert executor(made, "single_threaded")["threads"] == {"main": {}}
    assert [one.kind for one in made.remarks] == [Kind.dropped]


@need(*CHECK)
@pytest.mark.parametrize("per_node", [1, 3, 70])
def test_more_groups_than_an_executor_has_threads(tmp_path, per_node):
    entries = "".join(
        f"- {{id: '/n{n // per_node}@Timer({1000 + n})', policy: SCHED_RR, priority: 1}}\n"
        for n in range(140)
    )
    made = imported(tmp_path, "cie", group(entries))
    assert made.faults == []
    assert check(made.text, tmp_path)["ok"]
    executors = made.schedule["executors"].values()
    bound = [id_ for one in executors for id_ in threads_of(one)]
    lost = [one for one in made.remarks if one.kind == Kind.dropped]
    assert len(bound) + len(lost) == 140
    assert len(lost) == (16 if per_node == 70 else 0)
    # A node is in one process, so it is in one executor.
    for one in executors:
        nodes = {id_.partition(":")[0] for id_ in threads_of(one)}
        assert not nodes & {
            id_.partition(":")[0]
            for other in executors
            if other is not one
            for id_ in threads_of(other)
        }


@need(*CHECK)
def test_names_of_threads_differ_and_fit_into_the_kernels(tmp_path):
    nodes = ["a_very_long_name_of_a_node"] * 12 + ["all", "rest", "parameters", "main"]
    entries = "".join(
        f"- {{id: '/{node}@Timer({1000 + n})', policy: SCHED_RR, priority: 1}}\n"
        for n, node in enumerate(nodes)
    )
    made = imported(tmp_path, "cie", group(entries))
    said = check(made.text, tmp_path)
    assert (said["ok"], said["warnings"]) == (True, [])
    assert len(executor(made)["threads"]) == len(nodes) + 1


def test_the_schedule_goes_to_the_terminal_and_the_list_beside_it(takt, tmp_path):
    path = tmp_path / "car.yaml"
    path.write_text(CAR)
    said = takt("import", "cie", path)
    assert said.code == 0
    assert yaml.safe_load(said.out)["version"] == 1
    assert said.err.splitlines()[0].startswith(f"{path}:1: hardware_info: ")
    to_file = takt("import", "cie", path, "-o", tmp_path / "new/schedule.yaml")
    assert (to_file.code, to_file.out) == (0, "")
    assert (tmp_path / "new/schedule.yaml").read_text() == said.out
    assert to_file.err.startswith(said.err)


def test_programs_get_the_list_as_json(takt, tmp_path):
    path = tmp_path / "car.yaml"
    path.write_text(CAR)
    said = json.loads(takt("import", "cie", path, "--json").out)
    assert said["ok"]
    assert said["output"] is None
    assert said["schedule"]["executors"]["main"]["default"] == "rest"
    first = said["remarks"][0]
    assert (first["line"], first["kind"], first["what"]) == (1, "dropped", "hardware_info")
    assert first["why"] and first["advice"]
    path.write_text("callback_groups: [3]\n")
    wrong = takt("import", "cie", path, "--json", "-o", tmp_path / "none.yaml")
    assert wrong.code == 2
    said = json.loads(wrong.out)
    assert (said["ok"], said["schedule"]) == (False, None)
    assert [(one["line"], one["column"]) for one in said["faults"]] == [(1, 19)]
    assert not (tmp_path / "none.yaml").exists()
