"""The commands in the documentation run as they are written, with the real programs."""

import dataclasses
import re
import shlex
from pathlib import Path

import pytest
from support.built import CHECK, WORKLOAD, need
from takt_cli import runner

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("run.md", "demo.md", "experiments.md")
TAGGED = re.compile(r"<!-- test: runs -->\n```sh\n(.*?)```", re.DOTALL)


def commands(page):
    """Lines of tagged blocks, in order: later ones use what earlier ones wrote."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [shlex.split(line) for block in TAGGED.findall(text) for line in block.splitlines()]


pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")


@pytest.fixture
def short_runs(monkeypatch, tmp_path):
    """Runs measure a moment only, whatever was asked, and write nothing outside of the test."""

    def short(request, *args, **options):
        moment = dataclasses.replace(request, duration_ns=200_000_000, warmup_ns=50_000_000)
        return runner.run(moment, *args, **options)

    monkeypatch.setattr("takt_cli.session.run", short)
    monkeypatch.setattr("takt_cli.commands.run.run", short)
    monkeypatch.delenv("TAKT_BUILD", raising=False)
    monkeypatch.chdir(tmp_path)


@need(*WORKLOAD, *CHECK)
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(takt, short_runs, page):
    assert commands(page)
    for program, *arguments in commands(page):
        assert program == "./takt"
        said = takt(*arguments)
        assert said.code == 0, f"{arguments}: {said.err}"


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (DOCS / target).exists(), target


def test_every_option_that_run_has_is_explained(takt):
    text = (DOCS / "run.md").read_text(encoding="utf-8")
    for option in set(re.findall(r"--[a-z][a-z-]+", takt("run", "--help").out)):
        assert option in text, option
