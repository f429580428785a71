#!/usr/bin/env bash
# Builds all packages, or PACKAGES and what they need, with colcon into $TAKT_BUILD.
#
#   ROS=DISTRIBUTION VARIANT=asan|tsan BUILD_TYPE=Debug PACKAGES="takt_core ..." TAKT_TESTS=no UNITY=no APART="takt_rcl ..." JOBS=n \
#     tools/setup/build.sh
#
# UNITY=yes compiles several sources of a library as one: three fifths of the compiler's time from nothing, more after a
# change of one file. A build goes on as it began where UNITY is not given. It begins so. APART names packages whose
# sources are compiled each by itself all the same.
#
# TAKT_TESTS=no builds libraries and programs only: what ./takt runs. A later build with tests goes on from
# there. TAKT_TESTS=smoke builds of the tests only those labelled smoke. A variant omits the tests that it does not run.
# BUILD_TYPE is for debuggers; by default programs and libraries are as users get them (RelWithDebInfo).
# Starts nothing when no file of a package changed since the last complete build.
set -euo pipefail
here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck disable=SC2034  # read by env.sh
TAKT_OVERLAY=0
# shellcheck source=tools/setup/env.sh
source "$here/env.sh" ""
# shellcheck source=tools/setup/stale.sh
source "$here/stale.sh"
jobs=${JOBS:-$(nproc)}

roots=()
for manifest in "$TAKT_ROOT"/takt_*/package.xml; do
  [[ -e $manifest ]] && roots+=("$(dirname -- "$manifest")")
