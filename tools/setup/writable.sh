# shellcheck shell=bash
# Whether this user can build here at all; asked before minutes of set-up. Sourced; needs only bash.

takt_need_writable() # ROOT: one sentence and exit code 2 where another user's tree cannot be written
{
  local at=${BUILD_ROOT:-$1/build} place
  # What is not there yet is made in what is there.
  while [[ ! -e $at && $at == */* && -n ${at%/*} ]]; do at=${at%/*}; done
  for place in "$at" "${BUILD_ROOT:-$1/build}"/*/; do
    [[ ! -e $place || -w $place ]] ||
      takt_die "$place belongs to $(stat -c %U -- "$place") and cannot be written by $(id -un):" \
        "copy the repository, without build/, to a directory of yours, or clone it there"
  done
}
