# shellcheck shell=bash
# The OCI image for both architectures: the libraries of Debian that the command uses, and the command; no shell, no package manager,
# and a user without rights. Plain archives, so neither Docker nor Podman is needed here. Sourced by tools/release.

# make_image SCRATCH-FOLDER OUTPUT
make_image() {
  local architecture words=()
  for architecture in "${architectures[@]}"; do
    image_base "$architecture" "$1/$architecture/base"
    image_command "$architecture" "$1/$architecture/command"
    words+=("$architecture=$1/$architecture")
  done
  python3 tools/release.d/image.py "$release" "$SOURCE_DATE_EPOCH" "https://github.com/$owner/swift-beacons" "$2" "${words[@]}"
}

# image_base ARCHITECTURE ROOT: Debian's packages, unpacked. What scanners of images read is in status.d, as in other such images.
image_base() {
  local architecture=$1 root=$2 archives=$cache/apt/$1-$oldest_suite/cache/archives name
  say "fetching the libraries of the image for $architecture"
  has_suite "$architecture" "$oldest_suite"
  rm -f "$archives"/*.deb
  apt_of "$architecture" "$oldest_suite" --download-only install \
    libc6 libgcc-s1 libstdc++6 libdbus-1-3 libsqlite3-0 libmosquitto1 libsodium23
  # Its dependencies are programs that make one file of its certificates.
  fetch_alone "$architecture" "$oldest_suite" "$archives" ca-certificates tzdata
  mkdir -p "$root/var/lib/dpkg/status.d" "$root/etc/ssl/certs"
  for name in "$archives"/*.deb; do
    dpkg-deb -f "$name" >"$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$name" Package)"
  done
  unpack_into "$root" "$archives"/*.deb
  rm -f "$archives"/*.deb
  # The library of D-Bus looks for the bus there.
  ln -s ../run "$root/var/run"
  find "$root/usr/share/ca-certificates" -name '*.crt' | LC_ALL=C sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
  find "$root/usr/share/doc" -mindepth 2 ! -name copyright ! -type d -delete
  find "$root" -depth -type d -empty -path '*/usr/share/*' -delete
  rm -rf "$root"/usr/share/{man,locale,lintian,bug,info,ca-certificates} "$root"/usr/{bin,sbin} "$root"/usr/lib/*/gconv \
    "$root"/usr/lib/{systemd,tmpfiles.d,sysctl.d} "$root"/usr/share/zoneinfo/{right,posix} "$root"/etc/{default,cron.*,init.d,logcheck}
}

image_command() {
  mkdir -p "$2/usr/share/doc/beaconctl" "$2/etc"
  dpkg-deb -x "$packages/beaconctl_${version}_$1.deb" "$2/package"
  install -D "$2/package/usr/bin/beaconctl" "$2/usr/bin/beaconctl"
  mv "$2"/package/usr/share/doc/beaconctl/{copyright,examples} "$2/usr/share/doc/beaconctl"
  rm -rf "$2/package"
  printf 'root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/state:/sbin/nologin\n' >"$2/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$2/etc/group"
}

# make_boms IMAGE-FOLDER: the parts of each package, and of each image.
make_boms() {
  local architecture words
  for architecture in "${architectures[@]}"; do
    words=("$architecture" "$release" "$SOURCE_DATE_EPOCH" "$(built "$architecture")" "$scratch/$architecture/link.map"
      "$packages/beaconctl_${version}_$architecture.deb")
    python3 tools/release.d/bom.py "${words[@]}" >"$dist/beaconctl-$release-package-$architecture.cdx.json"
    python3 tools/release.d/bom.py "${words[@]}" "$1/$architecture/base/var/lib/dpkg/status.d" \
      >"$dist/beaconctl-$release-image-$architecture.cdx.json"
  done
}

# push_image REGISTRY WORD…: both architectures under the version and as `latest`. WORDs are options of skopeo.
push_image() {
  local tag
  for tag in "$release" latest; do
    skopeo --insecure-policy copy --all --quiet "${@:2}" "oci-archive:$dist/beaconctl-$release-image.tar" "docker://$1/beaconctl:$tag"
  done
  say "pushed $1/beaconctl:$release"
}

# publish: on the host of workflows, after the tag.
publish() {
  (cd "$dist" && sha256sum --quiet --check SHA256SUMS) || fail "SHA256SUMS is wrong"
  find "$dist" -maxdepth 1 -type f -print0 | sort -z \
    | xargs -0 gh release create "$release" --repo "$owner/swift-beacons" --verify-tag --generate-notes
  skopeo login ghcr.io --username "$owner" --password-stdin <<<"$GH_TOKEN"
  push_image "ghcr.io/${owner,,}"
}
