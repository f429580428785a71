# shellcheck shell=bash
# How the scripts speak. Sourced.

takt_say() { printf '%s\n' "takt: $*" >&2; }
# One clear sentence, and the exit code that says "this machine cannot do that now".
takt_die() { takt_say "$@"; exit 2; }
