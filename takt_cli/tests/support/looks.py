"""Looks at processes, and pictures of them, for the tests of `takt top`."""

import json

from support.fake_statistics import S
from takt_cli.control.client import Peer
from takt_cli.control.read_statistics import read_statistics
from takt_cli.verbs.top.keys import names
from takt_cli.verbs.top.layout import picture
from takt_cli.verbs.top.rates import Pair
from takt_cli.verbs.top.watch import View


def read(told, number=4711):
    return read_statistics(json.loads(json.dumps(told)), Peer(0, 0), number)


def pair(before, now, number=4711):
    return Pair(None if before is None else read(before, number), read(now, number))


def view(*pairs, silent=(), ended=(), absent=()):
    return View(pairs, silent, ended, absent)


def drawn(found, state, size):
    """Draw one picture; gives its lines, which fill the terminal exactly."""
    lines = picture(found, state.kind.make(found.pairs), state, size, S)
    assert len(lines) == size.height
    assert {line.cell_len for line in lines} == {size.width}
    return [line.plain.rstrip() for line in lines]


def pressed(state, keys):
    for key in names(keys):
        state.press(key, state.kind.make(()).columns)
