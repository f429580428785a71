"""Documents that a program of takt writes and another reads: one schema each, and their reader."""
