"""The page of a trace in a real browser, 1280 pixels wide, without a network."""

import copy

import pytest
from support.browser import SCROLLED, look, need_browser
from support.trace_documents import MS, callback, chain, document
from takt_cli.verbs.report.trace_figures import TraceReport
from takt_cli.verbs.report.trace_page import trace_page

pytestmark = need_browser
LONG = "/a_namespace/with/a/very/long/path" * 8
# What the page does at a click, and what its tables and colours are then.
_CLICKS = """
  const table = document.querySelector("#chains table");
  const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].firstChild.textContent);
  const heads = [...table.tHead.rows[0].cells];
  const before = names();
  const max = heads.find((head) => head.textContent === "max");
  max.click();
  const down = names();
  max.click();
  const up = names();
  const seen = () => [...document.querySelectorAll(".metrics > div")]
    .filter((one) => getComputedStyle(one).display !== "none").map((one) => one.className);
  const metrics = [seen()];
  document.querySelector("label[for=m-delay]").click();
  metrics.push(seen());
  const colour = () => getComputedStyle(document.body).backgroundColor;
  const colours = [colour()];
  document.getElementById("theme").click();
  colours.push(colour());
  const chain = document.querySelector("#chain-1 details");
  chain.open = false;
  location.hash = "#chain-1";
  openTarget();
  return { before, down, up, metrics, colours, opened: chain.open };
"""


def page_of(raw):
    return trace_page(TraceReport.read(raw), "takt report a.takttrace -o report.html")


def check(told):
    assert told["errors"] == []
    assert told["refused"] == []
    assert told["resources"] == []
    assert told["wide"] == []
    assert told["cut"] == []
    assert told["width"] <= told["shown"] == 1280


def test_the_page_is_shown_and_its_tables_can_be_sorted(tmp_path):
    told = look(page_of(document()), tmp_path, _CLICKS)
    check(told)
    for words in (
        "Chain brake missed its deadline of 10.0 ms",
        "What the response times were spent on",
        "ms for its thread hot, which ran /mapping/map:timer(100ms)",
        "In the way of the 5 longest activations",
        "/mapping/map:timer(100ms)",
        "Hosts and processes",
    ):
        assert words in told["text"].replace("\u00a0", " ")
    found = told["found"]
    assert found["before"] == ["brake", "steer", "display"]
    assert found["down"] == ["steer", "display", "brake"]
    assert found["up"] == found["down"][::-1]
    assert found["metrics"] == [["of-execution"], ["of-delay"]]
    assert found["colours"][0] != found["colours"][1]
    assert found["opened"]


def test_a_page_of_long_names_and_many_rows_is_not_wider_than_the_window(tmp_path):
    raw = copy.deepcopy(document(80))
    raw["callbacks"] = [callback(f"{LONG}_{n}:timer(1ms)", 25, n + 1, n) for n in range(300)]
    raw["chains"] = [chain(f"c{n}" + "x" * 200, 40, 9 * MS, n) for n in range(40)]
    raw["slices"][0]["name"] = "s" * 300
    raw["hosts"][0]["name"] = "h" * 200
    raw["processes"][0]["program"] = "/opt/" + "p" * 300
    raw["threads"][0]["name"] = "t" * 100
    for step in raw["chains"][0]["worst"][0]["steps"]:
        step |= {"callback": LONG, "thread": "t" * 100}
    told = look(
        page_of(raw),
        tmp_path,
        """
        const field = document.querySelector("#callbacks input.find");
        field.value = "_299:";
        field.dispatchEvent(new Event("input"));
        const rows = field.parentNode.querySelectorAll("tbody tr");
        return [...rows].filter((row) => !row.hidden).length;
        """,
    )
    check(told)
    assert told["found"] == 1


@pytest.mark.parametrize("width", [1280, 400])
def test_boxes_of_which_a_part_is_out_of_sight_show_it(tmp_path, width):
    told = look(page_of(document(80)), tmp_path, SCROLLED, width)
    assert told["errors"] == told["refused"] == told["wide"] == []
    assert told["width"] <= told["shown"] == width
    assert told["found"]["silent"] == []
    assert told["found"]["hidden"] > 0 or width == 1280


@pytest.mark.parametrize("kind", ["empty", "no activations", "not measured", "hostile"])
def test_poor_traces_have_pages_without_errors(tmp_path, kind):
    raw = document(30)
    if kind == "empty":
        raw = {"schema": 1}
    elif kind == "no activations":
        raw = document(0)
    elif kind == "not measured":
        raw["measured"] = {}
        raw["callbacks"] = [{**one, "cpu": None} for one in raw["callbacks"]]
    else:
        raw["chains"][0]["name"] = "</script><script>throw 1</script><img src=x onerror=throw(2)>"
        raw["callbacks"][0]["id"] = "'\"><svg onload=throw(3)>"
    told = look(page_of(raw), tmp_path)
    check(told)
    words = {
        "empty": "The trace has no chain.",
        "no activations": "No activation of a chain ended in this trace.",
        "not measured": "CPU times were not measured",
        "hostile": "<img src=x onerror=throw(2)>",
    }
    assert words[kind] in told["text"].replace("\u00a0", " ")
