"""One command renews the figures and pictures of the workshop's pages from a run."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil

import pytest
from support.workshop_runs import GOOD, one
from takt_cli.pages.svg import file_name, picture
from takt_cli.verbs.experiment import workshop
from takt_cli.verbs.experiment.workshop_claims import MS
from takt_cli.verbs.experiment.workshop_exercises import EXERCISES
from test_docs import DOCS

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")


@pytest.fixture(scope="module")
def tool():
    """The program of the repository."""
    path = DOCS.parent / "tools/docs/workshop_figures.py"
    spec = importlib.util.spec_from_file_location("workshop_figures", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pages(tmp_path):
    """A copy of the workshop's pages."""
    return shutil.copytree(DOCS / "workshop", tmp_path / "pages")


def leave(folder, runs=GOOD, **more):
    """Write what a run of all exercises leaves."""
    folder.mkdir()
    done = [workshop.Done(EXERCISES[name], own, {}) for name, own in runs.items()]
    tables = [workshop.verdicts(done), *map(workshop.judged, done), *map(workshop.others, done)]
    summary = {
        "kind": "experiment workshop",
        "command": "takt experiment workshop",
        "host": {"virtual": True, "cores": [0, 1]},
        "sentences": ["Other programs used up to 1.5 cores meanwhile, which makes times longer."],
        "tables": [table.to_json() for table in tables],
        **more,
    }
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    for title, figure in map(workshop.figure, done):
        (folder / file_name(title)).write_text(picture(title, figure), encoding="utf-8")
    return folder


def test_pages_get_the_figures_and_pictures_of_the_run(tool, pages, tmp_path):
    assert tuple(EXERCISES) == tool.EXERCISES
    folder = leave(tmp_path / "run")
    assert tool.renew(folder, pages) == []
    for name in EXERCISES:
        text = (pages / f"{name}.md").read_text(encoding="utf-8")
        before = (DOCS / f"workshop/{name}.md").read_text(encoding="utf-8")
        marks = re.compile(r"(<!-- figures -->).*(<!-- end -->)", re.DOTALL)
        assert marks.sub("", text) == marks.sub("", before)
        assert "older rule" not in text
        assert f"Workshop {name}: " in (pages / f"{name}.svg").read_text(encoding="utf-8")
    text = (pages / "2-1.md").read_text(encoding="utf-8")
    assert (
        "On a virtual machine of two cores, **beside other programs that used up to 1.5 cores**, "
        "outside of host stalls:\n\n| variant | count | min |"
    ) in text
    assert "| AtomicValue | 10,000 | 5.00 µs | 5.00 µs | 6.00 µs | 6 µs | 0 | 0 | 6.00 µs |" in text
    assert "| 33.47 ms |" in (pages / "4-1.md").read_text(encoding="utf-8")


def test_a_page_says_which_claim_the_run_missed(tool, pages, tmp_path):
    slow = {**GOOD["2-1"], "atomic": one("GetDesiredPosition", 2 * MS)}
    folder = leave(tmp_path / "run", {**GOOD, "2-1": slow}, sentences=[])
    (missed,) = tool.renew(folder, pages)
    assert "MISSED: 2.00 ms" in missed
    text = (pages / "2-1.md").read_text(encoding="utf-8")
    assert "On a virtual machine of two cores, outside of host stalls:" in text
    assert "This run missed a claim: " in text
    assert "This run missed" not in (pages / "2-2.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "experiment isolation"},
        {"command": "takt experiment workshop --quick"},
        {"runs": {name: GOOD[name] for name in ("1", "2-1")}},
    ],
)
def test_what_is_no_whole_run_changes_no_page(tool, pages, tmp_path, changes):
    folder = leave(tmp_path / "run", **changes)
    with pytest.raises(tool.NotARunError):
        tool.renew(folder, pages)
    assert (pages / "1.md").read_bytes() == (DOCS / "workshop/1.md").read_bytes()
    with pytest.raises(tool.NotARunError):
        tool.renew(tmp_path / "nowhere", pages)
