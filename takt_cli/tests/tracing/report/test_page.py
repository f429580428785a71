"""The page of a trace as text: its parts and sentences, poor traces, hostile names."""

import copy
import itertools
import re

import pytest
from support.trace_documents import MS, callback, chain, document, split
from takt_cli.pages.scale import Scale
from takt_cli.verbs.report.trace_figures import TraceReport
from takt_cli.verbs.report.trace_page import trace_page
from takt_cli.verbs.report.trace_timeline import begins, pieces
from takt_cli.verbs.report.trace_verdict import by_interest, verdict
from takt_cli.verbs.report.trace_words import reasons, warnings

COMMAND = "takt report a.takttrace -o report.html"


def page_of(raw, title=None):
    return plain(trace_page(TraceReport.read(raw), COMMAND, title))


def plain(page):
    """Without the blanks that keep a number beside its unit."""
    return page.replace("\u00a0", " ")


@pytest.fixture(scope="module")
def raw():
    return document()


@pytest.fixture(scope="module")
def page(raw):
    return page_of(raw)


def test_the_page_has_its_parts(page):
    for part in (
        "<h1>Trace of camera and fusion</h1>",
        "9.90 s of 2 processes on robot1 and robot2",
        "Chain brake missed its deadline of 10.0 ms in ",
        "Chain steer met its deadline in all activations",
        "Chains against their deadlines",
        "What the response times were spent on",
        "<h2>Chain brake</h2>",
        "In the way of the 5 longest activations",
        "Longest activations",
        "<h2>Callbacks</h2>",
        "<h2>User slices</h2>",
        "<h2>Threads</h2>",
        "Hosts and processes",
        "31.0 µs",
        COMMAND,
    ):
        assert part in page
    assert page_of(document(2), "My <run>").count("My &lt;run&gt;") == 2  # title and heading


def test_the_title_counts_processes_of_one_program(raw):
    alike = copy.deepcopy(raw)
    for process in alike["processes"]:
        process["program"] = "/opt/takt_run"
    assert "<h1>Trace of takt_run (2 processes)</h1>" in page_of(alike)


def test_every_miss_is_a_cross_and_every_other_activation_a_point(raw, page):
    brake = page[page.index("<h2>Chain brake</h2>") : page.index("<h2>Chain steer</h2>")]
    plot = brake[: brake.index("</svg>")]
    missed = raw["chains"][2]["missed"]
    assert missed > 5
    crosses = re.search('class="crosses" d="(.*?)"', plot).group(1)
    points = re.search('class="points" d="(.*?)"', plot).group(1)
    assert crosses.count("l6 6m0 -6l-6 6") == missed
    assert points.count("h0") == 300 - missed
    assert plot.count('class="ring"') == 5
    assert "deadline 10.0 ms" in plot


def test_a_deadline_far_above_all_responses_does_not_squeeze_them(raw):
    far = copy.deepcopy(raw)
    far["chains"] = [chain("calm", 50, 5000 * MS)]
    page = page_of(far)
    assert "↑ deadline 5.00 s is above" in page
    assert 'class="beyond"' not in page


def test_chains_with_misses_come_first_and_then_those_with_little_to_spare(raw):
    assert [one.name for one in by_interest(TraceReport.read(raw).chains)] == [
        "brake",
        "steer",
        "display",
    ]


def test_sentences_name_the_callbacks_that_kept_a_step_waiting(raw):
    found = TraceReport.read(raw).chains[2].worst[0]
    told = "\n".join(reasons(found))
    fusion = "Step 2: /perception/fusion:sub(/sensing/image) waited"
    assert re.search(
        re.escape(fusion) + r" [\d.]+ ms for its thread hot, which ran /mapping/map:timer\(100ms\) "
        r"\([\d.]+ ms\) and /planning/planner:sub\(/map\) \([\d.]+ ms\)\.",
        told,
    )
    assert re.search(re.escape(fusion) + r" [\d.]+ µs for core 2: other threads of core 1 \(", told)
    assert re.search(
        r"Step 3: /control/brake:sub\(/perception/objects\) waited [\d.]+ .s for its callback "
        r"group, in which /control/brake:timer\(50ms\) \([\d.]+ .s\) ran\.",
        told,
    )


