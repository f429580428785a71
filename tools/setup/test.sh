#!/usr/bin/env bash
# Runs the tests of the built packages: one ctest over all packages' build directories, then pytest.
#
#   test.sh [test|smoke|soak]
#
# test   all tests but those labelled `soak` or `bench`
# smoke  only tests labelled `smoke`: a few seconds that touch every package
# soak   only tests labelled `soak`: long campaigns with seeds
#
# In (optional): ROS, VARIANT, PACKAGES="takt_core ..." (only these), TESTS=regex (only tests whose name
# matches), JOBS=n (so many side by side). Tests that watch the clock, or use ROS 2, say so to ctest
# (RUN_SERIAL): they run alone, the others side by side. The seconds of a package are the sum of its tests' seconds.
# A variant omits tests labelled `no_asan` or `no_tsan`. Fails when a test fails, or when none ran.
set -euo pipefail
kind=${1:-test}
here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=tools/setup/env.sh
source "$here/env.sh" ""
checks=$TAKT_ROOT/tools/checks

case $kind in
  test) labels=() exclude="soak|bench" markers="not soak and not bench" ;;
  smoke) labels=(-L '^smoke$') exclude="soak|bench" markers="smoke" ;;
  soak) labels=(-L '^soak$') exclude="bench" markers="soak" ;;
  *) takt_die "unknown kind of test run: $kind" ;;
esac
wrapper=()
case ${VARIANT:-} in
  asan)
    exclude+="|no_asan"
    export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
    export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$checks/lsan.supp:print_suppressions=0}
    export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
    ;;
  tsan)
    exclude+="|no_tsan"
    export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$checks/tsan.supp:second_deadlock_stack=1}
    setarch -R true 2>/dev/null && wrapper=(setarch -R)
    # Its own locks spin: a thread of higher real-time priority that waits for one keeps the thread that
    # has it from the core, for ever. So no test gets real-time priorities; tests that need them are skipped.
    if setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice true 2>/dev/null; then
      wrapper=(setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice prlimit --rtprio=0 "${wrapper[@]}")
    fi
    ;;
esac
export TAKT_VARIANT=${VARIANT:-}
# Only the failures of a failed test: hundreds of lines that say OK would hide them.
export GTEST_BRIEF=${GTEST_BRIEF:-1}
# Tests choose their own domain; its messages stay on this machine unless the test says otherwise.
export ROS_AUTOMATIC_DISCOVERY_RANGE=${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}
export ROS_LOG_DIR=${ROS_LOG_DIR:-$TAKT_BUILD/log/ros}
mkdir -p -- "$ROS_LOG_DIR"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# A script's background job, nohup and cron ignore signals, and all that they start inherits it: a program under test would
# rightly go on where its test interrupts it. Bash itself cannot take back what it inherited.
default_signals=(env --default-signal)

# Many tests wait for programs that they started.
jobs=${JOBS:-$(($(nproc) * 3 / 2))}

selected() # PACKAGE: is it among PACKAGES?
{
  [[ -z ${PACKAGES:-} || " $PACKAGES " == *" $1 "* ]]
}

summary=()
skipped="" # lines, one for each reason
ran=0
failed=0
note() # NAME TESTS FAILED SECONDS
{
  summary+=("$(printf '%-20s %5d tests %5d failed %6d s' "$@")")
  ran=$((ran + $2))
  failed=$((failed + $3))
}

# One run over the tests of all packages: while tests of one package wait, those of another have the core.
run_ctest()
{
  local all=$TAKT_BUILD/log/ctest log=$TAKT_BUILD/log/test_ctest.log rc=0 package manifest counts tests bad seconds
  mkdir -p -- "$all"
  for manifest in "$TAKT_ROOT"/takt_*/package.xml; do
    package=$(basename -- "$(dirname -- "$manifest")")
    if selected "$package" && [[ -e $TAKT_BUILD/build/$package/CTestTestfile.cmake ]]; then
      printf 'subdirs("%s")\n' "$TAKT_BUILD/build/$package"
    fi
  done >"$all/CTestTestfile.cmake"
  local filter=("${labels[@]}" -LE "^($exclude)\$")
  [[ -n ${TESTS:-} ]] && filter+=(-R "$TESTS")
  # Packages that have none of the wanted tests are not worth a headline. A list that cannot be had is no reason to omit all.
  if counts=$(ctest --test-dir "$all" -N "${filter[@]}" 2>/dev/null) && [[ ! $counts =~ "Total Tests: "[1-9] ]]; then
    return 0
  fi
  printf '\n==== C++\n'
  "${default_signals[@]}" "${wrapper[@]}" ctest --test-dir "$all" --output-on-failure -j "$jobs" --timeout 300 \
    --no-tests=error "${filter[@]}" </dev/null 2>&1 | tee "$log" || rc=$?
  ctest --test-dir "$all" --show-only=json-v1 >"$all/shown.json" 2>/dev/null
  counts=$(python3 "$here/ctest_packages.py" "$all/shown.json" "$log")
  while read -r package tests bad seconds; do
    [[ -z $package ]] || note "$package" "$tests" "$bad" "$seconds"
  done <<<"$counts"
  [[ $rc -eq 0 || $failed -gt 0 ]] || note ctest 1 1 0
}

