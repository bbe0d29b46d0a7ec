#!/usr/bin/env bash
# Brings what the tests need besides npm packages, from the system's packages when it may; else says exactly what is missing.
set -euo pipefail

# command, or file → Debian package
declare -A NEEDED=(
  [mariadbd]=mariadb-server
  [/usr/lib/galera/libgalera_smm.so]=galera-4
  [rsync]=rsync
  [lsof]=lsof
  [chromium]=chromium
  [haproxy]=haproxy
  [zsh]=zsh
  [fish]=fish
  [promtool]=prometheus
  [shellcheck]=shellcheck
  [systemd-analyze]=systemd
  [ip]=iproute2
  [iptables]=iptables
  [unshare]=util-linux
  [openssl]=openssl
)
export PATH="$PATH:/usr/sbin:/usr/local/sbin"

missing() {
  for command in "${!NEEDED[@]}"; do
    command -v "$command" >/dev/null || [ -e "$command" ] || echo "${NEEDED[$command]}"
  done | sort -u
}

# An EC2 that others wrote, for one test; where it can't be had that test isn't there, and the run says so.
moto() {
  local folder=node_modules/.cache/moto
  [ -d "$folder/moto" ] && return
  echo "Installing what the tests of EC2 compare with: moto 5.2.5"
  rm -rf "$folder"
  if ! python3 -m pip install --quiet --disable-pip-version-check --target "$folder.new" moto==5.2.5 flask flask-cors >/dev/null 2>&1; then
    rm -rf "$folder.new"
    echo "moto can't be installed from here (python3 -m pip install moto): EC2 is tested without it."
    return
  fi
  mv "$folder.new" "$folder"
}
cd "$(dirname "$0")/.."
moto

packages=$(missing)
[ -z "$packages" ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
if command -v apt-get >/dev/null && "${as_root[@]}" true 2>/dev/null; then
  echo "Installing what the tests need: ${packages//$'\n'/ }"
  # no service is started: the tests run private servers of their own
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  "${as_root[@]}" apt-get update -qq
  # shellcheck disable=SC2086
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi

packages=$(missing)
if [ -n "$packages" ]; then
  echo "The tests need these packages, which are not installed and could not be installed from here: ${packages//$'\n'/ }" >&2
  echo "On Debian: sudo apt-get install ${packages//$'\n'/ }" >&2
  exit 1
fi
