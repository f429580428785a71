"""`takt status`: compares what threads have with what was asked for them."""

PACKAGES = "none"
