# shellcheck shell=bash
# Sourced by a script that is given PROJECT and ROOT first: an empty root as a VM has it, with the project in /opt/mmeliot, and
# namespaces of its own (mounts, network, processes). Everything that is started there ends with the script.
set -euo pipefail

if [[ ${IN_NAMESPACE:-} != yes ]]; then
  export IN_NAMESPACE=yes
  exec unshare --map-root-user --mount --net --pid --fork --kill-child "$0" "$@"
fi

project=$1 root=$2
shift 2

# The system's programs, and an /etc, /opt, /run and /tmp of its own.
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

# The manager's collector: keeps the first load report.
inside "$node" -e "require('dgram').createSocket('udp4').on('message', (text) => {
  require('fs').writeFileSync('/tmp/reported', String(text)); process.exit();
}).bind(9999, '127.0.0.1')" &

await_report() {
  for _ in $(seq 150); do
    [[ -e $root/tmp/reported ]] && return
    sleep 0.2
  done
}

tell_environment() {
  echo "environment: $(stat -c %a "$root/etc/mmeliot/vm.env")"
  # shellcheck disable=SC2016 # expanded inside
  inside bash -c 'set -a; . /etc/mmeliot/vm.env; printf "secret: %s\n" "$(printf %s "$MMELIOT_SECRET" | base64 -w0)"'
}
