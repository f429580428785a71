"""Tables of a trace's page: no row is hidden without a word, and no id is squeezed."""

import re

import pytest
from support.browser import look, need_browser
from takt_cli.pages.asset import asset
from takt_cli.verbs.report.trace_parts import head_cell, number_cell, table, word_cell

ID = "/perception/EuclideanClusterDetector:sub(/perception/EuclideanClusterSettings)"


def rows(count):
    """Rows with a long id and ten numbers each."""
    return "".join(
        f"<tr>{word_cell(ID, 'replaced by newer data')}{number_cell(10**6) * 10}</tr>"
        for _ in range(count)
    )


HEAD = head_cell("chain", word=True) + head_cell("activations") * 10


@pytest.mark.parametrize("count", [1, 13, 40])
def test_rows_of_usual_systems_are_all_shown(count):
    assert "tall" not in table(HEAD, rows(count))


def test_a_box_that_hides_rows_says_how_many_there_are():
    text = table(HEAD, rows(1200))
    assert 'class="scroll tall"' in text
    assert "1,200 rows: this box scrolls." in text


@need_browser
def test_an_id_takes_two_lines_at_most_and_a_box_shows_what_it_hides(tmp_path):
    styles = f"<style>{asset('style.css')}{asset('trace.css', 'takt_cli.verbs.report')}</style>"
    page = f"<!doctype html><html><head>{styles}</head><body><main><section>{table(HEAD, rows(13))}"
    told = look(
        f"{page}</section></main></body></html>",
        tmp_path,
        """
        const box = document.querySelector(".scroll");
        const cell = document.querySelector("td.word");
        const line = parseFloat(getComputedStyle(cell).lineHeight);
        return {
          hidden: box.scrollHeight - box.clientHeight,
          wider: box.scrollWidth - box.clientWidth,
          lines: cell.firstChild.getClientRects?.().length ?? (() => {
            const range = document.createRange();
            range.selectNode(cell.firstChild);
            return range.getClientRects().length;
          })(),
          shadow: getComputedStyle(box).backgroundAttachment,
        };
        """,
    )
    found = told["found"]
    assert found["hidden"] <= 1
    assert found["lines"] <= 2
    assert found["wider"] > 0
    assert set(re.split(", ", found["shadow"])) == {"local", "scroll"}
