"""Results files with one thing wrong: reported, or refused in one sentence."""

import json
from pathlib import Path

import pytest
from support.any_json import changed, places
from support.synthetic import results
from takt_cli.results.fields import DamagedError
from takt_cli.results.results_file import parse_results

WRONG = [
    None, True, "text", "", "\udcff", [], ["text"], [None], [[]], {}, {"a": 1}, -1, 0, 1, 0.5,
    10**400, 1e308, 5e-324, float("nan"), float("inf"), 2**63, -(2**70),
]  # fmt: skip
# Through the whole command go so many of all; prime, so that each value meets many places.
_STEP = 17


@pytest.fixture(scope="module")
def whole():
    """Results with all that a runner may write, and few samples."""
    raw = results(duration_s=1, stalls=2)
    raw |= {
        "measured_from_ns": raw["epoch_ns"],
        "measured_to_ns": raw["epoch_ns"] + raw["duration_ns"],
        "schedule": {"file": "a/b.yaml", "name": "main", "executors": ["main"]},
        "defaulted_callbacks": ["/a:timer(100ms)"],
        "other_programs_cores": 0.25,
        "warnings": ["something"],
        "incomplete": [],
    }
    raw["chains"][0] |= {
        "superseded": 1, "lost": 1, "unfinished": 1, "skipped": 1, "catching_up": [0] * 10
    }  # fmt: skip
    raw["threads"][0] |= {"granted": "fifo 80", "faults": ["refused"]}
    raw["stalls"][0] |= {"certain_from_ns": raw["epoch_ns"], "source": "witness"}
    return raw


@pytest.fixture(scope="module")
def cases(whole):
    """Every wrong value in every place."""
    found = [(path, value) for path in places(whole) if path for value in WRONG]
    assert len(found) > 2000
    return found


def test_one_wrong_value_anywhere_is_read_or_refused(whole, cases):
    refused = 0
    for path, value in cases:
        try:
            parse_results(json.loads(json.dumps(changed(whole, path, value))))
        except DamagedError:
            refused += 1
    assert len(cases) // 2 < refused < len(cases)


def test_one_wrong_value_anywhere_is_no_internal_error(takt, fakes, monkeypatch, whole, cases):
    # Four megabytes of every page that say nothing of what was read.
    monkeypatch.setattr("takt_cli.pages.page.get_plotlyjs", lambda: "")
    refused = 0
    some = cases[::_STEP]
    for path, value in some:
        Path("r.json").write_text(json.dumps(changed(whole, path, value)))
        said = takt("report", "r.json", "-o", "r.html", "--force")
        assert said.code in (0, 2), f"{path}: {value!r}: {said.err}"
        if said.code == 2:
            refused += 1
            assert len(said.err.splitlines()) == 1
            assert said.err.startswith("takt: r.json")
        elif "NaN" in Path("r.html").read_text():
            pytest.fail(f"{path}: {value!r}: the page has a figure that no browser reads")
    assert len(some) // 2 < refused < len(some)


def test_what_is_damaged_is_named_with_its_place(takt, fakes, whole):
    for path, value, words in (
        (("chains", 1, "priority"), "high", "chains[1].priority is 'high' where a number belongs"),
        (("threads", 0, "cpu_ns"), -5, "threads[0].cpu_ns is -5 where a number from 0 on belongs"),
        (("kpis", "hot_path", "latency_ns", 1), {}, "kpis.hot_path.latency_ns is an object where"),
        (("chains", 0, "name"), None, "chains[0].name is None where a name belongs"),
    ):
        Path("r.json").write_text(json.dumps(changed(whole, path, value)))
        said = takt("report", "r.json")
        assert said.code == 2
        assert said.err.startswith(f"takt: r.json: is damaged: {words}")
        assert said.err.endswith("measure again with `takt run --output`\n")
