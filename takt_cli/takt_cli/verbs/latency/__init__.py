"""`takt latency`: how late a cyclic thread wakes up: measurement, document, table and page."""

PACKAGES = "takt_bench"
