"""What a run gave, as typed data, and the statistics of samples."""
