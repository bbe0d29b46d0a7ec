#!/bin/bash
# Runs a VM's user data, as cloud-init does at its first boot, in an empty root and in namespaces of its own (mounts, network,
# processes), and prints what came of it. Everything it started ends with it.
#
#   boot-in-namespace.sh PROJECT ROOT USER-DATA
#
# A metadata service (metadata-service.ts) is where an instance has it,
# at http://169.254.169.254.
set -euo pipefail

if [[ ${IN_NAMESPACE:-} != yes ]]; then
  export IN_NAMESPACE=yes
  exec unshare --map-root-user --mount --net --pid --fork --kill-child "$0" "$@"
fi

project=$1 root=$2 data=$3

# A root as a VM has it: the system's programs, and an /etc, /opt, /run and /tmp of its own.
mkdir -p "$root"/{usr,etc,opt,dev,proc,run,tmp,stub}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp /etc/{passwd,group,login.defs,ld.so.cache} "$root/etc/"
cp "$data" "$root/tmp/user-data"
ip link set lo up
ip address add 169.254.169.254/32 dev lo

# mmeliot is there, as after the download.
mkdir -p "$root/opt/mmeliot"
mount --bind "$project" "$root/opt/mmeliot"
mount -o remount,bind,ro "$root/opt/mmeliot"

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
node=/opt/mmeliot/node_modules/node/bin/node

inside "$node" --no-warnings /opt/mmeliot/test/ec2/metadata-service.ts &
collector="require('dgram').createSocket('udp4').on('message', (text) => {
  require('fs').writeFileSync('/tmp/reported', String(text)); process.exit();
}).bind(9999, '127.0.0.1')"
inside "$node" -e "$collector" &

status=0
inside bash /tmp/user-data || status=$?
echo "status: $status"
for _ in $(seq 150); do
  [[ -e $root/tmp/reported ]] && break
  sleep 0.2
done
[[ -e $root/tmp/reported ]] || cat "$root/tmp/service.log"
echo "reported as: $(cut -d ' ' -f 2,3 "$root/tmp/reported")"
echo "environment: $(stat -c %a "$root/etc/mmeliot/vm.env")"
# shellcheck disable=SC2016 # expanded inside
inside bash -c 'set -a; . /etc/mmeliot/vm.env; printf "secret: %s\n" "$(printf %s "$MMELIOT_SECRET" | base64 -w0)"'
cat "$root/tmp/systemctl.log"
