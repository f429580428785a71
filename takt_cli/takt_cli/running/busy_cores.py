"""Background load: processes that want a core all the time, at ordinary priority."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from takt_cli.base.processes import start

_HOG = "while True: pass"


@contextmanager
def hogs(cores: Sequence[int], per_core: int = 1) -> Iterator[None]:
    """Keep each core busy with `per_core` processes while the block runs."""
    running = []
    try:
        for core in [core for core in cores for _ in range(per_core)]:
            running.append(start([sys.executable, "-S", "-c", _HOG], cores=[core]))
        yield
    finally:
        for process in running:
            process.kill()
        for process in running:
            process.wait()
