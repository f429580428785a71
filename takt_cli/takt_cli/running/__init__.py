"""Running a graph: the machine, the programs, and the runs themselves."""
