#!/usr/bin/env bash
# The life of the package in a bare Debian system: installed, tried, upgraded, removed, purged. Runs there, as root.
#
#   life.sh ARCHITECTURE VERSION NEXT-VERSION COMPANION-PACKAGE…
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
architecture=$1 version=$2 next=$3
shift 3

fail() {
  echo "FAULT $*"
  exit 1
}

install() { apt-get -q -y -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root install --no-install-recommends "$@" >/tmp/apt 2>&1 || fail "$(tail -n 5 /tmp/apt)"; }

# Files that are not a cache, a log, or the package system's own.
everything() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /source -o -path /packages -o -path /next -o -path /out \
    -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -print | sort
}

apt-get -q update -o APT::Sandbox::User=root >/tmp/apt 2>&1 || fail "$(tail -n 3 /tmp/apt)"
# With systemd the recorder's user is made; that its unit runs is shown in the virtual machine.
# Units and users have the same names.
units="beacond beacons-record beacons-web beacons-gateway beacons-proxy"
install "$@" systemd libdbus-1-3 libstdc++6
command -v swift && fail "there is a Swift here"
# What an administrator may have written: a file that takes the place of the package's and names one of its users, and a unit.
mkdir -p /etc/sysusers.d /etc/systemd/system/multi-user.target.wants
echo 'u beacons-record - "The recorder of this house"' >/etc/sysusers.d/beacons.conf
printf '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/beacons-web.service
systemctl enable beacons-web.service 2>/dev/null
everything >/tmp/before

install "/packages/beaconctl_${version}_$architecture.deb"
[ "$(dpkg-query -W -f '${Version}' beaconctl)" = "$version" ] || fail "the version is not installed"
for name in $units; do getent passwd $name >/dev/null || fail "there is no user $name"; done
getent group beacons >/dev/null || fail "there is no group beacons"
getent passwd beacons-record | grep "of this house" >/dev/null || fail "the administrator's description of a user is not used"
for name in beacond beacons-record beacons-gateway beacons-proxy; do
  systemctl is-enabled $name.service 2>/dev/null | grep -q enabled && fail "$name.service is enabled by itself"
done
bash /source/tools/package.d/inside.sh

# An enabled unit, a recording and a decision survive an upgrade and a removal.
mkdir -p /var/lib/beacons/recordings
echo '{"v":1}' >/var/lib/beacons/recordings/scan.jsonl
mkdir -p /var/lib/beacons/service
echo '{}' >/var/lib/beacons/service/kept
# shellcheck disable=SC2086
systemctl enable $units 2>/dev/null || fail "the units cannot be enabled"
install "/next/beaconctl_$architecture.deb"
[ "$(dpkg-query -W -f '${Version}' beaconctl)" = "$next" ] || fail "the package is not upgraded"
beaconctl --version >/dev/null
for name in $units; do
  [ -e /etc/systemd/system/multi-user.target.wants/$name.service ] || fail "an upgrade disables $name.service"
done
[ -s /var/lib/beacons/recordings/scan.jsonl ] || fail "an upgrade loses a recording"
dpkg -V beaconctl || fail "files of the package are changed"

dpkg-reconfigure beaconctl >/tmp/apt 2>&1 || fail "it cannot be configured again: $(tail -n 5 /tmp/apt)"
dpkg -i "/packages/beaconctl_${version}_$architecture.deb" >/tmp/apt 2>&1 && fail "an older package replaces a newer one"
grep -q "newer than $version" /tmp/apt || fail "the refusal of an older package has no reason: $(tail -n 5 /tmp/apt)"
[ "$(dpkg-query -W -f '${Status} ${Version}' beaconctl)" = "install ok installed $next" ] || fail "a refused package changes the installed one"
beaconctl --version >/dev/null

dpkg -r beaconctl >/tmp/apt 2>&1 || fail "$(tail -n 5 /tmp/apt)"
[ -e /usr/bin/beaconctl ] && fail "the command stays after removal"
[ -s /var/lib/beacons/recordings/scan.jsonl ] || fail "a removal loses a recording"
[ -s /var/lib/beacons/service/kept ] || fail "a removal loses what users decided"
install "/packages/beaconctl_${version}_$architecture.deb"
for name in $units; do getent passwd $name >/dev/null || fail "a removal and an installation lose the user $name"; done
# An account that may read the recorder's files.
usermod -a -G beacons,beacons-record daemon
dpkg -P beaconctl >/tmp/apt 2>&1 || fail "$(tail -n 5 /tmp/apt)"
everything >/tmp/after
# man's index is its own; the account files keep a copy of their old contents.
diff /tmp/before /tmp/after | grep -E '^[<>]' | grep -vE '^> /etc/(passwd|group|shadow|gshadow|subuid|subgid)-$' >/tmp/left \
  && fail "after a purge there remain: $(head -n 10 /tmp/left | tr '\n' ' ')"
for name in $units; do getent passwd $name >/dev/null && fail "after a purge the user $name remains"; done
grep -qs beacons /etc/passwd /etc/group && fail "after a purge an account remains"
echo "installed, upgraded, removed and purged"
