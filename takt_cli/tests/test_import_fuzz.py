"""No input crashes `takt import`: it gives faults, or a schedule that `takt check` accepts."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.built import CHECK, need
from takt_cli.verbs.import_.formats import import_file
from test_import import FORMATS, SAMPLES, check

ROUNDS = int(os.environ.get("TAKT_TEST_ROUNDS", "1"))
MANY = settings(
    max_examples=200 * ROUNDS,
    deadline=None,
    derandomize=ROUNDS == 1,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# Parts that the readers know, and parts that break YAML, numbers, names and comments.
WORDS = """
id name tag policy priority nice affinity runtime deadline period domain_id TODO UNMANAGEABLE
SCHED_OTHER SCHED_IDLE SCHED_FIFO SCHED_RR SCHED_DEADLINE FIFO SPORADIC OTHER DEADLINE /a /a/b
/a@Timer(1000) /a@Timer(0) /a@Subscription(/t)@Waitable /a@Service(s)@Client(~/c) /a/* /*
/<TODO:x>@Timer(1) /a@Timer(99999999999999999999) 0 1 -20 19 50 99 100 5000000 4294967296
9223372036854775807 9223372036854775808 1e3 0x10 007 ~ null [] {} [1,0] [4095] [4096] *x &x !!int
? - : # | > % @ ` "" << callback_groups non_ros_threads kernel_threads irqs hardware_info
""".split()
WORDS += ['"\\x07"', '"\\ud800"', "\t", "\0", "\u2028", "\x85", "\ufeff", "- id: /q@"]
# Names of groups and threads, also ones that a schedule cannot have as they are.
NAMES = """
/a /b /a/* /b/* /a@Waitable /a@Timer(1000) /a@Timer(1000)@Timer(1000) /b@Timer(1000)@Client(/c)
/a@Client(/c)@Timer(1000) /a@Timer(0) /a@Timer(9223372036854775807) /a_55d0c8a1b2f0@Timer(7)
/a@Subscription(/t) /b@Subscription(/t)@Waitable /a@Service(s)@Client(~/c) /b/a@Subscription(t)
/a@Subscription(<unresolved>) /<TODO:x>@Timer(1) /all@Timer(1) /rest@Timer(1) /main@Timer(1)
/parameters@Timer(5) /a_very_long_name_of_a_node@Timer(5) /x/a_very_long_name_of_a_node@Timer(6)
/n@Service(/n/get_parameters) /a@Service(/a/get_parameters) /n@Subscription(/parameter_events)
worker a_very_long_name_of_a_thread a_very_long_name_of_another a_very_long_name
a_very_long_names a_very_long_nam all rest yes 7 1:30 0x1f
é_é_é_é_é_é_é_é
RCLCPP_EXECUTOR_SINGLE_THREADED RCLCPP_EXECUTOR_MULTI_THREADED
""".split()
NAMES += [
    "a*b",
    "a b",
    "/a :b(c)",
    " x",
    "x ",
    "fifteen_letter s",
    "\x07",
    "\ud800",
    "a\nb",
    "\u2028",
]
VALUES = {
    "priority": ["1", "99", "50", "5", "0", "TODO"],
    "nice": ["0", "-20", "19", "3"],
    "affinity": ["[]", "~", "[0]", "[3, 1, 1]", "[4095]", "TODO", "UNMANAGEABLE"],
    "runtime": ["1024", "50000", "1000000"],
    "deadline": ["1000000", "5000000"],
    "period": ["5000000", "5000000000", "4194304000", "4194304001", "5000001"],
    "domain_id": ["0", "1"],
}
NEEDED = {
    "OTHER": ["nice"], "BATCH": ["nice"], "IDLE": ["nice"], "FIFO": ["priority"],
    "RR": ["priority"], "DEADLINE": ["runtime", "deadline", "period"], "TODO": [],
}  # fmt: skip


@st.composite
def mutated(draw, texts):
    """A sample with some of its words, lines and characters replaced, doubled or gone."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 3))):
        lines = text.splitlines(keepends=True)
        at = draw(st.integers(0, max(len(lines) - 1, 0)))
        line = lines[at] if lines else "\n"
        how = draw(st.sampled_from(["word", "value", "cut", "double", "insert", "swap", "deeper"]))
        if how == "word":
            words = line.split(" ")
            words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
            line = " ".join(words).rstrip("\n") + "\n"
        elif how == "value":
            line = f"{line.partition(':')[0]}: {draw(st.sampled_from(WORDS))}\n"
        elif how == "cut":
            line = ""
        elif how == "double":
            line *= 2
        elif how == "insert":
            place = draw(st.integers(0, len(line)))
            line = line[:place] + draw(st.sampled_from(WORDS)) + line[place:]
        elif how == "swap" and lines:
            other = draw(st.integers(0, len(lines) - 1))
            line, lines[other] = lines[other], line
        else:
            line = f" {line}"
        lines[at : at + 1] = [line]
        text = "".join(lines)
    return text.encode("utf-8", "surrogatepass")


@st.composite
def made_up(draw, name):
    """A file of the right shape with mostly right values."""
    list_ = name == "rep2017"
    sections = {"": "tag"} if list_ else {
        "callback_groups": "id",
        "non_ros_threads": "name" if name == "agnocast" else "id",
    }  # fmt: skip
    lines = []
    for section, key in sections.items():
        lines += [f"{section}:"] if section else []
        lines += [] if list_ or draw(st.booleans()) else ["  []"]
        if lines[-1:] == ["  []"]:
            continue
        of_groups = section == "callback_groups"
        known = [one for one in NAMES if list_ or one.startswith("/") == of_groups]
        wanted = draw(st.lists(st.sampled_from(known), min_size=1, max_size=6, unique=True))
        for one in wanted:
            policy = draw(st.sampled_from([*NEEDED, *(["SPORADIC"] if list_ else [])]))
            prefix = "" if list_ or policy == "TODO" else "SCHED_"
            lines += [f"- {key}: {json.dumps(one)}"]
            lines += [f"  {'scheduling_' if list_ else ''}policy: {prefix}{policy}"]
            extra = draw(st.lists(st.sampled_from(list(VALUES)), max_size=2))
            for word in dict.fromkeys([*NEEDED.get(policy, []), *extra]):
                spelled = f"core_{word}" if list_ and word == "affinity" else word
                lines += [f"  {spelled}: {draw(st.sampled_from(VALUES[word]))}"]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def holds(tmp_path, name, content):
    """Import the content and judge the outcome."""
    path = tmp_path / "given.yaml"
    path.write_bytes(content)
    made = import_file(FORMATS[name], path)
    for one in (*made.faults, *made.remarks):
        assert str(one).isprintable()
        assert one.line >= 1
    if made.faults:
        assert made.text == ""
        return
    said = check(made.text, tmp_path)
    assert said["faults"] == [], made.text


@need(*CHECK)
@pytest.mark.parametrize("name", list(FORMATS))
def test_mutated_samples(tmp_path, name):
    @MANY
    @given(mutated(SAMPLES[name]))
    def holds_for(content):
        holds(tmp_path, name, content)

    holds_for()


@need(*CHECK)
@pytest.mark.parametrize("name", list(FORMATS))
def test_files_of_the_right_shape_with_values_of_all_kinds(tmp_path, name):
    @MANY
    @given(made_up(name))
    def holds_for(content):
        holds(tmp_path, name, content)

    holds_for()


@pytest.mark.parametrize("name", list(FORMATS))
@MANY
@given(content=st.binary(max_size=60))
def test_any_bytes(tmp_path, name, content):
    path = tmp_path / "given.yaml"
    path.write_bytes(content)
    made = import_file(FORMATS[name], path)
    assert made.faults or made.text


@pytest.mark.parametrize("name", list(FORMATS))
@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        "a: &x [*x]\n",
        "callback_groups: &x [*x]\n",
        "&x\n- *x\n",
        '"\\UFFFFFFFF"',
        "%YAML 9.9\n--- a\n",
        "a: 1\n---\nb: 2\n",
        "x" * (5 << 20),
        "\ufffe",
        "callback_groups:\n- &a {id: &i '/a@Timer(1)', policy: SCHED_RR, priority: 1}\n- *a\n",
    ],
)
def test_files_that_strain_the_reader(tmp_path, name, text):
    path = tmp_path / "given.yaml"
    path.write_text(text, encoding="utf-8")
    assert import_file(FORMATS[name], path).faults
