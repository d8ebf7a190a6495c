#!/usr/bin/env bash
# Runs in a bare Debian system in which the package is installed: everything it can do without a radio. The project is at /source, what
# must be the same on every architecture goes to /out. Prints a line for each fault; the last line is a summary.
set -uo pipefail
export LC_ALL=C.UTF-8 XDG_STATE_HOME=/tmp/state
cd /source || exit 1
faults=0 checks=0
gallery=F7826DA6-4FA2-4E98-8024-BC5B71E0893E fixture=2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6

fault() {
  echo "FAULT $*"
  faults=$((faults + 1))
}

# must NAME COMMAND…
must() {
  local name=$1
  shift
  checks=$((checks + 1))
  "$@" >/tmp/said 2>&1 || fault "$name: $(head -c 300 /tmp/said)"
}

# same NAME FILE GOLDEN
same() {
  checks=$((checks + 1))
  cmp -s "$2" "$3" || fault "$1 differs from $3"
}

# one_title FILE: an inspection whose title is one line. It is broken by the length of the capture's whole path, and the golden
# file has the breaks of its machine.
one_title() { sed -zE 's/^([^\n]*)\n([^\n]*)\n([0-9]+ records)/\1 \2\n\3/' "$1"; }

# Every capture in every format, as the golden files of the tests have them.
captures() {
  local path name uuid format folder
  for path in Fixtures/captures/*; do
    name=${path##*/}
    case $name in *.md | *.py) continue ;; esac
    uuid=$fixture
    case $name in walk*) uuid=$gallery ;; esac
    folder=Fixtures/golden/captures/$name
    : >/tmp/endings
    one() {
      local command=$1 format=$2 code=0
      shift 2
      beaconctl "$@" --format "$format" >/tmp/out 2>/tmp/errors || code=$?
      { echo "$command $format: $code"; cat /tmp/errors; } >>/tmp/endings
      if [ -s /tmp/out ] || [ -e "$folder/$command.$format" ]; then
        one_title /tmp/out >/tmp/titled
        one_title "$folder/$command.$format" >/tmp/golden
        same "$command --format $format of $name" /tmp/titled /tmp/golden
      fi
    }
    for format in json table; do one inspect $format inspect "$path"; done
    for format in jsonl json csv table; do one scan $format scan --from "$path"; done
    for format in jsonl json csv table; do one range $format range --from "$path" --satisfying "$uuid"; done
    same "how commands end with $name" /tmp/endings "$folder/endings"
  done
}

texts() {
  local name
  # The package's texts, which the command for amd64 wrote.
  for name in bash-completion/completions/beaconctl zsh/vendor-completions/_beaconctl fish/vendor_completions.d/beaconctl.fish; do
    beaconctl completion "${name%%[-/]*}" >/tmp/out
    same "completion ${name%%[-/]*}" /tmp/out "/usr/share/$name"
  done
  for name in /usr/share/man/man1/beaconctl*.1.gz; do
    name=${name##*/beaconctl} name=${name%.1.gz}
    beaconctl manual ${name:+"${name#-}"} >/tmp/out
    gzip -dc "/usr/share/man/man1/beaconctl$name.1.gz" >/tmp/golden
    same "manual ${name#-}" /tmp/out /tmp/golden
  done
  for name in /usr/share/man/man1/beaconctl*.1.gz; do
    must "$name renders" bash -c "man --warnings -E UTF-8 -l -Tutf8 '$name' 2>&1 >/tmp/page | { ! grep .; }"
    checks=$((checks + 1))
    [ "$(wc -l </tmp/page)" -gt 10 ] || fault "$name is empty"
  done
  must "man beaconctl" man -P cat beaconctl
  must "man beaconctl-range" man -P cat beaconctl-range
  must "bash completes" bash -c 'source /usr/share/bash-completion/bash_completion; COMP_WORDS=(beaconctl ra) COMP_CWORD=1
    _completion_loader beaconctl; _beaconctl; [ "${COMPREPLY[*]}" = range ]'
  must "zsh completes" zsh -fc 'autoload -U compinit; compinit -D -u; [[ $_comps[beaconctl] == _beaconctl ]]'
  must "fish completes" fish -c 'complete -C "beaconctl ra" | string match -q "range*"'
}

# What all architectures and systems must agree on, in /out.
figures() {
  checks=$((checks + 1))
  bash tools/package.d/figures.sh beaconctl /out >/tmp/said 2>&1 || fault "figures: $(head -c 600 /tmp/said)"
}

# The visitor's pages: a server, asked over its port.
pages() {
  local port=18081 answer='' tries
  beaconctl museum serve --plan Fixtures/museum/plan.json5 --simulate 7 --speed 1x --answers Fixtures/museum/demo-answers.json5 \
    --port $port >/tmp/served 2>&1 &
  local server=$!
  for tries in $(seq 100); do
    answer=$( (exec 3<>/dev/tcp/127.0.0.1/$port && printf 'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 && head -n 1 <&3) 2>/dev/null)
    [ -z "$answer" ] || break
    sleep 0.3
  done
  kill -INT $server 2>/dev/null
  wait $server
  checks=$((checks + 1))
  [[ $answer == *" 200 "* ]] || fault "museum serve answers '$answer' after $tries tries: $(head -c 300 /tmp/served)"
}

must "--version" beaconctl --version
checks=$((checks + 1))
# Without a bus nothing can be well, but everything is examined and reported.
beaconctl doctor --format json >/tmp/out 2>/tmp/errors
{ [ $? -eq 69 ] && cat /tmp/out /tmp/errors | grep Bluetooth >/dev/null; } || fault "doctor: $(head -c 300 /tmp/errors)"
captures
texts
figures
pages
for name in beacond beacons-record beacons-web beacons-gateway beacons-proxy; do
  must "$name.service is valid" bash -c "! command -v systemd-analyze || systemd-analyze verify /usr/lib/systemd/system/$name.service"
done
echo "$checks checks, $faults faults"
[ "$faults" -eq 0 ]
