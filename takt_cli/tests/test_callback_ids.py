"""Ids are written and read as the programs in C++ do it: their test walks the same tables."""

import json
from pathlib import Path

import pytest
from takt_cli.base import callback_ids

FILE = Path(__file__).resolve().parents[2] / "takt_core/test/adapter/callback_ids.json"
TABLES = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", TABLES["timers"], ids=lambda entry: entry["id"])
def test_timers_of_the_table(entry):
    assert callback_ids.timer_id(entry["node"], entry["period_ns"]) == entry["id"]


@pytest.mark.parametrize("entry", TABLES["callbacks"], ids=lambda entry: entry["id"])
def test_callbacks_of_the_table(entry):
    assert callback_ids.callback_id(entry["node"], entry["kind"], entry["what"]) == entry["id"]


@pytest.mark.parametrize("entry", TABLES["groups"], ids=lambda entry: entry["id"])
def test_groups_of_the_table(entry):
    assert callback_ids.group_id(entry["node"], entry["what"]) == entry["id"]


@pytest.mark.parametrize("entry", TABLES["numbers"], ids=lambda entry: entry["ids"][-1])
def test_equal_ones_are_numbered_as_in_the_table(entry):
    numbers = callback_ids.Numbers()
    assert [numbers.next(base) for base in entry["claimed"]] == entry["ids"]


@pytest.mark.parametrize("entry", TABLES["parts"], ids=lambda entry: entry["id"])
def test_parts_of_the_table(entry):
    assert callback_ids.node_of(entry["id"]) == entry["node"]
    assert callback_ids.kind_of(entry["id"]) == entry["kind"]
    assert callback_ids.bracketed(entry["id"]) == entry["bracketed"]


@pytest.mark.parametrize("entry", TABLES["kinds"], ids=lambda entry: entry["id"])
def test_other_kinds_of_the_table(entry):
    assert callback_ids.with_kind(entry["id"], entry["kind"]) == entry["other"]


def test_callbacks_of_the_client_library_are_those_of_the_table():
    made, others = TABLES["of_client_library"], TABLES["of_program"]
    assert [one for one in made if not callback_ids.is_of_client_library(one)] == []
    assert [one for one in others if callback_ids.is_of_client_library(one)] == []
