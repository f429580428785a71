# shellcheck shell=bash
# Whether this user can build here at all; asked before minutes of set-up. Sourced; needs only bash.

takt_can_build() # ROOT: one sentence and exit code 2 where a build would fail
{
  takt_need_ascii "$1"
  takt_need_writable "$1"
}

takt_need_ascii() # ROOT: rosidl's generators write the path into files that they read as ASCII
{
  local LC_ALL=C path
  for path in "$1" "${BUILD_ROOT:-}"; do
    [[ $path != *[!\ -~]* ]] ||
      takt_die "$path has a letter outside of ASCII, and ROS 2 cannot generate messages there:" \
        "move the repository, without build/, to a path of plain letters"
  done
}

takt_need_writable() # ROOT: another user's tree cannot be written
{
  local at=${BUILD_ROOT:-$1/build} place
  # The build makes missing folders in the nearest one that exists.
  while [[ ! -e $at && $at == */* && -n ${at%/*} ]]; do at=${at%/*}; done
  for place in "$at" "${BUILD_ROOT:-$1/build}"/*/; do
    [[ ! -e $place || -w $place ]] ||
      takt_die "$place belongs to $(stat -c %U -- "$place") and cannot be written by $(id -un):" \
        "copy the repository, without build/, to a directory of yours, or clone it there"
  done
}
