#!/usr/bin/env bash
# Runs what must give the same bytes on every architecture and system, for the proof to compare: each command that computes.
#
#   figures.sh COMMAND FOLDER    the project is the working folder; FOLDER is emptied. Needs mosquitto for the gateway's messages
#
# Prints a line for each run that ended otherwise than it should, and for each output that is missing.
set -uo pipefail
export LC_ALL=C.UTF-8 BEACONS_CONFIG=none
command=$(command -v "$1") || exit 64
out=$2
gallery=F7826DA6-4FA2-4E98-8024-BC5B71E0893E
plan=Fixtures/museum/plan.json5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/account
mkdir -p "$out"
rm -rf "${out:?}"/*
faults=0

fault() {
  echo "$*"
  faults=$((faults + 1))
}

# run NAME CODE WORD…: the command with these words, which must end with that code and some output.
run() {
  local name=$1 expected=$2 code=0
  shift 2
  "$command" "$@" >"$out/$name.out" 2>"$out/$name.errors" || code=$?
  # A temporary folder has another name each time.
  sed -i "s|$work|WORK|g" "$out/$name.out" "$out/$name.errors"
  [ $code -eq "$expected" ] || fault "$name: $code instead of $expected: $(head -c 200 "$out/$name.errors")"
}

# filled NAME…: outputs that hold something.
filled() {
  local name
  for name; do [ -s "$out/$name" ] || fault "$name is empty"; done
}

# Simulation, ranging with all filters, regions with kept states, reports, scenarios.
ranging() {
  local file
  run simulate 0 museum simulate "$out/visit.btsnoop" --plan $plan --seed 7 --visitors 2 --truth "$out/truth.jsonl"
  run simulate-lines 0 museum simulate "$out/one.jsonl" --plan $plan --seed 9 --bystanders 0.3 --stale-rssi
  run range 0 range --from "$out/visit-1.btsnoop" --satisfying "$(grep -oE -m1 '[0-9A-F]{8}-[0-9A-F-]{27}' $plan)" --format csv
  for file in bayes trimmed altbeacon kalman none; do
    run "range-$file" 0 range --from Fixtures/captures/walk.btsnoop -s $gallery --set ranging.filter=$file --format csv
    filled "range-$file.out"
  done
  run monitor 0 monitor --from Fixtures/captures/walk.btsnoop -r gallery=$gallery -r one=$gallery/1/1 --drain --format jsonl
  run keep 0 monitor --from "$out/one.jsonl" -r gallery=$gallery --drain --state "$out/state" --format jsonl
  run report 0 museum report "$out/one.jsonl" --plan $plan --format jsonl
  run plan 0 museum plan check $plan
  run sweep 0 calibrate sweep --from Fixtures/captures/walk.btsnoop -s $gallery --format jsonl
  run convert 0 convert "$out/one.jsonl" "$out/one.pcap" --since 2000-01-01T00:00:00Z
  run config 0 config list --format json
  for file in Fixtures/scenarios/*.json5; do run "rehearse-${file##*/}" 0 rehearse "$file"; done
  filled visit-1.btsnoop truth.jsonl one.jsonl one.pcap range.out monitor.out keep.out report.out sweep.out
}

# Several receivers: places of beacons, faults of a fleet, kept rows, and messages to a broker.
sites() {
  local kind
  awk -f tools/package.d/recording.awk -v seconds=2400 -v step=1 >"$work/site.jsonl"
  awk -f tools/package.d/recording.awk -v seconds=172800 -v step=20 >"$work/fleet.jsonl"
  printf 'start,end,name\n0,300,hall\n300,600,cellar\n600,900,attic\n' >"$work/truth.csv"
  run survey 0 site survey --from "$work/site.jsonl" --truth "$work/truth.csv" -s $gallery/1/1 --write "$out/model.json"
  for kind in jsonl table; do run "fuse-$kind" 0 site fuse --from "$work/site.jsonl" --model "$out/model.json" --format $kind; done
  for kind in json table; do run "fleet-$kind" 2 site health --from "$work/fleet.jsonl" -s $gallery --format $kind --time utc; done
  run keep-history 0 range --from "$work/site.jsonl" -s $gallery/1/1 -r one=$gallery/1/1 -r two=$gallery/1/2 \
    --history "$work/history" --format jsonl
  for kind in visits crossings minutes receivers; do
    run "history-$kind" 0 history $kind --history "$work/history" --format jsonl
  done
  run history-table 0 history visits --history "$work/history" --format table --time utc
  filled model.json fuse-jsonl.out fuse-table.out fleet-json.out fleet-table.out keep-history.out history-{visits,crossings,minutes,receivers}.out
}

# The gateway's messages, as a subscriber receives them.
messages() {
  local port=18832 broker subscriber
  printf 'listener %s 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nuser root\n' $port >"$work/broker.conf"
  mosquitto -c "$work/broker.conf" >"$work/broker.log" 2>&1 &
  broker=$!
  eventually 200 mosquitto_pub -h 127.0.0.1 -p $port -t proof -m there 2>/dev/null || fault "no broker: $(head -c 300 "$work/broker.log")"
  # Not more than once, as is the default: then nothing waits for a receipt, and "done" is the last that comes.
  mosquitto_sub -h 127.0.0.1 -p $port -t '#' -F '%t %q %r %p' >"$work/messages" 2>>"$work/broker.log" &
  subscriber=$!
  # A separate message shows that the subscriber is there.
  eventually 200 sees "$port" ready || fault "no subscriber: $(tail -c 300 "$work/broker.log")"
  run gateway 0 gateway --from "$work/site.jsonl" --speed max -s $gallery/1/1 -r one=$gallery/1/1 --model "$out/model.json" \
    --broker mqtt://127.0.0.1:$port --site proof --gateway one --spool "$work/spool" --state "$work/gateway" --home-assistant --espresense
  eventually 200 sees "$port" done || fault "messages are missing"
  kill $subscriber $broker
  wait $subscriber $broker
  # A message of each topic comes after the other, but those of one topic may overtake those of another. A boot has a random name.
  grep -v '^proof ' "$work/messages" | sed -E 's/"boot":"[0-9a-z]+"/"boot":"BOOT"/' | LC_ALL=C sort -s -k1,1 >"$out/messages"
  [ "$(wc -l <"$out/messages")" -gt 3000 ] || fault "the gateway sent only $(wc -l <"$out/messages") messages"
}

sees() {
  mosquitto_pub -h 127.0.0.1 -p "$1" -q 1 -t proof -m "$2" 2>/dev/null
  grep -x "proof [0-9] [0-9] $2" "$work/messages" >/dev/null
}

# eventually TRIES COMMAND…
eventually() {
  local tries=$1
  shift
  while ! "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.2
  done
}

ranging
sites
messages
echo "$(find "$out" -type f | wc -l) files, $faults faults"
[ "$faults" -eq 0 ]
