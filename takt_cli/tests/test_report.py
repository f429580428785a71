import base64
import json
import re
import zlib

import numpy as np
import pytest
from plotly.offline import get_plotlyjs
from support.browser import SCROLLED, look, need_browser
from support.synthetic import results
from takt_cli.pages.page import build_page
from takt_cli.pages.study import Study
from takt_cli.pages.thinning import thin_over_time
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import parse_results
from takt_cli.results.run_results import Series
from takt_cli.running.host import this_host
from takt_cli.tables.comparison import chain_comparison, comparison_table
from takt_cli.tables.table import Table


@pytest.fixture(scope="module")
def page():
    table = Table("A <table>", ["a"], words=1)
    table.add("</script><script>alert(1)</script>")
    raw = results(stalls=2)
    raw["chains"][0]["name"] = "</script>evil"
    return build_page(
        Study(
            kind="test",
            title="Title & more",
            command="takt demo --duration 10s",
            host=this_host(),
            configurations=[
                Configuration("pool", parse_results(raw), "the pool"),
                Configuration("takt", parse_results(raw), accent=True),
            ],
            sentences=["takt was faster."],
            tables=[table],
        )
    )


def own_part(page):
    """Plotly's own code, which is one script element, and all but it."""
    library = re.search(r'<script id="plotly" type="[^"]*">(.*?)</script>', page, re.S)
    code = zlib.decompress(base64.b64decode(library.group(1))).decode()
    return code, page.replace(library.group(0), "")


