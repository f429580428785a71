"""`takt graph`: the content of a graph file."""
