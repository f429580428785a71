#!/usr/bin/env bash
# Everything that a build needs: Debian packages, Python, ROS 2. Quick when it is all there.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=tools/setup/say.sh
source "$here/say.sh"
# shellcheck source=tools/setup/writable.sh
source "$here/writable.sh"
takt_can_build "${here%/tools/setup}"
# First, because the paths depend on the Python that comes with it.
"$here/debian.sh"
# shellcheck source=tools/setup/paths.sh
source "$here/paths.sh"
[[ -e $TAKT_PREFIX/.complete ]] && exit 0

# Without a network pip has a page of the same words, after a minute of trying: they are kept, and it
# tries twice. What it has fetched it does not fetch again. (prefix.sh itself names the environment by its
# content, so only what changes that belongs there.)
words=$TAKT_PREFIX.log
mkdir -p -- "$(dirname -- "$words")" 2>/dev/null && : >"$words" 2>/dev/null ||
  takt_die "cannot write to ${words%/*}"
export PIP_RETRIES=${PIP_RETRIES:-1} PIP_DEFAULT_TIMEOUT=${PIP_DEFAULT_TIMEOUT:-10}
rc=0
exec {going}> >(takt_meanwhile "still setting up" "$TAKT_PREFIX")
"$here/prefix.sh" 2>&1 | tee -- "$words" | { grep --line-buffered '^takt: ' || true; } >&2 ||
  rc=${PIPESTATUS[0]}
exec {going}>&-
[[ $rc -eq 0 ]] || takt_say "what the installer said is in $words"
exit "$rc"
