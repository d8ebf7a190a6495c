#!/usr/bin/env bash
# Installs the command from the apt repository in a bare Debian system, as docs/install.md has it, tries it, upgrades it, and is refused
# an older one. Runs there, as root.
#
#   install.sh ADDRESS PUBLISHED-ADDRESS VERSION NEXT-VERSION
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
address=$1 published=$2 version=$3 next=$4

fail() {
  echo "FAULT $*"
  exit 1
}

quietly() { "$@" >/tmp/apt 2>&1 || fail "$*: $(tail -n 5 /tmp/apt)"; }
installed() { dpkg-query -W -f '${Status} ${Version}' beaconctl; }
# Seconds of CPU that `times` counted: a busy machine changes those of the clock.
used() { awk '{ for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } } END { printf "%.1f", sum }' /tmp/times; }

# A namespace of one account has no user for apt's sandbox.
echo 'APT::Sandbox::User "root";' >/etc/apt/apt.conf.d/00sandbox
# add REPOSITORY: a bare system has no curl; what apt itself fetches with is there.
add() {
  quietly /usr/lib/apt/apt-helper download-file "$address/$1/beacons.sources" /tmp/beacons.sources
  sed "s|$published|$address/$1|" /tmp/beacons.sources >/etc/apt/sources.list.d/beacons.sources
}

start=$(date +%s%N)
add apt
quietly apt-get -q update
quietly apt-get -q -y -o Dpkg::Use-Pty=0 install beaconctl
begun=$(date +%s%N)
beaconctl demo >/tmp/demo 2>/tmp/errors </dev/null &
until grep -q 'You are in the museum' /tmp/demo; do
  kill -0 $! 2>/dev/null || fail "demo: $(tail -n 3 /tmp/errors)"
  sleep 0.1
done
end=$(date +%s%N)
wait $! || fail "demo: $(tail -n 3 /tmp/errors)"
times >/tmp/times
[ "$(installed)" = "install ok installed $version" ] || fail "installed is: $(installed)"
grep -q '/report.html$' /tmp/demo || fail "the demo writes no report"
[ -s /usr/share/man/man1/beaconctl.1.gz ] || echo "(this system leaves out manual pages)"
# The promise of docs/install.md; an emulated processor takes longer.
[ "$(uname -m)" != x86_64 ] || [ $((end - start)) -le 60000000000 ] || fail "the events of the demo come $(((end - start) / 1000000000)) s after the first command"
echo "installed after $(((begun - start) / 1000000000)) s; events of the demo after $(((end - start) / 1000000000)) s, $(used) s of CPU until its end; $(grep -c . /tmp/demo) lines"

# The next version reads the files of the first.
useradd --create-home anna
as_anna() { su anna -s /bin/bash -c "cd; export LC_ALL=C.UTF-8 BEACONS_CONFIG=none; $*"; }
capture=/source/Fixtures/captures/walk.btsnoop uuid=F7826DA6-4FA2-4E98-8024-BC5B71E0893E
as_anna "beaconctl auth set whenInUse --client proof" >/dev/null
as_anna "beaconctl monitor --from $capture -r hall=$uuid --drain --state kept --history history --format jsonl" >/dev/null
as_anna "beaconctl convert $capture recording.jsonl"
looks() { as_anna "beaconctl auth status --client proof; beaconctl history receivers --history history --since 2026-05-01 --format jsonl; find . -type f ! -name lock | sort | xargs sha256sum"; }
looks >/tmp/before
grep -q authorizedWhenInUse /tmp/before && grep -q history.receiver /tmp/before || fail "no grant, or no history: $(head -n 3 /tmp/before)"
add next
quietly apt-get -q update
quietly apt-get -q -y -o Dpkg::Use-Pty=0 upgrade
[ "$(installed)" = "install ok installed $next" ] || fail "after the upgrade installed is: $(installed)"
looks >/tmp/after
diff /tmp/before /tmp/after || fail "the upgrade changes a user's files"
as_anna "beaconctl range --from recording.jsonl -s $uuid --format csv" | grep -q . || fail "a recording is not read after the upgrade"
echo "upgraded; grants, regions, history and recordings are the same"

# An older version is refused by apt, and by the package itself.
add apt
quietly apt-get -q update
apt-get -q -y -o Dpkg::Use-Pty=0 install --allow-downgrades "beaconctl=$version" >/tmp/apt 2>&1 && fail "an older version replaces a newer one"
grep "newer than $version" /tmp/apt || fail "the refusal has no reason: $(tail -n 5 /tmp/apt)"
[ "$(installed)" = "install ok installed $next" ] || fail "after a refused downgrade installed is: $(installed)"
diff <(looks) /tmp/before || fail "a refused downgrade changes a user's files"
echo "a downgrade is refused"

# A repository that another key signed is not used.
sed 's/^ [0-9A-Za-z+/=]\{64\}$/ AAAA/' /etc/apt/sources.list.d/beacons.sources >/tmp/changed
mv /tmp/changed /etc/apt/sources.list.d/beacons.sources
rm -rf /var/lib/apt/lists/*
apt-get -q update >/tmp/apt 2>&1 || true
if find /var/lib/apt/lists -name '127.0.0.1*Packages*' | grep -q .; then fail "a repository that another key signed is used"; fi
echo "a repository with another key is refused: $(grep -m1 -oE 'NO_PUBKEY|not signed|Missing key|Signing key|Malformed packet' /tmp/apt)"
