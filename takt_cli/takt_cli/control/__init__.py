"""The control sockets of processes under takt: find them, ask them, compare asked with granted."""
