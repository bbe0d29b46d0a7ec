#!/bin/bash
# Makes the VM image of an mmeliot fleet from a Debian cloud image.
#
#   make-image.sh BASE.qcow2 ONE-CONTEXT.deb MMELIOT OUT.qcow2
#
# BASE         Debian 12 or later, the "genericcloud" image of the distribution
# ONE-CONTEXT  OpenNebula's context package for the guest, from the releases of OpenNebula/one-apps
# MMELIOT      a folder with mmeliot in which `npm ci` has run (see install-vm.sh)
# OUT          is written; register it with:
#              oneimage create --name mmeliot-epcis --path OUT.qcow2 --datastore default --prefix vd
#
# Needs virt-customize (package libguestfs-tools) and qemu-img (qemu-utils) on the machine where it runs.
set -euo pipefail

if [[ $# -ne 4 ]]; then
  sed -n '4s/^# *//p' "$0" >&2
  exit 2
fi
base=$1 context=$2 mmeliot=$3 out=$4
here=$(dirname "$(readlink -f "$0")")

for file in "$base" "$context" "$mmeliot/src/cli/mmeliot.js" "$mmeliot/node_modules/node/bin/node"; do
  [[ -e $file ]] || {
    echo "make-image.sh: $file does not exist." >&2
    exit 2
  }
done
for program in qemu-img virt-customize; do
  command -v "$program" >/dev/null || {
    echo "make-image.sh: $program is missing; install libguestfs-tools and qemu-utils." >&2
    exit 2
  }
done

qemu-img convert -O qcow2 "$base" "$out.new"
staging=$(mktemp -d)
trap 'rm -rf "$staging" "$out.new"' EXIT
cp -a "$mmeliot" "$staging/mmeliot"
cp "$here"/{install-vm.sh,net-90-mmeliot,mmeliot-vm.service} "$staging"
cp "$context" "$staging/one-context.deb"

# cloud-init goes: it and OpenNebula's contextualisation would both configure the network.
virt-customize -a "$out.new" \
  --run-command 'apt-get -y purge cloud-init || true' \
  --copy-in "$staging/mmeliot:/opt" \
  --copy-in "$staging/install-vm.sh:/root" \
  --copy-in "$staging/net-90-mmeliot:/root" \
  --copy-in "$staging/mmeliot-vm.service:/root" \
  --copy-in "$staging/one-context.deb:/root" \
  --run-command 'apt-get -y update && apt-get -y install /root/one-context.deb' \
  --run-command 'bash /root/install-vm.sh /opt/mmeliot' \
  --run-command 'rm /root/install-vm.sh /root/net-90-mmeliot /root/mmeliot-vm.service /root/one-context.deb' \
  --run-command 'apt-get clean && truncate -s 0 /etc/machine-id'
mv "$out.new" "$out"
echo "$out is made."
