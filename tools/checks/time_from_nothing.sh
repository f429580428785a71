#!/usr/bin/env bash
# Prints how long everything takes from nothing: a clean clone of what is committed here, an empty home folder (no cache
# of compilers, no environment of takt) and an environment of PATH and HOME only.
#
#   time_from_nothing.sh [--without-ci] [--only-ci] [--keep] [FOLDER]
#
# FOLDER is where the clones and the home folders go, by default a new one below /tmp; it is removed at the end unless
# --keep is given or a step fails. The words of the steps go to FOLDER/log. Standard output is the table alone.
#
# A step's CPU seconds are those of its own processes; those of others, and what the hypervisor kept from this machine,
# are in a column of their own: where that is large, the machine was not quiet, and the seconds say little. Debian
# packages that are installed stay so; set-up's row says whether it installed any. Exit code 1: a step failed.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=tools/setup/say.sh
source "$root/tools/setup/say.sh"

with_test=yes with_ci=yes keep=no folder=""
for argument in "$@"; do
  case $argument in
    --without-ci) with_ci=no ;;
    --only-ci) with_test=no ;;
    --keep) keep=yes ;;
    -*) takt_die "time_from_nothing.sh: unknown option $argument; known are --without-ci, --only-ci and --keep" ;;
    *) folder=$argument ;;
  esac
done
[[ $with_test == yes || $with_ci == yes ]] || takt_die "time_from_nothing.sh: with both options nothing is left to do"
if [[ -z $folder ]]; then
  folder=$(mktemp -d)
else
  mkdir -p -- "$folder"
  [[ -z $(ls -A -- "$folder") ]] || takt_die "$folder is not empty; name a folder that is"
fi
folder=$(cd -- "$folder" && pwd -P)
log=$folder/log
mkdir -p -- "$log"
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

rows=()
row() # NAME SECONDS [CPU OTHERS]
{
  local shape='%-34s %8s %8s %8s'
  # shellcheck disable=SC2059  # a shape of our own
  rows+=("$(printf "$shape" "$1" "$2" "${3:-}" "${4:-}")")
}
finish()
{
  local rc=$?
  [[ ${#rows[@]} -eq 0 ]] || printf '%s\n' "${rows[@]}"
  if [[ $rc -ne 0 || $keep == yes ]]; then
    takt_say "clones and logs are in $folder"
  else
    rm -rf -- "$folder"
  fi
}
trap finish EXIT

hundredths() # SECONDS with six digits behind the point, or the locale's comma; awk's integers may end at 2^31
{
  echo $((${1/[.,]/} / 10000))
}
own_cpu() # hundredths of a CPU second that ended children took, as of the last `note_times`
{
  local minutes_user minutes_system
  { read -r _; read -r minutes_user minutes_system; } <"$folder/.times"
  awk -v a="$minutes_user" -v b="$minutes_system" 'function s(t) { split(t, p, "m"); sub("s", "", p[2]); return p[1] * 60 + p[2] }
    BEGIN { printf "%d", (s(a) + s(b)) * 100 }'
}
note_times() # for own_cpu: a subshell has no children of its own yet, so that `times` says 0 there
{
  times >"$folder/.times"
}
busy_cpu() # hundredths of a CPU second that all processors were busy, or kept from us
{
  awk -v tick="$(getconf CLK_TCK)" '/^cpu / { printf "%d", ($2 + $3 + $4 + $7 + $8 + $9) * 100 / tick; exit }' /proc/stat
}

clean() # CLONE COMMAND...: in the clone, with PATH and HOME only
{
  local clone=$1
  shift
  (cd -- "$folder/$clone" && exec env -i PATH="$path" HOME="$folder/$clone.home" "$@") </dev/null
}
step() # NAME CLONE COMMAND...
{
  local name=$1 file began own busy took rc=0
  file=$log/${name//[^a-zA-Z0-9]/_}
  shift
  takt_say "$name: $* (words: $file)"
  note_times
  own=$(own_cpu) busy=$(busy_cpu) began=$EPOCHREALTIME
  clean "$@" >"$file" 2>&1 || rc=$?
  took=$(($(hundredths "$EPOCHREALTIME") - $(hundredths "$began")))
  note_times
  own=$(($(own_cpu) - own)) busy=$(($(busy_cpu) - busy))
  ((busy >= own)) || busy=$own
  seconds=$(((took + 50) / 100))
  row "$name" "$seconds" $(((own + 50) / 100)) $(((busy - own + 50) / 100))
  if [[ $rc -ne 0 ]]; then
    row "failed: $name" "" "" ""
    tail -n 40 -- "$file" >&2
    exit 1
  fi
}
parts() # FILE SED_EXPRESSION: rows of what a step itself says, as NAME|SECONDS
{
  local name part
  while IFS='|' read -r name part; do row "  $name" "$part"; done < <(sed -n "$2" "$1")
}
clone() # NAME
{
  git clone -q --no-hardlinks -- "$root" "$folder/$1"
  mkdir -p -- "$folder/$1.home"
}

commit=$(git -C "$root" rev-parse --short HEAD)
[[ -z $(git -C "$root" status --porcelain) ]] || takt_say "what is not committed here is not measured"
rows+=("takt $commit from nothing: $(nproc) cores ($(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)), \
load $(cut -d ' ' -f 1 /proc/loadavg) at the start")
row step seconds CPU others

if [[ $with_test == yes ]]; then
  clone clone
  sum=0
  step "set-up" clone make setup
  if grep -q '^+ .*apt-get' "$log/set_up"; then row "  installed Debian packages" ""; fi
  sum=$((sum + seconds))
  step "build of the demo" clone env TAKT_TESTS=no PACKAGES=takt_workload tools/setup/build.sh
  sum=$((sum + seconds))
  step "demo" clone ./takt demo
  sum=$((sum + seconds))
  row "= make demo" "$sum"
  step "build of the rest, with tests" clone tools/setup/build.sh
  sum=$((sum + seconds))
  step "tests" clone tools/setup/test.sh test
  sum=$((sum + seconds))
  parts "$log/tests" 's/^\([a-zA-Z_]*\) *[0-9]* tests *[0-9]* failed *\([0-9]*\) s$/\1|\2/p'
  row "= make demo, then make test" "$sum"
fi
if [[ $with_ci == yes ]]; then
  clone ci
  step ".ci/run" ci .ci/run
  parts "$log/_ci_run" '/^==== steps$/,$ s/^\([A-Za-z].*[^ ]\)  *\([0-9]*\) s$/\1|\2/p'
fi
