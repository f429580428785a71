"""`takt top`: the figures of all processes under takt, again and again."""

PACKAGES = "none"
