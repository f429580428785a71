#!/usr/bin/env bash
# Installs the Debian packages that takt is built with, where they are missing.
# Asks nothing when all are there; prints the command before it is run otherwise. Needs nothing but
# what every Debian has: a fresh machine may not even have Python.
set -euo pipefail
# shellcheck source=tools/setup/say.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/say.sh"

packages=(
  build-essential cmake ninja-build ccache python3-venv python3-dev
  libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev libreaderwriterqueue-dev
  libgtest-dev libgmock-dev libbenchmark-dev clang-format-14 pkg-config
)

command -v dpkg-query >/dev/null ||
  takt_die "this set-up is for Debian 12 and Ubuntu 22.04 or 24.04, but this system has no dpkg"

missing=()
# The query exits with 1 when one of the packages is unknown; its output is complete all the same.
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
for package in "${packages[@]}"; do
  grep -qx "$package installed" <<<"$installed" || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null ||
    takt_die "root rights are needed to install ${missing[*]}, but this system has no sudo; install them as root"
  as_root=(sudo)
  # Without a terminal the user cannot type a password.
  [[ -t 0 ]] || as_root=(sudo -n)
fi

run()
{
  printf '+ %s\n' "$*" >&2
  "$@" </dev/null
}
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0)
install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
# Package lists that are already there will often do; fetch them only when they do not. An installation
# that was interrupted must be finished first.
if ! run "${install[@]}"; then
  run "${as_root[@]}" dpkg --configure -a || true
  run "${apt[@]}" update || true
  run "${install[@]}" ||
    takt_die "could not install ${missing[*]}: no network, no rights, or no such package (see above)"
fi
