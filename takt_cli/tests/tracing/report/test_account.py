"""Activations that never ended on the page of a trace: words, table, verdict."""

from support.trace_documents import MS, PATH, chain, document, stopped
from takt_cli.verbs.report.trace_figures import TraceReport
from takt_cli.verbs.report.trace_page import trace_page
from takt_cli.verbs.report.trace_verdict import verdict

TIMER, FUSION, BRAKE = PATH


def report_of(*chains):
    return TraceReport.read({**document(3), "chains": list(chains)})


def page_of(*chains):
    return trace_page(report_of(*chains), "takt report").replace("\u00a0", " ")


def lossy():
    return stopped(
        chain("brake", 100, 10 * MS),
        ("lost", FUSION, 2),
        ("overdue", BRAKE, 1),
        ("skipped", TIMER, 30),
        ("unfinished", BRAKE, 1),
        ("superseded", FUSION, 1),
    )


def test_the_reader_has_the_whole_account():
    raw = lossy()
    read = report_of(raw).chains[0]
    account = read.account
    assert account.released == read.counted == 135
    assert (account.completed, account.late) == (100, raw["account"]["late"])
    assert (account.lost, account.unfinished, account.overdue) == (2, 2, 1)
    assert (account.skipped, account.superseded) == (30, 1)
    assert [(one.kind, one.callback, one.count) for one in account.stops][2] == (
        "skipped", TIMER, 30,
    )  # fmt: skip
    assert len(account.stopped) == 20


def test_the_table_says_how_activations_ended_and_the_section_which_never_did():
    raw = lossy()
    page = page_of(raw)
    words = (
        f"{raw['account']['late']} late, 2 lost at {FUSION}, 1 still under way at {BRAKE} after "
        f"the deadline, 30 skipped by {TIMER}, 1 still under way at {BRAKE}, 1 replaced by newer "
        f"data at {FUSION}"
    )
    table = page[page.index('id="chains"') : page.index('id="split"')]
    assert f'<div class="below">{words}</div>' in table
    assert f"{raw['missed']} ({100 * raw['missed'] / 135:.0f} %)" in table
    section = page[page.index("<h2>Chain brake</h2>") :]
    assert "<h3>Activations that never ended</h3>" in section
    assert section.count(">skipped there<") == 17
    assert "and 15 more" in section


def test_many_places_become_a_rest():
    raw = stopped(chain("c", 9, 90 * MS), *(("lost", f"/n{n}:sub(/t)", n) for n in range(1, 6)))
    assert "3 lost at /n3:sub(/t), 9 lost at other callbacks" in page_of(raw)


def test_the_verdict_counts_activations_that_never_ended():
    raw = stopped(chain("brake", 9, 90 * MS), ("lost", FUSION, 2), ("superseded", FUSION, 4))
    (words,) = verdict(report_of(raw))
    assert words.startswith(
        "Chain brake missed its deadline of 90.0 ms in 2 of 15 activations (13 %): 2 lost at "
        f"{FUSION}; the longest took"
    )
    starved = stopped(chain("brake", 0, 90 * MS), ("overdue", FUSION, 7))
    assert verdict(report_of(starved)) == [
        "Chain brake missed its deadline of 90.0 ms in 7 of 7 activations (100 %): 7 still under "
        f"way at {FUSION} after the deadline. None ended."
    ]
    page_of(starved)
    calm = stopped(chain("brake", 9, 90 * MS), ("superseded", FUSION, 4))
    assert verdict(report_of(calm))[0].startswith("Chain brake met its deadline")


def test_a_chain_without_an_account_says_why():
    raw = {**chain("brake", 9, 90 * MS), "account": None, "account_why": "records of x are missing"}
    page = page_of(raw, {**raw, "name": "steer"})
    assert "<li>brake, steer: records of x are missing.</li>" in page
    assert "Activations that never ended" not in page
    assert report_of(raw).chains[0].counted == 9
    whole = page_of(chain("brake", 9, 90 * MS))
    assert "does not tell which activations never ended" not in whole
