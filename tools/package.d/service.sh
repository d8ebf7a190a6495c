#!/usr/bin/env bash
# Runs in the machine of service.py: the lives of the recorder and of the service for other programs under systemd.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
uuid=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
folder=/var/lib/beacons/recordings
# Units and users have the same names.
units="beacond beacons-record beacons-web beacons-gateway beacons-proxy"

fail() {
  echo "FAULT $*"
  systemctl status --no-pager $units bluetooth.service || true
  tail -n 20 /tmp/lines.* /tmp/said.* || true
  journalctl --no-pager -n 60 || true
  exit 1
}

# until_true SECONDS WHAT COMMAND…: the limits are for what never comes; this machine is slow while others build on it.
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
# As systemd makes it in a usual machine: units see the credentials that it mounts.
mount --make-rshared /
mkfifo /run/radio
/mnt/controller /mnt/schedule /mnt/controller.jsonl </run/radio &
exec 3>/run/radio
until_true 240 "the controller" test -e /sys/class/bluetooth/hci0
echo air >&3

dpkg -i /mnt/old.deb
systemctl is-active -q beacons-record.service && fail "the recorder runs without being asked"
systemctl enable --now beacons-record.service
until_true 300 "a recording" has_lines 200
[ "$(stat -c %U $folder/scan.jsonl)" = beacons-record ] || fail "the recording does not belong to the user beacons-record"
[ "$(stat -c %U /var/lib/beacons)" = root ] || fail "/var/lib/beacons does not belong to root"
echo "ok: installed; the recorder records as its user"

# The service: two programs of it, a unit and an account's, and who may administer it.
client=unit:proof-client.service
printf '[Service]\nExecStart=/usr/bin/python3 /mnt/client.py %s /tmp/lines.unit guide\n' $uuid \
  >/etc/systemd/system/proof-client.service
useradd --create-home anna
mkdir -p /run/systemd/system/beacond.service.d
printf '[Service]\nWatchdogSec=15\n' >/run/systemd/system/beacond.service.d/proof.conf
systemctl daemon-reload
systemctl enable --now beacond.service || fail "the service does not start"
systemctl is-active -q beacond.service || fail "the service is not active"
beaconctl auth set always --client $client || fail "root cannot grant"
systemctl start proof-client.service
# In a scope, as a login's programs are: what runs in a unit's group is the unit's.
as_anna() { systemd-run --quiet --scope --uid=anna /usr/bin/python3 /mnt/client.py $uuid "/tmp/lines.$1" "$1" >"/tmp/said.$1" 2>&1 & }
as_anna label
until_true 300 "an entry" grep -q '"type":"region.enter"\|"state":"inside"' /tmp/lines.unit
until_true 240 "the account's program" bash -c 'beaconctl service status | grep user:anna/label >/dev/null'
shows_grant() { beaconctl service status | grep "$client" | grep -i always >/dev/null; }
shows_grant || fail "the unit's grant is not shown: $(beaconctl service)"
grep -q '"state":"inside"' /tmp/lines.label && fail "a program without a grant is told of a region"
if runuser -u anna -- beaconctl auth set always --client user:anna/label 2>/tmp/refused; then fail "an account administers"; fi
usermod -a -G beacons anna
runuser -u anna -- beaconctl auth set always --client user:anna/label || fail "the group beacons does not administer"
until_true 240 "the account's region" grep -q '"state":"inside"' /tmp/lines.label
echo "ok: the unit is granted, the account is refused and then granted by the group"

# The page is fed by the service; its unit is not an administrator's, and an account's program gets nothing.
get() {
  exec 9<>"/dev/tcp/127.0.0.1/9743" || return 1
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "$1" >&9
  cat <&9
}
listens() { (get /metrics) 2>/dev/null | grep '^beacons_receiver_state{.*"listening".* 1' >/dev/null; }
systemctl enable --now beacons-web.service
until_true 240 "the page beside the service" listens
systemctl is-active -q beacons-web.service || fail "the page ended"
if runuser -u nobody -- beaconctl scan --from service: >/tmp/said.nobody 2>&1; then fail "an account reads the operator's stream"; fi
grep beacons-web < <(ps -o user:20= -p "$(systemctl show -P MainPID beacons-web.service)") >/dev/null || fail "the page runs as somebody else"
echo "ok: the page shows what the service receives"

# The proxy receives by itself next to the service, and reads its key as a credential. Without one it asks for it, and is not
# started again; with it, it greets.
proxy=beacons-proxy.service
systemctl enable --now $proxy || true
ended() { [ "$(systemctl show -P ActiveState $proxy)" = failed ]; }
until_true 240 "the end of a proxy without a key" ended
[ "$(systemctl show -P ExecMainStatus $proxy)" = 64 ] || fail "a proxy without a key ends otherwise"
journalctl -u $proxy --no-pager | grep "needs a key" >/dev/null || fail "a proxy without a key does not ask for it"
head -c 32 /dev/urandom | base64 | install -D -m 600 /dev/stdin /etc/beacons/proxy-key
systemctl reset-failed $proxy
systemctl start $proxy
# The first frames of a subscriber with Noise, and of one without, which is refused.
greets() {
  exec 9<>/dev/tcp/127.0.0.1/6053 || return 1
  printf '%b' "$1" >&9
  timeout 5 head -c 1 <&9 | od -An -tx1
}
is_encrypted() { [[ $(greets '\x01\x00\x00') = *01* ]]; }
until_true 240 "the proxy" is_encrypted
is_encrypted || fail "the proxy does not encrypt"
grep beacons-proxy < <(ps -o user:20= -p "$(systemctl show -P MainPID $proxy)") >/dev/null || fail "the proxy runs as another account"
echo "ok: the proxy asks for its key, and encrypts with it"

