"""The control sockets of processes under takt: finds them, sends requests, compares attributes."""
