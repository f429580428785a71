#!/usr/bin/env bash
# Everything that a build needs: Debian packages, Python, ROS 2. Quick when it is all there.
set -euo pipefail
here=$(dirname -- "${BASH_SOURCE[0]}")
"$here/debian.sh"
"$here/prefix.sh"
