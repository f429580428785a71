"""Documents that one program of takt writes and another one reads: their schemas and readers."""
