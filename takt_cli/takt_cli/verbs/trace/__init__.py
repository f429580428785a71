"""`takt trace`: records what running processes do."""