pid_of() { systemctl show -P MainPID beacond.service; }

# A grant that an administrator lays down holds after a reload, without another process.
old=$(pid_of)
install -D -m 644 /dev/stdin /etc/beacons/grants.d/proof.json5 <<<"{ client: 'user:anna/laid', authorization: 'always' }"
systemctl reload beacond.service || fail "the service cannot read its settings again"
until_true 300 "the service after a reload" systemctl is-active -q beacond.service
[ "$(pid_of)" = "$old" ] || fail "a reload starts another process"
as_anna laid
until_true 240 "the region of a grant that was laid down" grep -q '"state":"inside"' /tmp/lines.laid
echo "ok: a reload takes a grant that was laid down"

is_new() { local pid; pid=$(pid_of); [ "$pid" -gt 0 ] && [ "$pid" != "$1" ] && systemctl is-active -q beacond.service; }
# The client asks with the assumption that it is outside, which is not an exit.
no_exit() { ! grep -h '"type":"region.exit"\|"state":"outside"' /tmp/lines.* | grep -v '"origin":"assumed"'; }
milliseconds() { date +%s%3N; }

old=$(pid_of) begun=$(milliseconds)
kill -9 "$old"
until_true 240 "the service after kill -9" is_new "$old"
echo "the service is back $(($(milliseconds) - begun)) ms after kill -9"
sleep 15
no_exit || fail "kill -9 looks like an exit"
until_true 240 "the page, of the service that was started again" listens
old=$(pid_of)
kill -STOP "$old"
until_true 300 "the service that hung" is_new "$old"
journalctl -u beacond.service --no-pager | grep -i watchdog >/dev/null || fail "no watchdog ended the service that hung"
sleep 10
no_exit || fail "a watchdog's restart looks like an exit"
echo "ok: the watchdog ends a service that hangs"
systemctl restart bluetooth.service
sleep 15
no_exit || fail "a restart of bluetoothd looks like an exit"
echo "ok: a restart of bluetoothd is no exit"
serving=$(pid_of)

first=$(systemctl show -P MainPID beacons-record.service) before=$(lines)
kept=$(head -n 1 $folder/scan.jsonl)
echo "recorded $before lines as $(ps -o user= -p "$first")"

dpkg -i /mnt/next.deb
systemctl is-active -q beacons-record.service || fail "the recorder does not run after the upgrade"
second=$(systemctl show -P MainPID beacons-record.service)
[ "$first" != "$second" ] || fail "the recorder was not restarted"
until_true 240 "the service, restarted by the upgrade" is_new "$serving"
sleep 10
no_exit || fail "the upgrade looks like an exit to a program"
shows_grant || fail "the upgrade loses a grant"
[ "$(stat -c %U /var/lib/beacons/service)" = beacond ] || fail "the service's state does not belong to beacond"
# A program that was inside from its first line on has no crossing, and so no sequence.
sequences=$({ grep -ho '"sequence":[0-9]*' /tmp/lines.unit || true; } | sort | uniq -d)
[ -z "$sequences" ] || fail "crossings were repeated: $sequences"
echo "ok: upgraded without an exit, a lost grant or a repeated crossing"
systemctl stop proof-client.service
pkill -u anna || true
rm /etc/systemd/system/proof-client.service
until_true 300 "a recording after the upgrade" has_lines $((before + 200))
echo "recorded $(lines) lines in $(ls $folder | tr '\n' ' ')"
cat $folder/* | grep -xF "$kept" >/dev/null || fail "the upgrade loses what was recorded before"
systemctl stop beacons-record.service
# For whoever looks for the reason of a fault.
cp -r $folder /mnt/recordings
[ "$(systemctl show -P Result beacons-record.service)" = success ] || fail "the recorder did not end well"
from=()
while read -r file; do from+=(--from "$file"); done < <(printf '%s\n' $folder/*.jsonl* | sort -r)
beaconctl monitor "${from[@]}" -r lobby=$uuid --format jsonl >/tmp/events 2>/tmp/errors || fail "$(cat /tmp/errors)"
# While no receiver listened, at the restart of bluetoothd and at the upgrade, nothing is known: that is not an exit.
grep '"state":"inside"' /tmp/events >/dev/null || fail "the region is not found inside: $(cat /tmp/events /tmp/errors)"
grep '"type":"region.exit"\|"state":"outside"' /tmp/events && fail "the upgrade looks like an exit"

# A machine whose Bluetooth comes late: the service is started again for as long as that takes.
systemctl mask --runtime --now bluetooth.service
systemctl restart beacond.service || true
starts() { [ "$(systemctl show -P NRestarts beacond.service)" -ge 6 ]; }
until_true 300 "a service without Bluetooth is started again and again" starts
systemctl unmask --runtime bluetooth.service
systemctl start bluetooth.service
until_true 240 "the service once there is Bluetooth" systemctl is-active -q beacond.service
echo "ok: the service waits for Bluetooth"

systemctl start beacons-record.service
dpkg -r beaconctl
for name in $units; do systemctl is-active -q $name.service && fail "$name.service runs after removal"; done
has_lines 200 || fail "a removal loses recordings"
dpkg -P beaconctl
[ ! -e /var/lib/beacons ] || fail "a purge leaves recordings"
# shellcheck disable=SC2086
getent passwd $units && fail "a purge leaves a user"
getent group beacons && fail "a purge leaves the group"
systemctl list-unit-files beacond.service "beacons-*.service" --no-legend | grep . && fail "a purge leaves a unit"
echo "the service holds"
