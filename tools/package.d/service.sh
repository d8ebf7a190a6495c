#!/usr/bin/env bash
# Runs in the machine of service.py: the recorder's life under systemd.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
uuid=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
folder=/var/lib/beacons/recordings

fail() {
  echo "FAULT $*"
  systemctl status --no-pager beacons-record.service bluetooth.service || true
  journalctl --no-pager -n 60 || true
  exit 1
}

# until_true SECONDS WHAT COMMAND…
until_true() {
  local seconds=$1 what=$2 end=$((SECONDS + $1))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "$what: not within $seconds s"
    sleep 0.5
  done
}
lines() { cat $folder/* 2>/dev/null | grep -c '"type":"report"\|"t":' || true; }
has_lines() { [ "$(lines)" -ge "$1" ]; }

# The index of all manual pages would take minutes here.
rm -f /var/lib/man-db/auto-update
# Some images forbid packages to start services.
rm -f /usr/sbin/policy-rc.d
mkfifo /run/radio
/mnt/controller /mnt/schedule /mnt/controller.jsonl </run/radio &
exec 3>/run/radio
until_true 60 "the controller" test -e /sys/class/bluetooth/hci0
echo air >&3

dpkg -i /mnt/old.deb
systemctl is-active -q beacons-record.service && fail "the recorder runs without being asked"
systemctl enable --now beacons-record.service
until_true 120 "a recording" has_lines 200
[ "$(stat -c %U $folder/scan.jsonl)" = beacons ] || fail "the recording does not belong to the user beacons"
[ "$(stat -c %U /var/lib/beacons)" = root ] || fail "/var/lib/beacons does not belong to root"
first=$(systemctl show -P MainPID beacons-record.service) before=$(lines)
kept=$(head -n 1 $folder/scan.jsonl)
echo "recorded $before lines as $(ps -o user= -p "$first")"

dpkg -i /mnt/next.deb
systemctl is-active -q beacons-record.service || fail "the recorder does not run after the upgrade"
second=$(systemctl show -P MainPID beacons-record.service)
[ "$first" != "$second" ] || fail "the recorder was not restarted"
until_true 120 "a recording after the upgrade" has_lines $((before + 200))
echo "recorded $(lines) lines in $(ls $folder | tr '\n' ' ')"
cat $folder/* | grep -xF "$kept" >/dev/null || fail "the upgrade loses what was recorded before"
systemctl stop beacons-record.service
# For whoever looks for the reason of a fault.
cp -r $folder /mnt/recordings
[ "$(systemctl show -P Result beacons-record.service)" = success ] || fail "the recorder did not end well"
from=()
for file in $(ls -r $folder/*.jsonl*); do from+=(--from "$file"); done
beaconctl monitor "${from[@]}" -r lobby=$uuid --format jsonl >/tmp/events 2>/tmp/errors || fail "$(cat /tmp/errors)"
[ "$(grep -c '"state":"inside"' /tmp/events)" -eq 1 ] || fail "the region is not found inside once: $(cat /tmp/events /tmp/errors)"
grep '"type":"region.exit"\|"state":"outside"' /tmp/events && fail "the upgrade looks like an exit"

systemctl start beacons-record.service
dpkg -r beaconctl
systemctl is-active -q beacons-record.service && fail "the recorder runs after removal"
has_lines 200 || fail "a removal loses recordings"
dpkg -P beaconctl
[ ! -e /var/lib/beacons ] || fail "a purge leaves recordings"
getent passwd beacons && fail "a purge leaves the user"
systemctl list-unit-files beacons-record.service --no-legend | grep . && fail "a purge leaves the unit"
echo "the service holds"
