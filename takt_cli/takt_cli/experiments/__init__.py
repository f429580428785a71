"""The experiments: which runs, and what the numbers are laid beside."""
