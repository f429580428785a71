#!/usr/bin/env bash
# Formats the sources (fix), or names the faults of format and lint (check).
set -euo pipefail
mode=${1:-check}
# shellcheck source=tools/setup/env.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../setup/env.sh" ""
cd -- "$TAKT_ROOT"

mapfile -d '' -t cpp < <(find oracles examples takt_* -type f \
  \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0 2>/dev/null)
python=(tools)
for directory in oracles/ takt_*/; do [[ -d $directory ]] && python+=("$directory"); done

rc=0
case $mode in
  fix)
    [[ ${#cpp[@]} -gt 0 ]] && clang-format-14 -i "${cpp[@]}"
    # The formatter fixes some of these faults (long lines), so the last check counts.
    ruff check --quiet --fix-only "${python[@]}" || rc=1
    ruff format --quiet "${python[@]}" || rc=1
    ruff check --quiet "${python[@]}" || rc=1
    ;;
  check)
    [[ ${#cpp[@]} -gt 0 ]] && { clang-format-14 --dry-run --Werror "${cpp[@]}" || rc=1; }
    ruff check --quiet "${python[@]}" || rc=1
    ruff format --quiet --check "${python[@]}" || rc=1
    [[ $rc -eq 0 ]] && echo "style: ${#cpp[@]} C++ files and the Python files are clean"
    ;;
  *) takt_die "style.sh: unknown mode $mode" ;;
esac
[[ $rc -eq 0 ]] || takt_say "style: see above; \`make format\` fixes faults of format"
exit "$rc"
