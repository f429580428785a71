"""Copies the data of a file, and leaves its holes: a hole costs its owner nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from takt_cli.base.units import how_many

_CHUNK = 1 << 20


def copy_data(source: int, copy: int, size: int, most: int | None) -> int:
    """Copy the data within `size` between descriptors, and return the number of bytes.

    Ends with the last byte outside of holes. Copies at most `most` bytes: the file may grow
    meanwhile, and its holes may be filled.
    """
    copied = 0
    for begin, end in _data(source, size):
        at = begin
        while at < end and (data := os.pread(source, min(end - at, _CHUNK), at)):
            copied += len(data)
            if most is not None and copied > most:
                raise OSError(0, f"it has more than {size_words(most)}")
            written = 0
            while written < len(data):
                written += os.pwrite(copy, data[written:], at + written)
            at += len(data)
    return copied


def size_words(count: int) -> str:
    """Spell a number of bytes: '1 GiB'."""
    return f"{count >> 30} GiB" if count >= 1 << 30 else how_many(count, "byte")


def _data(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Give begin and end of each part outside of holes; the whole file if holes are unknown."""
    at = 0
    while at < size:
        try:
            begin = os.lseek(file, at, os.SEEK_DATA)
            end = os.lseek(file, begin, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a hole up to the end
                return
            begin, end = at, size
        if begin >= size or end <= at:
            return
        yield begin, min(end, size)
        at = end
