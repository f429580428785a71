"""One folder for each verb of `takt`: `command.py` has its options, the files beside it its parts.

Modules beside these folders are what several verbs share. No verb uses the folder of another one.
"""
