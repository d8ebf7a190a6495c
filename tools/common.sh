# shellcheck shell=bash
# The common parts of the scripts in tools/. Sourced, never run.

set -euo pipefail
export LC_ALL=C.UTF-8
# No configuration of a developer changes the output of a tool.
export BEACONS_CONFIG=none

# The project's root is the working directory of every tool.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# A workflow's container runs as another account than the one that owns the checkout, whose files git then does not read.
if [ -n "${GITHUB_ACTIONS-}" ]; then git config --global --add safe.directory "$root"; fi

# The oldest toolchain the package builds with.
needed_swift=6.3

# The one name that the owner sets: the account at GitHub that publishes this. `tools/release --owner NAME` writes it here and into
# every address, and `tools/check links` compares them.
# shellcheck disable=SC2034
owner=OWNER

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "${0##*/}: $*"
  exit 1
}

# Fails with one sentence unless a recent enough Swift is there.
require_swift() {
  local found
  if ! command -v swift >/dev/null 2>&1; then
    fail "no Swift here; install Swift $needed_swift or later (https://www.swift.org/install/linux) and put it on PATH"
  fi
  found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
  if [ "$(printf '%s\n' "$needed_swift" "${found:-0}" | sort -V | head -n 1)" != "$needed_swift" ]; then
    fail "Swift ${found:-of an unknown version} is here, but $needed_swift or later is needed (https://www.swift.org/install/linux)"
  fi
}

# A crash in a script must not sit in the interactive backtracer.
export SWIFT_BACKTRACE=${SWIFT_BACKTRACE:-enable=no}

# The tests that talk with other threads and programs: a bus, a source, a session, the built command. Among hundreds of others they
# would wait for a thread, and their time limits pass; `tools/check sources` compares these lists with the tests that have a limit.
# What drives the gate computes and does not wait.
session_tests='^(DBusTests|BeaconServiceTests|CoreLocationTests)'
# Receivers, among them brokers and proxies.
receiver_tests='^(BeaconBlueZTests|BeaconsTests\.(?!Gate))'
receiver_tests+='|^ESPHomeProxiesTests\.ProxyServer|^BrokerClientTests\.|^GatewayCommandsTests\.(GatewayBroker|SiteRestartRun)Tests'
terminal_tests='^EndToEndTests\.(Museum|Terminal|DocumentedCommand|Doctor)'
live_tests='^EndToEndTests\.(Live|ReplayShapes)'
command_tests='^EndToEndTests\.(?!Museum|Terminal|DocumentedCommand|Doctor|Live|ReplayShapes)|^WebServerTests\.'
command_tests+='|^BeaconCommandsTests\.(EndOfTime|LiveEqualsReplay|PacedRun|RunThread|SessionRecording|UserActionsEqualReplay)Tests'
command_tests+='|^MuseumCommandsTests\.(GuideVisit|MuseumOutput)Tests|^SystemKitTests\.(FileDescriptor|ShellJobs)Tests'
waiting_tests="$session_tests|$receiver_tests|$terminal_tests|$live_tests|$command_tests"

# bounded COMMAND…: ends it after half an hour, so that what hangs is seen to fail.
bounded() { timeout --kill-after=10 1800 "$@"; }

# run_beside PROGRAM FILTER… -- ARGUMENT…: the tests of each filter, one at a time in a process for each filter, since they wait more than
# they compute. The build's program is started itself: of two `swift test`, one would wait for the other.
run_beside() {
  local program=$1 logs status=0 started=()
  shift
  logs=$(mktemp -d)
  local filters=()
  while [ "$1" != -- ]; do filters+=("$1"); shift; done
  shift
  local tests
  for tests in "${filters[@]}"; do
    bounded "$program" --testing-library swift-testing --no-parallel --filter "$tests" "$@" >"$logs/${#started[@]}" 2>&1 </dev/null &
    started+=($!)
  done
  # 69: there is no such test, as if only some modules were built.
  for tests in "${started[@]}"; do wait "$tests" || [ "$?:${BEACON_TESTS:+part}" = 69:part ] || status=1; done
  cat "$logs"/*
  rm -rf "$logs"
  return "$status"
}

# run_waiting_tests PROGRAM ARGUMENT…: all those tests.
run_waiting_tests() {
  run_beside "$1" "$session_tests" "$receiver_tests" "$terminal_tests" "$live_tests" "$command_tests" -- "${@:2}"
}

# run_tests PROGRAM ARGUMENT…: all tests. Those that compute get what those that wait for programs leave, and the storage of empty arrays
# at an odd multiple of eight, as a static link may put it (tools/empty-array.c).
run_tests() {
  local program=$1 computed computing status=0 storage
  shift
  computed=$(mktemp)
  storage=$(dirname "$program")/empty-array.so
  cc -shared -fPIC -O2 -Wall -Werror -o "$storage" tools/empty-array.c
  LD_PRELOAD=$storage bounded nice -n 19 "$program" --testing-library swift-testing --skip "$waiting_tests" "$@" \
    >"$computed" 2>&1 </dev/null &
  computing=$!
  run_waiting_tests "$program" "$@" || status=1
  wait "$computing" || status=1
  cat "$computed"
  rm -f "$computed"
  return "$status"
}
