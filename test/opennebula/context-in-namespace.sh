#!/bin/bash
# Installs what an mmeliot VM needs into an empty root, boots the context script there, in namespaces of its own
# (mounts, network, processes), and prints what came of it. Everything it started ends with it.
#
#   context-in-namespace.sh PROJECT ROOT [NAME=value …]     the context variables
set -euo pipefail

if [[ ${IN_NAMESPACE:-} != yes ]]; then
  export IN_NAMESPACE=yes
  exec unshare --map-root-user --mount --net --pid --fork --kill-child "$0" "$@"
fi

project=$1 root=$2
shift 2

# A root as a VM has it: the system's programs, and an /etc, /opt, /run and /tmp of its own.
mkdir -p "$root"/{usr,etc,opt/mmeliot,dev,proc,run,tmp,stub}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --bind "$project" "$root/opt/mmeliot"
mount -o remount,bind,ro "$root/opt/mmeliot"
cp /etc/{passwd,group,login.defs,ld.so.cache} "$root/etc/"
ip link set lo up

bash "$project/opennebula/templates/install-vm.sh" "$root/opt/mmeliot" "$root"
grep -q '^mmeliot:' "$root/etc/passwd" && echo "user: created"

# The one thing that is not there is a running systemd: this does what the unit file says.
cat >"$root/stub/systemctl" <<'STUB'
#!/bin/bash
echo "systemctl $*" >>/tmp/systemctl.log
[[ $1 == restart ]] || exit 0
unit=/etc/systemd/system/$2
set -a
. "$(sed -n 's/^EnvironmentFile=//p' "$unit")"
setsid bash -c "exec $(sed -n 's/^ExecStart=//p' "$unit")" >/tmp/service.log 2>&1 </dev/null &
STUB
chmod +x "$root/stub/systemctl"

inside() {
  chroot "$root" /usr/bin/env -i PATH=/stub:/usr/bin:/usr/sbin HOME=/tmp "$@"
}

collector="require('dgram').createSocket('udp4').on('message', () => {
  require('fs').writeFileSync('/tmp/reported', ''); process.exit();
}).bind(9999, '127.0.0.1')"
inside /opt/mmeliot/node_modules/node/bin/node -e "$collector" &

status=0
inside "$@" /etc/one-context.d/net-90-mmeliot network || status=$?
echo "status: $status"
if [[ $status -eq 0 ]]; then
  for _ in $(seq 100); do
    [[ -e $root/tmp/reported ]] && break
    sleep 0.2
  done
  [[ -e $root/tmp/reported ]] && echo "agent: reported"
  echo "environment: $(stat -c %a "$root/etc/mmeliot/vm.env")"
  # shellcheck disable=SC2016 # expanded inside
  inside bash -c 'set -a; . /etc/mmeliot/vm.env; printf "secret: %s\n" "$(printf %s "$MMELIOT_SECRET" | base64 -w0)"'
  inside systemd-analyze verify --man=no /etc/systemd/system/mmeliot-vm.service && echo 'unit: verified'
else
  cat "$root/tmp/service.log" 2>/dev/null || true
fi