def figures(page):
    text = re.search(r'<script id="figures" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(text.group(1))


def test_the_page_has_its_parts(page):
    for part in (
        "<h1>Title &amp; more</h1>",
        "takt was faster.",
        "Latency distributions and response over time",
        "Load per thread",
        "How it was made",
        "takt demo --duration 10s",
        "the pool",
        "a cross is one that a host stall touched",
    ):
        assert part in page
    plots = figures(page)
    assert {name.rstrip("0123456789") for name in plots} == {"ecdf", "time", "threads"}
    assert all(f'id="{name}"' in page for name in plots)


def distributions(page, name):
    """The curves below a heading, by configuration."""
    number = re.search(f'<h3>{name}</h3>.*?id="ecdf(\\d+)"', page, re.S).group(1)
    return {d["name"]: d for d in figures(page)[f"ecdf{number}"]["data"]}


def test_a_curve_ends_at_the_share_that_completed():
    runs = []
    for name, superseded, lost, unfinished in (("all", 100, 0, 0), ("few", 60, 250, 50)):
        raw = results()
        chain = raw["chains"][0]
        chain |= {"superseded": superseded, "lost": lost, "unfinished": unfinished}
        chain["released"] = chain["completed"] + superseded + lost + unfinished
        runs.append(Configuration(name, parse_results(raw)))
    page = build_page(Study("test", "t", "c", this_host(), runs))
    curves = distributions(page, "front_lidar")
    assert curves["all"]["y"][-1] == 100
    assert curves["few"]["y"][-1] == 25  # 100 of 400
    assert curves["few"]["y"][49] == 12.5
    # Every run of the collision estimator is a sample of the hot path.
    assert {curve["y"][-1] for curve in distributions(page, "Hot path").values()} == {100}
    assert "A curve that ends below 100 %" in page


def test_deadline_floor_and_stalls_are_drawn(page):
    texts = [
        note["text"] for f in figures(page).values() for note in f["layout"].get("annotations", ())
    ]
    assert {"deadline", "physical limit"} <= set(texts)
    symbols = [s for f in figures(page).values() for d in f["data"] for s in _symbols(d)]
    assert symbols.count("x-thin-open") == 3 * 2 * 2  # three paths, two runs, two stalled each


def test_the_label_of_a_line_is_beside_the_points_and_not_on_them(page):
    over_time = [f for name, f in figures(page).items() if name.startswith("time")]
    for figure in over_time:
        notes = figure["layout"].get("annotations", ())
        assert all((note["xanchor"], note["x"]) == ("left", 1) for note in notes)
        assert (figure["layout"]["margin"]["r"] > 80) == bool(notes)
    assert any(figure["layout"].get("annotations") for figure in over_time)


def test_the_moment_of_a_report_stays_in_one_line(page):
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d [^<]*"
    assert re.search(f'<span class="whole">{moment}</span></p>', page)
    assert ".whole { white-space: nowrap; }" in page


def _symbols(trace):
    symbols = trace.get("marker", {}).get("symbol", [])
    return symbols if isinstance(symbols, list) else []


def test_nothing_is_loaded_from_anywhere(page):
    library, own = own_part(page)
    assert library == get_plotlyjs()  # itself, once, and packed
    assert "plotly.js v" not in own
    for loads in (
        r"<script[^>]+src",
        r"<link",
        r"<img",
        r"<iframe",
        r"@import",
        r"url\(",
        r"https?:",
    ):
        assert not re.search(loads, own), loads
    # And what plotly could load (maps) the browser refuses.
    assert "default-src 'none'" in own


def test_plots_cost_a_page_less_than_half_of_their_library(page):
    library, own = own_part(page)
    assert len(page) - len(own) < len(library) / 2


@need_browser
@pytest.mark.parametrize("theme", ["", "document.getElementById('theme').click();"])
def test_a_browser_unpacks_the_library_and_draws_every_plot(page, tmp_path, theme):
    plots = "[...document.querySelectorAll('.plot')]"
    drawn = f"return {plots}.map((one) => one.querySelectorAll('.main-svg').length);"
    told = look(page, tmp_path, theme + drawn)
    assert told["errors"] == told["refused"] == told["resources"] == []
    assert len(told["found"]) == len(figures(page))
    assert all(told["found"])


@need_browser
@pytest.mark.parametrize("width", [1280, 400])
def test_tables_that_are_wider_than_the_window_show_it(tmp_path, width):
    runs = [
        Configuration(name, parse_results(results(stalls=2)), "a note")
        for name in ("stock, 1 thread", "stock, 2 threads", "takt")
    ]
    study = Study(
        kind="test",
        title="Threads and time to spare: a_long_name_of_a_file_with_one_word.system.yaml",
        command="takt demo --duration 10s",
        host=this_host(),
        configurations=runs,
        sentences=["takt was faster."],
        tables=[comparison_table(runs, "Graph"), chain_comparison(runs, "All chains")],
    )
    told = look(build_page(study), tmp_path, SCROLLED, width)
    assert told["errors"] == told["refused"] == told["wide"] == []
    assert told["width"] <= told["shown"] == width
    assert told["found"]["silent"] == []
    assert told["found"]["hidden"] > 0 or width == 1280


@need_browser
def test_a_browser_that_cannot_unpack_says_so_in_place_of_plots(page, tmp_path):
    old = page.replace("<head>", "<head><script>delete window.DecompressionStream;</script>", 1)
    told = look(old, tmp_path)
    assert told["errors"] == []
    assert "This browser is too old for the plots" in told["text"]
    assert "takt was faster." in told["text"]


def test_names_cannot_break_out_of_the_page(page):
    _, own = own_part(page)
    assert "<script>alert" not in own
    assert "&lt;/script&gt;evil" in own
    assert figures(page)  # still one well-formed JSON element


def test_a_thinned_plot_keeps_every_peak_and_every_stall():
    values = np.random.default_rng(1).random(50_000)
    values[31_415] = 99
    stalled = np.zeros(50_000, dtype=bool)
    stalled[271] = True
    keep = thin_over_time(Series(values, np.arange(50_000.0), stalled))
    assert len(keep) <= 1300
    assert {31_415, 271} <= set(keep)


def test_series_of_a_section_get_colours_of_their_own():
    runs = [
        Configuration(name, parse_results(results()), section=section)
        for section in ("a", "b")
        for name in ("x", "y")
    ]
    page = build_page(Study("test", "t", "c", this_host(), runs))
    used = {
        name: [trace["line"]["color"] for trace in figure["data"]]
        for name, figure in figures(page).items()
        if name.startswith("ecdf")
    }
    assert all(colours == ["--s1", "--s2"] for colours in used.values())
