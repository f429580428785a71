# shellcheck shell=bash disable=SC2034
# Where things are. Sourced by the other scripts; computes names only, changes nothing on disk.
#
# In (all optional):  ROS            a distribution that takt_rclcpp/distributions has as supported; empty: the sourced one,
#                                    else the default
#                     VARIANT        empty, asan or tsan
#                     BUILD_ROOT     default <repository>/build
#                     XDG_CACHE_HOME default ~/.cache
#                     OVERLAY        a folder with rclcpp for the wheels' ROS 2; default: overlay/<distro> in
#                                    takt's cache folder, if it is there; none: without one
# Out:  TAKT_ROOT       the repository
#       TAKT_ROS        the distribution
#       TAKT_ROS_DEFAULT  the distribution that is taken where none is named or sourced
#       TAKT_ROS_FROM   sourced | wheels
#       TAKT_PREFIX     the environment's prefix (a Python virtual environment; with wheels: ROS 2 too)
#       TAKT_BUILD      where build/ install/ log/ of this ROS and variant are
#       TAKT_INSTALL    $TAKT_BUILD/install
#       TAKT_RCLCPP     the overlay in use; empty: none

# shellcheck source=tools/setup/say.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/say.sh"

takt_paths()
{
  local here lock python pythons key
  here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
  TAKT_ROOT=$(dirname -- "$(dirname -- "$here")")

  # Inside our own environment (TAKT_PREFIX on AMENT_PREFIX_PATH) nothing foreign is sourced.
  local sourced=""
  if [[ -n ${AMENT_PREFIX_PATH:-} && -n ${ROS_DISTRO:-} && ${TAKT_ROS_FROM:-} != wheels ]]; then
    sourced=$ROS_DISTRO
  fi
  local supported
  supported=$(takt_distributions supported default)
  TAKT_ROS_DEFAULT=$(takt_distributions default)
  if [[ -z ${ROS:-} ]]; then
    TAKT_ROS=${TAKT_ROS:-$TAKT_ROS_DEFAULT}
    [[ -z $sourced || " $supported " != *" $sourced "* ]] || TAKT_ROS=$sourced
  elif [[ " $supported " == *" $ROS "* ]]; then
    TAKT_ROS=$ROS
  else
    takt_die "ROS=$ROS is not supported; use ROS=${supported// / or ROS=}"
  fi
  TAKT_ROS_FROM=wheels
  [[ $sourced == "$TAKT_ROS" ]] && TAKT_ROS_FROM=sourced

  mapfile -t pythons < <(grep -v "^#" "$here/pythons")
  python=$(takt_python "${pythons[@]}") ||
    takt_die "Python ${pythons[0]} to ${pythons[-1]} is needed and none was found"
  TAKT_PYTHON_VERSION=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  lock=$here/lock/$TAKT_ROS.txt
  [[ $TAKT_ROS_FROM == sourced ]] && lock=$here/lock/system.txt
  TAKT_BUILD=${BUILD_ROOT:-$TAKT_ROOT/build}/$TAKT_ROS${VARIANT:+-$VARIANT}
  # A change of the content makes another environment; other repositories may still use the old one.
  key=$(cat -- "$lock" "$here/repair.py" "$here/prefix.sh" | sha256sum)
  [[ -n ${XDG_CACHE_HOME:-}${HOME:-} ]] ||
    takt_die "neither HOME nor XDG_CACHE_HOME is set; takt needs one of them for its environment"
  TAKT_PREFIX=${XDG_CACHE_HOME:-${HOME:-}/.cache}/takt
  TAKT_PREFIX+=/$TAKT_ROS-$TAKT_ROS_FROM-py$TAKT_PYTHON_VERSION-${key:0:10}
  takt_prefix_of_the_build
  TAKT_RCLCPP=""
  if [[ $TAKT_ROS_FROM == wheels && ${OVERLAY:-} != none ]]; then
    TAKT_RCLCPP=${OVERLAY:-${TAKT_PREFIX%/*}/overlay/$TAKT_ROS}
    if [[ ! -d $TAKT_RCLCPP ]]; then
      [[ -z ${OVERLAY:-} ]] || takt_die "OVERLAY=$OVERLAY is not a folder"
      TAKT_RCLCPP=""
    fi
  fi
  TAKT_PYTHON=$python
  TAKT_LOCK=$lock

  case ${VARIANT:-} in
    "" | asan | tsan) ;;
    *) takt_die "VARIANT=$VARIANT is not known; use asan, tsan or nothing" ;;
  esac
  TAKT_INSTALL=$TAKT_BUILD/install
}

takt_distributions() # STATE...: names of the distributions in these states
{
  local name state names=()
  while read -r name _ state; do
    [[ $name == "#" || " $* " != *" $state "* ]] || names+=("$name")
  done <"$TAKT_ROOT/takt_rclcpp/distributions"
  echo "${names[*]}"
}

# A build of another user runs in that user's environment, if it can be read. It is this user's who cannot build here.
takt_prefix_of_the_build()
{
  local key name=${TAKT_PREFIX##*/}
  [[ ! -e $TAKT_PREFIX/.complete && -r $TAKT_BUILD/.prefix && ! -w $TAKT_BUILD ]] || return 0
  key=$(<"$TAKT_BUILD/.prefix")
  key=${key%%"/$name "*}/$name
  if [[ -r $key/.complete && -x $key/bin/python3 ]]; then TAKT_PREFIX=$key; fi
}

# The distribution's own Python first: its headers and venv module come with the Debian packages.
takt_python() # VERSION...
{
  local candidate supported='import sys; sys.exit("%d.%d" % sys.version_info[:2] not in sys.argv[1:])'
  for candidate in /usr/bin/python3 python3 "${@/#/python}"; do
    if "$candidate" -c "$supported" "$@" 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

takt_paths
