# shellcheck shell=bash
# Whether what was built is still what the sources say. Sourced by ./takt and build.sh; changes nothing.
#
# A STAMP is as old as the last build of all packages with their tests, STAMP.PACKAGE as the last one of
# that package and what it needs.

takt_needed() # REPOSITORY PACKAGE...: these packages and what they need of ours, one a line
{
  local repository=$1 package
  local -A seen=()
  shift
  while [[ $# -gt 0 ]]; do
    package=$1
    shift
    [[ -z ${seen[$package]:-} ]] || continue
    seen[$package]=1
    printf '%s\n' "$package"
    # shellcheck disable=SC2046  # one word for each
    set -- "$@" $(sed -n 's/.*depend>\(takt_[a-z_]*\)<.*/\1/p' "$repository/$package/package.xml" 2>/dev/null)
  done
}

takt_newer() # STAMP DIRECTORY...: some file in them that is newer, if there is one
{
  local stamp=$1
  shift
  # What runs from the sources (the Python tool) and tests do not count.
  find "$@" -newer "$stamp" -type f -not -path '*/takt_cli/*' -not -path '*/test/*' \
    -not -path '*__pycache__*' -not -path '*/.hypothesis/*' -not -path '*/takt_results/*' -print -quit 2>/dev/null || true
}

# One warning if some package was built before a file of it, or of what it needs, changed.
takt_warn_stale() # STAMP REPOSITORY
{
  local manifest package stamp needed newer
  [[ ! -e $1 || -n $(takt_newer "$1" "$2"/takt_*) ]] || return 0
  for manifest in "$2"/takt_*/package.xml; do
    package=$(basename -- "$(dirname -- "$manifest")")
    [[ $package != takt_cli ]] || continue # it needs all that it runs
    stamp=$1
    [[ $1.$package -nt $1 ]] && stamp=$1.$package
    [[ -e $stamp ]] || continue # not built, so it does not run either
    mapfile -t needed < <(takt_needed "$2" "$package")
    newer=$(takt_newer "$stamp" "${needed[@]/#/$2/}")
    [[ -z $newer ]] && continue
    takt_say "${newer#"$2"/} is newer than what was built, and what was built runs; \`make build\` builds it anew"
    return
  done
}