done
[[ ${#roots[@]} -gt 0 ]] || takt_die "$TAKT_ROOT has no package to build"

build_type=${BUILD_TYPE:-RelWithDebInfo}
# Line numbers are enough for stacks and profiles; what debuggers want beyond them is a sixth to a
# third of the compiler's time. The tests of most packages are compiled for longer than they run, and for a quarter less
# without optimisation; libraries and programs, which they test, are optimised all the same. Campaigns run for longer.
debug=-g1
test_options=-O0 campaign_options=-O1
[[ $build_type == Debug ]] && debug=-g campaign_options=-O0
selection=()
wrapper=()
sanitize=""
case ${VARIANT:-} in
  asan)
    sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
    # Left out then is what costs the compiler two fifths of its time and shows, mostly, in the address
    # sanitizer, too: pointers to nothing, beyond an object, or to an object of another type.
    [[ ${UBSAN:-} != brief ]] ||
      sanitize+=" -fno-sanitize=null,object-size,vptr,alignment,pointer-overflow"
    ;;
  tsan)
    sanitize="-fsanitize=thread"
    # An uninstrumented library hides its locks from ThreadSanitizer, so only what is free of ROS; and
    # takt_plan has one thread.
    selection=(--packages-select takt_rt takt_core takt_schedule takt_control takt_trace takt_watch takt_host)
    # GCC's ThreadSanitizer cannot start under some kernels' address randomisation; CMake starts
    # the test programs to list their tests.
    setarch -R true 2>/dev/null && wrapper=(setarch -R)
    ;;
esac
if [[ -n $sanitize ]]; then
  # Debug keeps assertions; -O1 keeps the speed bearable and the stacks readable.
  build_type=Debug
  campaign_options=-O0
  export CFLAGS="-O1 -fno-omit-frame-pointer $sanitize"
  export CXXFLAGS=$CFLAGS
fi

tests=ON only_label=
[[ ${TAKT_TESTS:-} != no ]] || tests=OFF
[[ ${TAKT_TESTS:-} != smoke ]] || only_label=smoke

stamp=$TAKT_BUILD/.built
key="$TAKT_PREFIX $build_type $sanitize${TAKT_RCLCPP:+ $TAKT_RCLCPP}"
names=()
[[ -z ${PACKAGES:-} ]] || read -ra names <<<"$PACKAGES"
began_as=$(cat -- "$TAKT_BUILD/.unity" 2>/dev/null) || began_as=yes
unity=${UNITY:-$began_as}
for name in ${APART:-}; do
  [[ -d $TAKT_ROOT/$name ]] || takt_die "APART names $name, which is not a package"
done
# Packages that came or went change the key; files that changed, came or went inside one are newer.
whole_key="$key unity=$unity apart=${APART:-} ${roots[*]}"
# A class of one source may have members of that source's local types, which GCC doubts where another source includes it.
unity_warnings=""
[[ $unity == no ]] || unity_warnings=" -Wno-subobject-linkage"
is_current() # STAMP DIRECTORY...
{
  local one=$1
  shift
  [[ -e $one && $(<"$one") == "$whole_key" ]] || return 1
  [[ -z $(find "$@" "$here/build.sh" "$here/wanted_tests.cmake" -newer "$one" \
    -not -path '*__pycache__*' -not -path '*/.hypothesis/*' -not -path '*.pytest_cache*' -print -quit) ]]
}
if [[ ${#names[@]} -eq 0 || $tests == OFF ]] && is_current "$stamp" "${roots[@]}"; then exit 0; fi
are_current() # PACKAGE...: are their programs built?
{
  local package needed
  for package in "$@"; do
    mapfile -t needed < <(takt_needed "$TAKT_ROOT" "$package")
    is_current "$stamp.$package" "${needed[@]/#/$TAKT_ROOT/}" || return 1
  done
}
if [[ $tests == OFF ]]; then
  wanted=("${names[@]}")
  [[ ${#wanted[@]} -gt 0 ]] || mapfile -t wanted < <(basename -a -- "${roots[@]}")
  if are_current "${wanted[@]}"; then exit 0; fi
fi

mkdir -p -- "$TAKT_BUILD"
[[ -e ${TAKT_BUILD%/*}/COLCON_IGNORE ]] || touch -- "${TAKT_BUILD%/*}/COLCON_IGNORE"
exec 9>"$TAKT_BUILD/.lock"
flock --nonblock 9 || { takt_say "waiting for another build in $TAKT_BUILD"; flock 9; }

# CMake caches paths into the prefix; another prefix needs another start. The new build gets a folder of its own, to
# which build/, install/ and log/ lead once it is complete: until then the programs of the older build run.
place=$TAKT_BUILD # the folder of build/, install/ and log/
[[ ! -L $TAKT_BUILD/install ]] || place=$TAKT_BUILD/$(dirname -- "$(readlink -- "$TAKT_BUILD/install")")
changed=
if [[ -e $TAKT_BUILD/.prefix && $(<"$TAKT_BUILD/.prefix") != "$key" ]]; then
  changed=yes
  place=$TAKT_BUILD/$(sha256sum <<<"$key" | cut -c -10)
  mkdir -p -- "$place"
  touch -- "$place/.environment"
  takt_say "the environment changed: building anew in $place; the older build stays until this one is complete"
else
  printf '%s\n' "$key" >"$TAKT_BUILD/.prefix"
fi
replace_older_build()
{
  local part other
  for part in build install log; do
    [[ -L $TAKT_BUILD/$part || ! -e $TAKT_BUILD/$part ]] || mv -T -- "$TAKT_BUILD/$part" "$TAKT_BUILD/.older.$part"
    ln -sfn -- "${place##*/}/$part" "$TAKT_BUILD/$part"
  done
  rm -f -- "$stamp" "$stamp".*
  printf '%s\n' "$key" >"$TAKT_BUILD/.prefix"
  for other in "$TAKT_BUILD"/*/.environment; do
    [[ ${other%/*} == "$place" ]] || rm -rf -- "${other%/*}"
  done
  rm -rf -- "$TAKT_BUILD"/.older.*
}
printf '%s\n' "$unity" >"$TAKT_BUILD/.unity"
started=$(date +%s.%N)

cmake_args=(
  -G Ninja
  -DBUILD_TESTING=$tests
  "-DCMAKE_UNITY_BUILD=$([[ $unity == no ]] && echo OFF || echo ON)"
  "-DTAKT_APART=${APART:+${APART// /;}}"
  -DCMAKE_UNITY_BUILD_BATCH_SIZE=6 # more saves little, and makes each change of a file cost more
  "-DCMAKE_BUILD_TYPE=$build_type"
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  # Installed programs start with an empty environment, and with capabilities (which make the loader
  # ignore LD_LIBRARY_PATH and $ORIGIN).
  -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON
  # shellcheck disable=SC2016  # $ORIGIN is the loader's
  '-DCMAKE_INSTALL_RPATH=$ORIGIN;$ORIGIN/..;$ORIGIN/../lib;'"$place/install/lib"
  --no-warn-unused-cli
  "-DTAKT_TEST_OPTIONS=$test_options"
  "-DTAKT_CAMPAIGN_OPTIONS=$campaign_options"
  "-DCMAKE_PROJECT_INCLUDE=$TAKT_ROOT/tools/setup/wanted_tests.cmake"
  "-DTAKT_CARGO_TARGET=${TAKT_BUILD%/*}/cargo" # what cargo builds is the same in all variants
  "-DTAKT_ONLY_LABEL=$only_label"
  "-DTAKT_OMIT_LABEL=${VARIANT:+no_$VARIANT}"
  "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 $debug -DNDEBUG"
  "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 $debug -DNDEBUG$unity_warnings"
  "-DCMAKE_C_FLAGS_DEBUG=$debug"
  "-DCMAKE_CXX_FLAGS_DEBUG=$debug$unity_warnings"
)
if [[ $TAKT_ROS_FROM == wheels ]]; then
  # DT_RPATH in programs: rcl opens our message libraries by name, from its own directory (repair.py).
  # As needed: a message package's list of targets has its Python half, which no program can link.
  cmake_args+=("-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags,--as-needed")
  cmake_args+=("-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--disable-new-dtags,--as-needed")
fi
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Every clone of the repository finds what another one compiled.
  export CCACHE_BASEDIR=$TAKT_ROOT CCACHE_NOHASHDIR=1
  # Precompiled headers (takt_precompile.cmake) hold macros and times that no source of ours looks at.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  # The language of messages is part of what ccache looks for.
  export LANG=C.UTF-8 LC_ALL=C.UTF-8
fi

[[ ${#names[@]} -eq 0 ]] || selection=(--packages-up-to "${names[@]}")

# Make's own flags are for make; colcon would hand them on.
unset MFLAGS MAKELEVEL MAKEOVERRIDES
export MAKEFLAGS=-j$jobs CMAKE_BUILD_PARALLEL_LEVEL=$jobs

report_failures() # the compiler's words are in the log of each failed package
{
  local log=$place/log/latest_build package
  [[ -e $log/events.log ]] || return 0
  sed -n "s/.*JobEnded: {'identifier': '\([^']*\)', 'rc': [^0S].*/\1/p" "$log/events.log" |
    sort -u | while read -r package; do
    printf '\n==== %s: what failed (%s)\n' "$package" "$log/$package/stdout_stderr.log"
    sed -n '/FAILED:\|CMake Error\|error:\|Error/,$p' "$log/$package/stdout_stderr.log" | cut -c -240 | head -n 80
  done >&2
}

# On a terminal colcon itself shows how far it is.
[[ -t 1 ]] || exec {going}> >(takt_meanwhile "still building")
cd -- "$TAKT_ROOT"
"${wrapper[@]}" colcon --log-base "$place/log" build \
  --base-paths "${roots[@]}" \
  --build-base "$place/build" --install-base "$place/install" --merge-install \
  --executor parallel --parallel-workers 2 \
  "${selection[@]}" \
  --cmake-args "${cmake_args[@]}" </dev/null || { report_failures; exit 1; }

[[ -z $changed ]] || replace_older_build

# STAMP says that everything is there, tests too; STAMP.PACKAGE that the package's programs are.
stamps=("$stamp")
if [[ ${#names[@]} -gt 0 || $tests == OFF || -n $only_label ]]; then
  [[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(basename -a -- "${roots[@]}")
  mapfile -t needed < <(takt_needed "$TAKT_ROOT" "${names[@]}")
  stamps=("${needed[@]/#/$stamp.}")
fi
for one in "${stamps[@]}"; do
  printf '%s\n' "$whole_key" >"$one.part"
  # The stamp's time is the start of the build: what changed meanwhile is built next time.
  touch -d "@$started" -- "$one.part"
  mv -- "$one.part" "$one"
done
