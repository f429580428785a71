"""The results of a run as typed data, and the statistics of samples."""
