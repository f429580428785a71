"""Fixtures that make one thing after the other, and close all of them after the test."""

import contextlib
import itertools


@contextlib.contextmanager
def each_closed(make, close=lambda one: one.close()):
    """Give a function that makes things; all that it made is closed in the end."""
    with contextlib.ExitStack() as made:

        def call(*arguments, **more):
            one = make(*arguments, **more)
            made.callback(close, one)
            return one

        yield call


@contextlib.contextmanager
def each_numbered(make):
    """Likewise for processes, whose number is the first argument; `pid` names another number.

    The numbers count from 4,000,001 on, which no process has.
    """
    numbers = itertools.count(4_000_001)

    def numbered(*arguments, pid=None, **more):
        number = next(numbers)
        return make(pid or number, *arguments, **more)

    with each_closed(numbered) as call:
        yield call
