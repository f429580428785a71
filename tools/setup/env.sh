# shellcheck shell=bash
# Source this to work inside takt's environment:
#
#   source tools/setup/env.sh [DISTRIBUTION]
#
# It exports what colcon, CMake, pkg-config, ROS 2, the installed takt programs and `python -m takt_cli` need, and
# does nothing else: the environment must have been set up (`make setup`, or any other target).
# A script says `source env.sh ""`, or its own first argument would be taken for the distribution.

[[ -n ${1:-} ]] && ROS=$1
# shellcheck source=tools/setup/paths.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/paths.sh"

takt_prepend() # VARIABLE DIRECTORY...: put the directories in front, each once
{
  local name=$1 value=${!1:-} directory
  shift
  for directory in "$@"; do
    value=:$value:
    value=${value//:"$directory":/:}
    value=${value#:}
    value=${value%:}
    value=$directory${value:+:$value}
  done
  export "$name=$value"
}

takt_env()
{
  if [[ $TAKT_ROS_FROM == wheels ]]; then
    # Whatever else is sourced would be mixed in, and is of another distribution or none.
    [[ -n ${AMENT_PREFIX_PATH:-} && -z ${TAKT_ENV:-} ]] &&
      takt_say "using ROS 2 $TAKT_ROS from wheels, not the sourced ${ROS_DISTRO:-one}"
    unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH LD_LIBRARY_PATH
    takt_prepend AMENT_PREFIX_PATH "$TAKT_PREFIX"
    takt_prepend CMAKE_PREFIX_PATH "$TAKT_PREFIX"
    if [[ -n $TAKT_RCLCPP ]]; then
      takt_prepend AMENT_PREFIX_PATH "$TAKT_RCLCPP"
      takt_prepend CMAKE_PREFIX_PATH "$TAKT_RCLCPP"
      # As its own set-up would: rmw opens type supports of messages by name.
      takt_prepend LD_LIBRARY_PATH "$TAKT_RCLCPP/lib"
    fi
    export ROS_DISTRO=$TAKT_ROS ROS_VERSION=2 ROS_PYTHON_VERSION=3
  fi
  export TAKT_ROOT TAKT_ROS TAKT_ROS_DEFAULT TAKT_ROS_FROM TAKT_PREFIX TAKT_BUILD TAKT_INSTALL TAKT_RCLCPP
  export TAKT_ENV=1
  # CMake takes the Python of an active virtual environment, not the newest one it finds.
  export VIRTUAL_ENV=$TAKT_PREFIX
  unset PYTHONHOME
  takt_prepend PATH "$TAKT_PREFIX/bin"
  export LANG=${LANG:-C.UTF-8}
}

# What was built, on top. The builder leaves this out: colcon adds each package's own dependencies.
takt_overlay()
{
  takt_prepend AMENT_PREFIX_PATH "$TAKT_INSTALL"
  takt_prepend CMAKE_PREFIX_PATH "$TAKT_INSTALL"
  takt_prepend LD_LIBRARY_PATH "$TAKT_INSTALL/lib"
  takt_prepend PKG_CONFIG_PATH "$TAKT_INSTALL/lib/pkgconfig"
  takt_prepend PATH "$TAKT_INSTALL/bin"
  takt_prepend PYTHONPATH "$TAKT_INSTALL/lib/python$TAKT_PYTHON_VERSION/site-packages" "$TAKT_ROOT/takt_cli"
}

takt_env
[[ ${TAKT_OVERLAY:-1} == 1 ]] && takt_overlay
true
