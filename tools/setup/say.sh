# shellcheck shell=bash
# How the scripts speak. Sourced.

takt_say() { printf '%s\n' "takt: $*" >&2; }
# One clear sentence, and the exit code that says "this machine cannot do that now".
takt_die() { takt_say "$@"; exit 2; }

# Says every so often that a long step goes on. The function reads from a pipe and ends when the last
# process closes the other end, also after a killed script:   exec {going}> >(takt_meanwhile "still building")
takt_meanwhile() # WHAT [DIRECTORY]: with how much is in the directory by now
{
  local began=$SECONDS rc=0 size
  while :; do
    read -r -t "${TAKT_EVERY:-20}" || rc=$?
    [[ $rc -gt 128 ]] || break # the pipe is closed
    size=$(du -sm -- "${2:-/nowhere}" 2>/dev/null | cut -f 1) || true
    takt_say "$1: $((SECONDS - began)) s${size:+, $size MB}"
    rc=0
  done
}