def test_a_wait_without_names_says_so(raw):
    one = copy.deepcopy(raw["chains"][2]["worst"][0])
    for step in one["steps"]:
        step["blocked_by"] = []
    changed = {**raw, "chains": [{**raw["chains"][2], "worst": [one]}]}
    report = TraceReport.read(changed)
    assert any(
        "the trace does not name the callbacks" in w for w in reasons(report.chains[0].worst[0])
    )
    assert "In the way of" not in trace_page(report, COMMAND)


def test_the_strip_of_each_step_is_its_whole_split_and_the_steps_follow_each_other(raw):
    found = TraceReport.read(raw).chains[2].worst[0]
    starts = begins(found)
    assert starts[0] == found.release_ns
    laid = [pieces(step, begin) for step, begin in zip(found.steps, starts, strict=True)]
    for step, begin, parts in zip(found.steps, starts, laid, strict=True):
        assert parts[0].begin == begin
        assert all(one.end == after.begin for one, after in itertools.pairwise(parts))
        assert sum(part.end - part.begin for part in parts) == pytest.approx(step.split.total_ns)
        assert next(part for part in parts if part.part == "ran").begin == step.start_ns
    assert [parts[-1].end for parts in laid[:-1]] == starts[1:]
    assert laid[-1][-1].end == found.end_ns


def test_a_message_that_a_node_kept_for_its_other_input_is_in_the_way(raw):
    one = copy.deepcopy(raw["chains"][2]["worst"][0])
    step, after = one["steps"][1:]
    later = 40 * MS
    step |= {"until_ns": step["end_ns"] + later, "published_by": "/perception/fusion:sub(/map)"}
    step["split"]["blocked_ns"] += later
    for name in ("from_ns", "release_ns", "picked_ns", "start_ns", "end_ns"):
        after[name] = after.get(name, step["end_ns"]) + later
    report = TraceReport.read({**raw, "chains": [{**raw["chains"][2], "worst": [one]}]})
    found = report.chains[0].worst[0]
    words = "kept the message for 40.0 ms, until /perception/fusion:sub(/map) published the result."
    assert sum(words in sentence for sentence in reasons(found)) == 1
    starts = begins(found)
    assert pieces(found.steps[1], starts[1])[-1].end == starts[2] == after["from_ns"]
    page = trace_page(report, COMMAND)
    assert "its node&#x27;s other input</td>" in page


def test_a_core_lost_within_a_run_is_drawn_within_the_run(raw):
    one = copy.deepcopy(raw["chains"][2]["worst"][0])
    step = one["steps"][0]
    step["start_ns"] = step["release_ns"]  # all of its wait for a core came after its start
    step["split"] = split(core=3 * MS, ran=2 * MS)
    report = TraceReport.read({**raw, "chains": [{**raw["chains"][2], "worst": [one]}]})
    found = report.chains[0].worst[0]
    parts = pieces(found.steps[0], begins(found)[0])
    assert [part.part for part in parts] == ["ran", "core"]


def test_figures_that_were_not_measured_are_said_plainly(raw):
    poor = {**raw, "measured": {"cpu": False, "kernel": False}}
    poor["callbacks"] = [{**one, "cpu": None} for one in raw["callbacks"]]
    report = TraceReport.read(poor)
    said = warnings(report)
    assert len(said) == 2
    assert said[0].startswith("CPU times were not measured for all runs.")
    assert said[1].startswith("The kernel's run-queue delays were not measured.")
    page = trace_page(report, COMMAND)
    assert "CPU times were not measured. <code>" in page  # in place of the table
    assert "from start to end of the callback, also where it slept or had no core" in page
    assert warnings(TraceReport.read(raw)) == []


