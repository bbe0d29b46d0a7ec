#!/bin/bash
# Runs a VM's user data, as cloud-init does at its first boot, in an empty root and in namespaces of its own, and prints what came of it.
#
#   boot-in-namespace.sh PROJECT ROOT USER-DATA
#
# A metadata service (metadata-service.ts) is where an instance has it,
# at http://169.254.169.254.
# shellcheck source=../helpers/vm-root.sh
. "$(dirname "$0")/../helpers/vm-root.sh"

cp "$1" "$root/tmp/user-data"
ip address add 169.254.169.254/32 dev lo
inside "$node" --no-warnings /opt/mmeliot/test/ec2/metadata-service.ts &

status=0
inside bash /tmp/user-data || status=$?
echo "status: $status"
await_report
[[ -e $root/tmp/reported ]] || cat "$root/tmp/service.log"
echo "reported as: $(cut -d ' ' -f 2,3 "$root/tmp/reported")"
tell_environment
cat "$root/tmp/systemctl.log"
