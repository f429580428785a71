"""Modules for all other folders: errors, streams, numbers and texts, and other programs."""
