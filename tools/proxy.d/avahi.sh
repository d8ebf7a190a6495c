#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
# Runs avahi.py with Debian's avahi-daemon, in a separate network and with an account 'avahi': avahi.sh PYTHON BEACONCTL.
source "$(dirname "$0")/../common.sh"

if [ -z "${BEACONS_AVAHI-}" ]; then
  export BEACONS_AVAHI=${BEACONS_CACHE:-$HOME/.cache/beacons}/avahi
  if [ ! -x "$BEACONS_AVAHI/usr/sbin/avahi-daemon" ]; then
    packages=$(mktemp -d)
    trap 'rm -rf "$packages"' EXIT
    (cd "$packages" && apt-get -q -o APT::Sandbox::User="$(id -un)" download \
      avahi-daemon libavahi-common3 libavahi-core7 libdaemon0) >&2 || fail "avahi-daemon cannot be fetched; is this Debian?"
    for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$BEACONS_AVAHI"; done
  fi
  exec unshare --map-root-user --mount --net bash "$0" "$@"
fi
ip link set lo up multicast on
ip route add 224.0.0.0/4 dev lo
accounts=$(mktemp -d)
for file in passwd group; do
  { cat /etc/$file; [ $file = passwd ] && echo 'avahi:x:0:0::/:/bin/false' || printf 'avahi:x:0:\nnetdev:x:65532:\n'; } >"$accounts/$file"
  mount --bind "$accounts/$file" /etc/$file
done
mount -t tmpfs none /run
exec env PYTHONDONTWRITEBYTECODE=1 "$1" "$root/tools/proxy.d/avahi.py" "$BEACONS_AVAHI" "$2"
