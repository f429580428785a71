"""Asks many processes at once, so that the processes of one user delay no other user's."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 64
"""So many processes of the own user, and of root, are asked at once."""
AT_ONCE_OF_OTHERS = 32
"""So many of each other user, of all of them together eight times as many."""
LATE = "was not asked: other processes of its user take too long"


def is_trusted(uid: int) -> bool:
    """Tell whether the owner is this user or root; -1: the owner is unknown."""
    return uid in (-1, 0, os.geteuid())


def side_by_side(
    items: Sequence[Item],
    uid_of: Callable[[Item], int],
    do: Callable[[Item], Result],
    longest_s: float,
    late: Callable[[Item], Result],
) -> list[Result]:
    """Call `do`, which takes at most `longest_s`, for all items; results have their order.

    Each user has threads of its own. Calls for other users that have not begun within `longest_s`
    are dropped and get the result of `late`. So all calls together take at most twice as long.
    """
    until = time.monotonic() + longest_s
    others = {uid_of(item) for item in items if not is_trusted(uid_of(item))}
    of_others = max(4, min(AT_ONCE_OF_OTHERS, 8 * AT_ONCE_OF_OTHERS // max(1, len(others))))

    def limited(item: Item) -> Result:
        return do(item) if time.monotonic() < until else late(item)

    with contextlib.ExitStack() as stack:
        own = stack.enter_context(ThreadPoolExecutor(AT_ONCE))
        pools = {uid: stack.enter_context(ThreadPoolExecutor(of_others)) for uid in others}
        asked = []
        for item in sorted(items, key=lambda item: not is_trusted(uid_of(item))):
            uid = uid_of(item)
            pool, call = (own, do) if is_trusted(uid) else (pools[uid], limited)
            asked.append((id(item), pool.submit(call, item)))
        results = {key: future.result() for key, future in asked}
    return [results[id(item)] for item in items]
