"""The HTML report: one page, self-contained, readable without a network."""
