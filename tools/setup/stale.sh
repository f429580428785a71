# shellcheck shell=bash
# Whether sources changed after the build. Sourced by ./takt and build.sh; changes no file.
#
# A STAMP is as old as the last build of all packages with their tests, STAMP.PACKAGE as the last one of
# that package and those that it needs.

takt_needed() # REPOSITORY PACKAGE...: these packages and those of ours that they need, one a line
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
  # The Python tool, which runs from the sources, and tests do not count.
  find "$@" -newer "$stamp" -type f -not -path '*/takt_cli/*' -not -path '*/test/*' \
    -not -path '*__pycache__*' -not -path '*/.hypothesis/*' -not -path '*/takt_results/*' -print -quit 2>/dev/null || true
}

# One warning if a file of a built package, or of one that it needs, is newer than the build.
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
    takt_say "${newer#"$2"/} is newer than the build, and takt runs the older build; \`make build\` builds the change"
    return
  done
}
