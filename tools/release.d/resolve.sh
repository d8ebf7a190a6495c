# shellcheck shell=bash
# Builds a program elsewhere that names the package by address and version, as README.md has it. Sourced by tools/release.

# resolve: a server and a tag exist only for this; of the libraries' headers only those of D-Bus are there.
resolve() {
  local work address
  work=$(mktemp -d "$scratch/resolve.XXXXXX")
  git clone --quiet --bare --no-local "$root" "$work/served/swift-beacons"
  git -C "$work/served/swift-beacons" tag --force "$release" >/dev/null
  git -C "$work/served/swift-beacons" update-server-info
  serve_folder "$work/served"
  mkdir -p "$work/lobby/Sources/lobby" "$work/empty"
  {
    printf '// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(name: "lobby",\n'
    # The lines of the page, with another server.
    sed -n '/^dependencies: \[.package(url/,/^]/p' README.md | sed "s#https://github.com/$owner/swift-beacons#$address/swift-beacons#"
    echo ')'
  } >"$work/lobby/Package.swift"
  grep -q "$address" "$work/lobby/Package.swift" || fail "README.md does not name the package by address and version"
  sed -n '/^\*\*Live\.\*\*/,/^```$/p' README.md | sed -n '/^import/,/^```$/p' | sed '$d' >"$work/lobby/Sources/lobby/main.swift"
  echo '#error "this header is not there"' >"$work/absent.h"
  # shellcheck disable=SC2016
  in_namespace bash -euc '
    # Plugins of the build look for themselves there.
    mount -t proc proc /proc
    for name in bluetooth mosquitto.h mqtt_protocol.h sodium.h sqlite3.h; do
      place=/usr/include/$name
      if [ -d "$place" ]; then mount --bind "$1/empty" "$place"; elif [ -e "$place" ]; then mount --bind "$2" "$place"; fi
    done
    cd "$1/lobby"
    swift build </dev/null >&2
    exec .build/debug/lobby "$3"' bash "$work" "$work/absent.h" "$root/Fixtures/captures/walk.btsnoop" >"$work/ranged" \
    || fail "a program that names the package by address and version does not build and run; it is in $work"
  [ "$(wc -l <"$work/ranged")" -ge 60 ] || fail "the program ranges too little: $work/ranged"
  say "ok: $(sed -n '0,/"version" : /s/.*"version" : //p' "$work/lobby/Package.resolved") resolves by address, builds with D-Bus's headers only, and ranges"
  rm -rf "$work"
}
