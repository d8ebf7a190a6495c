# shellcheck shell=bash
# Proves packages: each is installed in bare Debian systems without Swift, tried, upgraded, removed and purged. Sourced by tools/package.

# Packages that a user would have with the command, a broker among them; the package itself needs none of it.
companions=(man-db bash-completion zsh fish mosquitto mosquitto-clients libsqlite3-0)

prove() {
  local architecture suite
  mkdir -p "$scratch/next"
  require_namespaces
  for architecture; do
    [ -e "$packages/beaconctl_${version}_$architecture.deb" ] || fail "no package for $architecture; tools/package $architecture"
    lint "$architecture"
    for suite in bookworm trixie; do prove_in "$architecture" "$suite"; done
    [ "$architecture" != amd64 ] || prove_service
  done
  [ "$#" -lt 2 ] || prove_same
}

# lint ARCHITECTURE: Debian's own checks of packages; exceptions are explained in lintian-overrides.
lint() {
  command -v lintian >/dev/null || fail "lintian is missing; apt-get install lintian"
  lintian --allow-root --fail-on error,warning "$packages"/beaconctl*_"${version}_$1.deb" >&2 || fail "lintian finds faults"
}

# prove_in ARCHITECTURE SUITE: in a copy of the bare system, so each proof begins with one in which the package never was.
prove_in() {
  local architecture=$1 suite=$2 copy out=$scratch/out/$2-$1 start=$SECONDS
  copy=$(copy_root "$architecture" "$suite" proof)
  mkdir -p "$out" "$scratch/next"
  make_next "$architecture"
  in_root "$copy" "$root:/source $packages:/packages $scratch/next:/next $out:/out" \
    /bin/bash /source/tools/package.d/life.sh "$architecture" "$version" "$(next_version)" "${companions[@]}" \
    || fail "the package for $architecture does not hold in Debian $suite; its system is in $copy"
  in_namespace rm -rf "$copy"
  say "ok: $architecture in Debian $suite ($((SECONDS - start)) s)"
}

next_version() { echo "${version%-*}+next-${version##*-}"; }

# make_next ARCHITECTURE: the same package with a higher version, to upgrade to.
make_next() {
  local architecture=$1 tree
  tree=$(mktemp -d "$scratch/next.XXXXXX")
  dpkg-deb -R "$packages/beaconctl_${version}_$architecture.deb" "$tree"
  sed -i "s/^Version: .*/Version: $(next_version)/" "$tree/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$tree" "$scratch/next/beaconctl_$architecture.deb" >/dev/null
  rm -rf "$tree"
}

# Both architectures computed the same, byte for byte, but for the times and the memory that a run took.
# A lock has the number of the process that held it.
prove_same() {
  local suite
  for suite in bookworm trixie; do
    diff -r --exclude=lock "$scratch/out/$suite-amd64" "$scratch/out/$suite-arm64" >&2 || fail "amd64 and arm64 differ in Debian $suite"
  done
  diff -r --exclude=lock "$scratch/out/bookworm-amd64" "$scratch/out/trixie-amd64" >&2 || fail "Debian 12 and 13 differ"
  say "ok: $(find "$scratch/out/bookworm-amd64" -type f | wc -l) files are the same on amd64 and arm64"
}

# prove_service: the units under systemd with the real bluetoothd, in the virtual radio's machine: they run, are upgraded, and go.
prove_service() {
  make_next amd64
  python3 tools/package.d/service.py "$packages/beaconctl_${version}_amd64.deb" "$scratch/next/beaconctl_amd64.deb" \
    "$scratch/service" >&2 || fail "the units do not hold; see $scratch/service"
}
