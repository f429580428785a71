import numpy as np
import pytest
from takt_cli.results.samples import (
    as_samples,
    ecdf,
    percentile,
    samples_needed,
    summarise,
    supported,
    tail_percentile,
)


@pytest.mark.parametrize(
    ("percent", "needed"), [(50, 20), (75, 40), (90, 100), (95, 200), (99, 1000), (99.9, 10000)]
)
def test_a_percentile_takes_ten_samples_beyond_it(percent, needed):
    assert samples_needed(percent) == needed
    assert supported(needed, percent)
    assert not supported(needed - 1, percent)
    assert percentile(np.arange(needed - 1, dtype=float), percent) is None


def test_exactly_ten_samples_lie_beyond_the_highest_supported_percentile():
    samples = np.random.default_rng(1).permutation(np.arange(1000, dtype=float))
    assert (samples > percentile(samples, 99)).sum() == 10
    assert percentile(np.arange(20, dtype=float), 50) == 9  # nearest rank, as the runner has it


def test_a_summary_of_few_samples_keeps_quiet_about_percentiles():
    summary = summarise(as_samples([3, 1, 2]))
    assert (summary.count, summary.min, summary.mean, summary.max) == (3, 1, 2, 3)
    assert summary.p50 is summary.p90 is summary.p99 is None
    assert summarise(as_samples([])).max is None


def test_the_common_tail_is_what_the_smallest_set_supports():
    assert tail_percentile([5000, 120]) == 90
    assert tail_percentile([5000, 1000]) == 99
    assert tail_percentile([45, 0, 2000]) == 75  # a set without samples has no say
    assert tail_percentile([]) == 50


def test_a_thinned_distribution_keeps_its_ends():
    x, y = ecdf(np.arange(100_000, dtype=float))
    assert len(x) <= 1000
    assert (x[0], x[-1], y[-1]) == (0, 99_999, 1)
    assert (np.diff(x) > 0).all()
