"""Whether a machine is fit for real time: findings about it, and fixes that can be undone."""
