"""`takt trace`: records what running processes do."""

PACKAGES = "takt_trace"
COMMANDS = "start stop snapshot record"