pytest_process() # LOG ARGUMENT...: one process of pytest on the chosen folders
{
  local log=$1
  shift
  (
    cd -- "$TAKT_ROOT"
    PYTHONPATH=$checks${PYTHONPATH:+:$PYTHONPATH} "${default_signals[@]}" python3 -m pytest -q -rs "$@"
  ) </dev/null >"$log" 2>&1
}

pytest_counts() # LOG CODE: adds what one process of pytest said to `all` and `bad`
{
  local line good wrong
  [[ $2 -eq 5 ]] && return 0 # none collected
  cat -- "$1"
  line=$(tail -n 1 "$1")
  good=$(sed -n 's/.*\b\([0-9]\+\) passed.*/\1/p' <<<"$line")
  wrong=$(awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^(failed|errors?)/) n += $(i - 1) }
    END { print n + 0 }' <<<"$line")
  [[ $2 -ne 0 && $wrong -eq 0 ]] && wrong=1
  all=$((all + ${good:-0} + wrong))
  bad=$((bad + wrong))
}

# Tests that watch the clock (marker `alone`) run in one process, after the others, which several share.
run_pytest()
{
  local roots=() arguments=() processes=() logs=() log=$TAKT_BUILD/log/test_pytest began=$SECONDS claims rc i all=0 bad=0
  if selected takt_cli && [[ -d $TAKT_ROOT/takt_cli ]]; then roots+=("$TAKT_ROOT/takt_cli"); fi
  [[ -z ${PACKAGES:-} ]] && roots+=("$TAKT_ROOT/tools")
  [[ ${#roots[@]} -gt 0 ]] || return 0
  [[ -n ${TESTS:-} ]] && arguments=(-p pytest_names --names "$TESTS")
  arguments+=("${roots[@]}")
  printf '\n==== Python\n'
  claims=$(mktemp -d)
  for ((i = 1; i <= jobs; i++)); do
    pytest_process "$log.$i.log" -p pytest_share --share "$claims" -m "($markers) and not alone" \
      "${arguments[@]}" &
    processes+=($!)
    logs+=("$log.$i.log")
  done
  for i in "${!processes[@]}"; do
    rc=0
    wait "${processes[i]}" || rc=$?
    pytest_counts "$log.$((i + 1)).log" "$rc"
  done
  rm -rf -- "$claims"
  rc=0
  logs+=("$log.alone.log")
  pytest_process "$log.alone.log" -m "($markers) and alone" "${arguments[@]}" || rc=$?
  pytest_counts "$log.alone.log" "$rc"
  [[ $all -gt 0 ]] || return 0
  note Python "$all" "$bad" $((SECONDS - began))
  # Else nobody would notice that a browser, or a right, is missing here.
  skipped=$(python3 "$here/pytest_skips.py" "${logs[@]}")
}

run_ctest
# Python code is the same in every variant.
[[ -z ${VARIANT:-} ]] && run_pytest

printf '\n==== %s, ROS 2 %s (%s)%s\n' "$kind" "$TAKT_ROS" "$TAKT_ROS_FROM" "${VARIANT:+, $VARIANT}"
[[ ${#summary[@]} -gt 0 ]] && printf '%s\n' "${summary[@]}"
[[ -z $skipped ]] || printf '%s\n' "$skipped"
printf '%-20s %5d tests %5d failed %6d s\n' "all" "$ran" "$failed" "$SECONDS"
[[ $ran -gt 0 ]] || { takt_say "no test ran"; exit 1; }
[[ $failed -eq 0 ]]
