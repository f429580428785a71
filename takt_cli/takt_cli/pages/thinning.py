"""Fewer points for a plot, with all of its peaks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from takt_cli.results.run_results import Series

MOST_POINTS = 1200


def thin_over_time(series: Series, most: int = MOST_POINTS) -> npt.NDArray[np.intp]:
    """Choose of each stretch the smallest and the largest sample, and all stalled ones.

    A reader looks for peaks, so a thinned plot must still show every one of them.
    """
    count = len(series.values)
    if count <= most:
        return np.arange(count)
    keep: list[int] = list(np.flatnonzero(series.stalled))
    for stretch in np.array_split(np.arange(count), most // 2):
        values = series.values[stretch]
        keep += [int(stretch[values.argmin()]), int(stretch[values.argmax()])]
    return np.unique(np.asarray(keep, dtype=np.intp))
