"""Background load: processes that want a core all the time, at ordinary priority."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# Dies with us even if we are killed (PR_SET_PDEATHSIG), and if we died before that was set.
_HOG = """
import ctypes, os, signal
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != {parent}:
    raise SystemExit
os.sched_setaffinity(0, {{{core}}})
while True:
    pass
"""


@contextmanager
def hogs(cores: Sequence[int], per_core: int = 1) -> Iterator[None]:
    """Keep each core busy with `per_core` processes while the block runs."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        for core in [core for core in cores for _ in range(per_core)]:
            program = _HOG.format(parent=os.getpid(), core=core)
            running.append(
                subprocess.Popen(
                    [sys.executable, "-S", "-c", program],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        yield
    finally:
        for process in running:
            process.kill()
        for process in running:
            process.wait()
