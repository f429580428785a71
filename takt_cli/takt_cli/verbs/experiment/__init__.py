"""`takt experiment`: the experiments: their runs, and the limits beside the numbers."""
