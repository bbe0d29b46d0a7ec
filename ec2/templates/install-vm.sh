#!/bin/bash
# Puts what an mmeliot VM needs into a Debian with cloud-init, such as Debian's own image for EC2: the program, the unit, a user.
#
#   install-vm.sh MMELIOT [ROOT]
#
# MMELIOT is a folder with mmeliot in which `npm ci` has run, on the same kind of machine as the VMs (it brings its
# own Node.js). ROOT is the root folder of the VM's disk, / when left out.
# Run it on an instance that then becomes an image, or let setup-vm.sh do so at each VM's first boot.
set -euo pipefail

mmeliot=${1:?the folder with mmeliot is missing}
root=${2:-/}
here=$(dirname "$(readlink -f "$0")")

[[ -x $mmeliot/node_modules/node/bin/node && -f $mmeliot/src/cli/mmeliot.js ]] || {
  echo "install-vm.sh: $mmeliot is no folder of mmeliot in which npm ci has run." >&2
  exit 2
}

mkdir -p "$root/opt" "$root/etc/systemd/system" "$root/etc/mmeliot"
if [[ $(readlink -f "$mmeliot") != $(readlink -m "$root/opt/mmeliot") ]]; then
  rm -rf "$root/opt/mmeliot"
  cp -a "$mmeliot" "$root/opt/mmeliot"
fi
install -m 644 "$here/mmeliot-vm.service" "$root/etc/systemd/system/mmeliot-vm.service"
chroot "$root" id mmeliot >/dev/null 2>&1 ||
  chroot "$root" useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin mmeliot
