"""The verbs of `takt`, one folder each: `command.py` has the options, other files its parts.

Several verbs share the modules beside these folders. No verb uses the folder of another one.
"""
