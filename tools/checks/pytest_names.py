"""A pytest plugin: `--names REGEX` runs only tests whose name or file matches, as `ctest -R`."""

from __future__ import annotations

import re

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--names", metavar="REGEX", help="only tests whose name or file matches")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Omit the others."""
    try:
        wanted = re.compile(config.getoption("--names") or "")
    except re.error as error:
        raise pytest.UsageError(f"--names is not a regular expression: {error}") from error
    kept, others = [], []
    for item in items:
        found = wanted.search(item.name) or wanted.search(item.path.stem)
        (kept if found else others).append(item)
    items[:] = kept
    if others:
        config.hook.pytest_deselected(items=others)
