"""A pytest plugin: `--share DIRECTORY` lets several processes run the tests of one collection.

Each process claims a test by a file in the directory before it runs the test, and omits the tests
that another process claimed. So every test runs once, and a process with short tests takes more.
Tests of a module with the marker `together` are claimed as one: they share what is dear to set up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--share", metavar="DIRECTORY", help="share the tests with other processes")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests that this process claims; pytest's own loop runs without the option."""
    directory = session.config.getoption("--share")
    if not directory or session.config.option.collectonly:
        return None
    if session.testsfailed and not session.config.option.continue_on_collection_errors:
        return None  # pytest's own loop reports the errors of the collection
    claimed = _claimed(session.items, Path(directory))
    item = next(claimed, None)
    while item is not None:
        # pytest tears down what the next test does not need, so that one is claimed first.
        following = next(claimed, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        item = following
    return True


def _claimed(items: list[pytest.Item], directory: Path) -> Iterator[pytest.Item]:
    own: set[str] = set()
    for item in items:
        together = item.get_closest_marker("together") is not None
        claim = item.nodeid.partition("::")[0] if together else item.nodeid
        if claim not in own:
            name = hashlib.sha256(claim.encode("utf-8", "backslashreplace")).hexdigest()
            try:
                directory.joinpath(name).touch(exist_ok=False)
            except FileExistsError:
                continue
            own.add(claim)
        yield item
