"""Files that takt reads and writes: graphs, schedules, system models, results."""
