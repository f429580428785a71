"""`takt report`: a page from results of runs, or from a trace."""

PACKAGES = "takt_workload"
