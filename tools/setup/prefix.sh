#!/usr/bin/env bash
# Fills the environment's prefix: a Python virtual environment with the locked packages and, unless a
# ROS 2 is sourced, ROS 2 from wheels, repaired for C++.
#
# The stamp is written last. A prefix without it is filled anew, because an interrupted installer or
# patchelf may leave half a file; what was downloaded is kept by pip and not fetched again. Several
# processes may call this at once: one works, the others wait for it.
set -euo pipefail
here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=tools/setup/paths.sh
source "$here/paths.sh"

stamp=$TAKT_PREFIX/.complete
[[ -e $stamp ]] && exit 0

mkdir -p -- "$(dirname -- "$TAKT_PREFIX")" || takt_die "cannot write to ${TAKT_PREFIX%/*}"
exec 9>"$TAKT_PREFIX.lock"
flock --nonblock 9 || { takt_say "waiting for another set-up of the same environment"; flock 9; }
[[ -e $stamp ]] && exit 0

takt_say "setting up ROS 2 $TAKT_ROS ($TAKT_ROS_FROM) in $TAKT_PREFIX (half a minute, and downloads)"
venv=("$TAKT_PYTHON" -m venv --clear)
[[ $TAKT_ROS_FROM == sourced ]] && venv+=(--system-site-packages)
"${venv[@]}" "$TAKT_PREFIX" || takt_die "could not create a Python environment in $TAKT_PREFIX"

pip()
{
  env -u PYTHONPATH _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    "$TAKT_PREFIX/bin/python3" -m pip --no-input install --quiet --require-hashes --no-deps "$@" ||
    takt_die "could not fetch the locked Python packages: no network, or the package index is not reachable"
}

# One package comes as source; its build tools are pinned too, so they go first.
sed -n '/^\(packaging\|setuptools\|wheel\)==/,/[^\]$/p' "$TAKT_LOCK" >"$TAKT_PREFIX/build-tools.txt"
pip -r "$TAKT_PREFIX/build-tools.txt"
pip --no-build-isolation --use-pep517 -r "$TAKT_LOCK"
if [[ $TAKT_ROS_FROM == wheels ]]; then
  _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 "$TAKT_PREFIX/bin/python3" "$here/repair.py" ||
    takt_die "could not repair the ROS 2 wheels for C++ (see above)"
  # What every ROS 2 prefix has; the workspaces that colcon builds on top of this one source it.
  for file in local_setup.sh local_setup.bash setup.sh setup.bash; do
    cat >"$TAKT_PREFIX/$file" <<EOF
# ROS 2 $TAKT_ROS from wheels. Source this, or what a workspace on top of it installs.
case ":\${AMENT_PREFIX_PATH:-}:" in
  *":$TAKT_PREFIX:"*) ;;
  *) export AMENT_PREFIX_PATH="$TAKT_PREFIX\${AMENT_PREFIX_PATH:+:\$AMENT_PREFIX_PATH}" ;;
esac
case ":\${CMAKE_PREFIX_PATH:-}:" in
  *":$TAKT_PREFIX:"*) ;;
  *) export CMAKE_PREFIX_PATH="$TAKT_PREFIX\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}" ;;
esac
case ":\${LD_LIBRARY_PATH:-}:" in
  *":$TAKT_PREFIX/lib:"*) ;;
  *) export LD_LIBRARY_PATH="$TAKT_PREFIX/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" ;;
esac
case ":\${PATH:-}:" in
  *":$TAKT_PREFIX/bin:"*) ;;
  *) export PATH="$TAKT_PREFIX/bin\${PATH:+:\$PATH}" ;;
esac
export VIRTUAL_ENV="$TAKT_PREFIX" TAKT_ROS_FROM=wheels
export ROS_DISTRO=$TAKT_ROS ROS_VERSION=2 ROS_PYTHON_VERSION=3
EOF
  done
fi
touch -- "$stamp"
