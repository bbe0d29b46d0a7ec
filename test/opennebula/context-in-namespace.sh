#!/bin/bash
# Installs what an mmeliot VM needs into an empty root, boots the context script there, in namespaces of its own, and prints what came of it.
#
#   context-in-namespace.sh PROJECT ROOT [NAME=value …]     the context variables
# shellcheck source=../helpers/vm-root.sh
. "$(dirname "$0")/../helpers/vm-root.sh"

bash "$project/opennebula/templates/install-vm.sh" "$root/opt/mmeliot" "$root"
grep -q '^mmeliot:' "$root/etc/passwd" && echo "user: created"

status=0
inside "$@" /etc/one-context.d/net-90-mmeliot network || status=$?
echo "status: $status"
if [[ $status -eq 0 ]]; then
  await_report
  [[ -e $root/tmp/reported ]] && echo "agent: reported"
  tell_environment
  inside systemd-analyze verify --man=no /etc/systemd/system/mmeliot-vm.service && echo 'unit: verified'
else
  cat "$root/tmp/service.log" 2>/dev/null || true
fi