def test_dropped_records_and_clocks_are_warnings(raw):
    poor = copy.deepcopy(raw)
    poor["processes"][1]["dropped"] = 1700
    poor["hosts"][0]["synchronised"] = False
    poor["hosts"][1]["clock_uncertainty_ns"] = None
    said = warnings(TraceReport.read(poor))
    assert said[0].startswith("1,700 records are missing (fusion (pid 4711) 1,700)")
    assert said[0].endswith("Trace again with a larger --records.")
    assert said[1].startswith("The clock of robot1 was not synchronised")
    assert said[2].startswith("The uncertainty of the clock of robot2 is unknown")
    poor["hosts"] = poor["hosts"][:1]
    assert len(warnings(TraceReport.read(poor))) == 1  # one host has one clock


@pytest.mark.parametrize(
    ("chains", "words"),
    [
        ([], "The trace has no chain."),
        ([chain("calm", 0, 5 * MS)], "No activation of a chain ended in this trace."),
        ([chain("calm", 9, None)], "No active chain has a deadline. The longest response is that"),
        ([chain("calm", 9, 90 * MS)], "Chain calm met its deadline in all activations: it took"),
        (
            [chain("a", 9, 90 * MS), chain("b", 9, 50 * MS)],
            "All 2 chains with a deadline met it in all activations; the closest was b with",
        ),
        ([chain("x", 99, MS)], "Chain x missed its deadline of 1.00 ms in 99 of 99 activations"),
    ],
)
def test_the_verdict(raw, chains, words):
    report = TraceReport.read({**raw, "chains": chains})
    assert verdict(report)[0].startswith(words)
    assert words in plain(trace_page(report, COMMAND))


def test_an_empty_trace_has_a_page():
    page = page_of({"schema": 1})
    assert "<h1>Trace</h1>" in page
    assert "No callback ran in the trace." in page


def test_hundreds_of_callbacks_and_chains_make_a_page_of_bounded_size(raw):
    big = copy.deepcopy(raw)
    big["callbacks"] = [callback(f"/n{n}:timer(1ms)", 25, n + 1, n) for n in range(600)]
    big["chains"] = [chain(f"c{n}", 40, 9 * MS, n) for n in range(60)]
    page = page_of(big)
    assert all(page.count(f">/n{n}:timer(1ms)<") == 4 for n in (0, 599))  # once in each table
    assert all(f"<h2>Chain c{n}</h2>" in page for n in range(60))
    assert "The page leaves out the timelines of 4 more activations" in page
    assert len(page) < 5_000_000


def test_nothing_is_loaded_from_anywhere(page):
    for loads in ("<script[^>]+src", "<link", "<img", "<iframe", "@import", "https?:"):
        assert not re.search(loads, page), loads
    assert set(re.findall(r"url\((.*?)\)", page)) == {"#stripes"}
    assert "default-src 'none'" in page
    assert len(page) < 400_000  # without a library for plots


def test_names_cannot_break_out_of_the_page(raw):
    evil = "</title></script><script>alert('1')</script>\"'><b onclick=x>\u202e&amp;"

    def spoil(value):
        if isinstance(value, dict):
            return {key: spoil(one) for key, one in value.items()}
        if isinstance(value, list):
            return [spoil(one) for one in value]
        return evil + value if isinstance(value, str) and value not in ("group", "queue") else value

    page = page_of(spoil(document(40)), evil)
    assert "<script>alert" not in page
    assert "<b onclick" not in page
    assert "\u202e" not in page  # it would turn the direction of the line
    assert page.count("<script") == page.count("</script>") == 3  # those of the template


def test_a_scale_has_round_ticks_and_ends():
    scale = Scale(0, 12_300_000, 100, 200)
    assert [text for _, text in scale.ticks(6)] == ["0 ms", "5 ms", "10 ms"]
    assert scale.at(0) == 100
    assert scale.at(-5) == 100
    assert scale.at(10**12) == 200
    assert Scale(5, 5, 0, 10).ticks(4) == []
    log = Scale(1_000, 1_000_000_000, 0, 60, log=True)
    assert [text for _, text in log.ticks(6)] == [
        "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s",
    ]  # fmt: skip
    assert log.at(1_000_000) == 30
