#!/usr/bin/env bash
# Builds the programs of the articles as a package of another developer, which depends on this one, and runs them.
#
#   tools/check.d/dependent.sh    a minute; a step of tools/check, which has built `beaconctl` before
source "$(dirname "$0")/../common.sh"

place=$root/.build-dependent
programs=$root/tools/check.d/programs
mkdir -p "$place/Sources" "$place/Tests"
ln -sfn "$programs"/{Lobby,lobby-lines,two-clients,dwell,watch} "$place/Sources/"
ln -sfn "$programs/LobbyTests" "$place/Tests/"
cat >"$place/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription
let beacons = Target.Dependency.product(name: "Beacons", package: "swift-beacons")
let package = Package(
  name: "lobby", dependencies: [.package(name: "swift-beacons", path: "$root", traits: ["Foundation"])],
  targets: [
    .target(name: "Lobby", dependencies: [beacons]),
    .executableTarget(name: "lobby-lines", dependencies: ["Lobby", beacons]),
    .executableTarget(name: "two-clients", dependencies: [beacons], exclude: ["output.txt"]),
    .executableTarget(name: "dwell", dependencies: [beacons], exclude: ["output.txt"]),
    .executableTarget(name: "watch", dependencies: [beacons], exclude: ["output.txt"]),
    .testTarget(name: "LobbyTests", dependencies: ["Lobby", .product(name: "BeaconTesting", package: "swift-beacons")]),
  ])
SWIFT
cd "$place"
swift build --build-tests --disable-sandbox </dev/null >&2
built=$(swift build --show-bin-path)
captures=$root/Fixtures/captures
# A warning of a newer compiler must not stop the build of another developer.
! grep -q warnings-as-errors .build/debug.yaml || { say "dependent: warnings are errors"; exit 1; }

# compare NAME WANTED: compares standard input with the file.
compare() { diff -u "$2" - || fail "the program $1 prints something else"; say "ok: $1"; }
fail() { say "dependent: $1"; exit 1; }

# The lines of a program are those of the command.
uuid=F7826DA6-4FA2-4E98-8024-BC5B71E0893E
(cd "$root" && "$(swift build --show-bin-path)/beaconctl" monitor --from "$captures/walk.btsnoop" --drain --format jsonl \
  --region "door=$uuid/1/1" --region "desk=$uuid/1/2") >wanted.jsonl
"$built/lobby-lines" "$captures/walk.btsnoop" | compare lobby-lines wanted.jsonl
"$built/two-clients" "$captures/walk.btsnoop" | compare two-clients "$programs/two-clients/output.txt"
(cd "$captures" && "$built/dwell" pauses.btsnoop two-interfaces.pcapng) | compare dwell "$programs/dwell/output.txt"
# Follows the capture at the speed of its recording, and ends by SIGTERM with the last states.
stdbuf -oL "$built/watch" "$captures/walk.btsnoop" >watch.txt &
pid=$!
until grep -q 'hall inside' watch.txt; do
  kill -0 "$pid" || fail "the program watch ended too early"
  sleep 0.1
done
kill -TERM "$pid"
wait "$pid"
compare watch "$programs/watch/output.txt" <watch.txt
"$built/lobbyPackageTests.xctest" --testing-library swift-testing >&2
# Sources that need a C library: compiled only, against the modules of this package's build.
cd "$root"
mapfile -t maps < <(printf -- '-I%s\n' Sources/System/*/)
swiftc -typecheck -I "$(swift build --show-bin-path)/Modules" "${maps[@]}" $(pkg-config --cflags dbus-1) "$programs/AnySource.swift"
say "ok: sources"
