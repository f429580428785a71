"""`takt explain`: bounds of response times, and pages of their hyperperiod."""
