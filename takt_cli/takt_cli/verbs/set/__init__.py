"""`takt set`: one value of one chain, callback or thread."""

PACKAGES = "none"
COMMANDS = "chain callback thread"
