"""What every other folder may use: errors, streams, numbers and texts, and other programs."""
