# shellcheck shell=bash
# Proves dist/ as a stranger would use it: in bare systems, over HTTP. Sourced by tools/release.

# prove_dist ARCHITECTURE…: in Debian 12 and 13.
prove_dist() {
  local architecture suite
  [ -e "$dist/SHA256SUMS" ] || fail "dist/ is missing; tools/release --dist"
  (cd "$dist" && sha256sum --quiet --check SHA256SUMS) || fail "SHA256SUMS is wrong"
  require_namespaces
  serve
  for architecture; do
    for suite in bookworm trixie; do prove_install "$architecture" "$suite"; done
    prove_image "$architecture"
  done
  prove_archive
}

# serve: dist/apt, and the same packages with a higher version, on loopback as /apt and /next.
serve() {
  local architecture next=$scratch/next-packages site=$scratch/site
  rm -rf "$next" "$site"
  mkdir -p "$next" "$site" "$scratch/next"
  for architecture in "${architectures[@]}"; do
    make_next "$architecture"
    mv "$scratch/next/beaconctl_$architecture.deb" "$next/beaconctl_${version}_$architecture.deb"
  done
  ln -s "$dist/apt" "$site/apt"
  make_apt "$site/next" "$next"
  serve_folder "$site"
}

# serve_folder FOLDER: on loopback, until this ends; sets `address`.
serve_folder() {
  python3 -u -m http.server --bind 127.0.0.1 --directory "$1" 0 >"$scratch/server" 2>/dev/null &
  server=$!
  trap 'kill "$server" 2>/dev/null' EXIT
  until grep -q port "$scratch/server"; do sleep 0.1; done
  address=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$scratch/server")
}

# prove_install ARCHITECTURE SUITE: the commands of docs/install.md, in a copy of a bare system.
prove_install() {
  local architecture=$1 suite=$2 copy
  copy=$(copy_root "$architecture" "$suite" install)
  in_root "$copy" "$root:/source" /bin/bash /source/tools/release.d/install.sh \
    "$address" "$(apt_address)" "$version" "$(next_version)" \
    || fail "the repository fails for $architecture in Debian $suite; its system is in $copy"
  in_namespace rm -rf "$copy"
  say "ok: $architecture in Debian $suite, from the repository"
}

# prove_image ARCHITECTURE: read by another program than the one that wrote it, and run as its user.
prove_image() {
  local folder=$scratch/image-$1 layer start=$SECONDS root_user=65534:65534
  command -v skopeo >/dev/null || fail "skopeo is missing; tools/setup --release"
  rm -rf "$folder"
  mkdir -p "$folder/root"
  skopeo --insecure-policy --override-os linux --override-arch "$1" copy --quiet "oci-archive:$dist/beaconctl-$release-image.tar" "dir:$folder/layers"
  for layer in $(python3 -c 'import json, sys; print(*(one["digest"][7:] for one in json.load(sys.stdin)["layers"]))' <"$folder/layers/manifest.json"); do
    tar -C "$folder/root" --no-same-owner -xzpf "$folder/layers/$layer"
  done
  start_bus "$folder/bus"
  export root_user
  in_root "$folder/root" "$folder/bus:/run/dbus" /usr/bin/beaconctl doctor --format json >"$folder/doctor" 2>&1 </dev/null || true
  # It misses only what this bus has no program for.
  grep -q '"subject":"bluetoothd"' "$folder/doctor" && ! grep -q '"subject":"D-Bus"' "$folder/doctor" \
    || fail "the image for $1 does not reach the bus; see $folder/doctor"
  in_root "$folder/root" '' /usr/bin/beaconctl demo >"$folder/said" 2>"$folder/errors" </dev/null || fail "the image for $1 does not run; see $folder"
  export -n root_user
  [ -s "$folder/said" ] || fail "the image for $1 shows nothing"
  say "ok: the image for $1 runs as an account without rights ($((SECONDS - start)) s)"
}

# start_bus FOLDER: a system bus with Debian's rules, until this ends.
start_bus() {
  mkdir -p "$1"
  sed -e "s#<listen>.*</listen>#<listen>unix:path=$1/system_bus_socket</listen>#" -e '/<user>/d; /<fork\/>/d; /<pidfile>/d; /servicehelper/d' \
    -e '/standard_system_servicedirs/d' /usr/share/dbus-1/system.conf >"$1/system.conf"
  dbus-daemon --config-file="$1/system.conf" --nofork --nopidfile >"$1/log" 2>&1 &
  # shellcheck disable=SC2064
  trap "kill $! ${server-} 2>/dev/null" EXIT
  until [ -e "$1/system_bus_socket" ]; do kill -0 $! || fail "no bus: $(head -n 3 "$1/log")"; sleep 0.1; done
}

# prove_archive: the command of the archive for this machine works in any folder.
prove_archive() {
  local folder=$scratch/archive
  rm -rf "$folder"
  mkdir -p "$folder"
  tar -C "$folder" -xJf "$dist/beaconctl-$release-linux-amd64.tar.xz"
  "$folder/beaconctl-$release-linux-amd64/bin/beaconctl" demo >"$folder/said" 2>&1 </dev/null || fail "the archive's command does not run"
  say "ok: the archive for amd64"
}
