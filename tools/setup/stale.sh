# shellcheck shell=bash
# Whether what was built is still what the sources say. Sourced by ./takt; changes nothing.

# One warning if some file of a package is newer than the build STAMP. What runs from the sources (the
# Python tool) and tests do not count.
takt_warn_stale() # STAMP REPOSITORY
{
  local newer
  newer=$(find "$2"/takt_* -newer "$1" -type f -not -path '*/takt_cli/*' -not -path '*/test/*' \
    -not -path '*__pycache__*' -not -path '*/takt_results/*' -print -quit 2>/dev/null) || true
  [[ -z $newer ]] ||
    takt_say "${newer#"$2"/} is newer than what was built, and what was built runs; \`make build\` builds it anew"
}
