# shellcheck shell=bash
# Makes dist/, everything that a user downloads, of the commit that is checked out. Sourced by tools/release.
#
#   beaconctl_VERSION-1_ARCH.deb            the package, and beaconctl-dbgsym_…: its debug symbols, which also serve the archives
#   beaconctl-VERSION-linux-ARCH.tar.xz     the command with manual and completions, for systems without dpkg
#   beaconctl-VERSION-image.tar             the OCI image for both architectures
#   beaconctl-apt.tar                       the apt repository, whose files are in apt/ as well
#   beaconctl-VERSION-PART-ARCH.cdx.json    the parts of the package, and of the image (CycloneDX)
#   swift-beacons-VERSION.tar.xz            the source
#   SHA256SUMS, SHA256SUMS.asc              sums of all of these, signed
#
# Every file has the time of the commit, so the same commit, compiler and Debian packages make the same bytes.

dist=$root/dist
architectures=(amd64 arm64)

make_dist() {
  local architecture tree=$scratch/dist name
  require_release_tools
  tools/package
  rm -rf "$dist" "$tree"
  mkdir -p "$dist" "$tree"
  for architecture in "${architectures[@]}"; do
    cp "$packages/beaconctl_${version}_$architecture.deb" "$packages/beaconctl-dbgsym_${version}_$architecture.deb" "$dist"
    make_archive "$architecture" "$tree"
  done
  git archive --prefix="swift-beacons-$release/" HEAD | xz -T1 -9 >"$dist/swift-beacons-$release.tar.xz"
  make_image "$tree/image" "$dist/beaconctl-$release-image.tar"
  make_boms "$tree/image"
  make_apt "$dist/apt" "$packages"
  pack "$dist" apt >"$dist/beaconctl-apt.tar"
  (cd "$dist" && find . -maxdepth 1 -type f -printf '%f\n' | sort | xargs sha256sum -- >"$tree/SHA256SUMS" && mv "$tree/SHA256SUMS" .)
  signed --detach-sign --armor --output "$dist/SHA256SUMS.asc" "$dist/SHA256SUMS"
  for name in "$dist"/*; do [ -d "$name" ] || say "$(stat -c %s "$name" | numfmt --to=iec --padding=6)  ${name##*/}"; done
}

require_release_tools() {
  local missing=() tool
  if [ -n "${GITHUB_ACTIONS-}" ]; then
    [ "$owner" = "$GITHUB_REPOSITORY_OWNER" ] || fail "addresses name '$owner': run tools/release --owner $GITHUB_REPOSITORY_OWNER, and commit"
    [ -n "${BEACONS_SIGNING_KEY-}" ] || fail "the secret BEACONS_SIGNING_KEY is missing; a key for trials must not sign a release"
  fi
  for tool in dpkg-deb dpkg-scanpackages gpg python3 qemu-aarch64-static xz; do command -v "$tool" >/dev/null || missing+=("$tool"); done
  [ "${#missing[@]}" -eq 0 ] || fail "missing: ${missing[*]} (tools/setup --release)"
  [ -z "$(git status --porcelain)" ] || say "the working tree has changes, which the source archive does not have"
}

# pack FOLDER NAME…: an archive of these, with no trace of who made it and when.
pack() {
  tar -C "$1" -c --format=posix --pax-option=delete=atime,delete=ctime --sort=name --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" "${@:2}"
}

# make_archive ARCHITECTURE SCRATCH-FOLDER: the part of the package that works in any folder.
make_archive() {
  local name=beaconctl-$release-linux-$1
  dpkg-deb -x "$packages/beaconctl_${version}_$1.deb" "$2/$1"
  mkdir -p "$2/$name/share/doc"
  mv "$2/$1/usr/bin" "$2/$name/bin"
  mv "$2/$1"/usr/share/{man,bash-completion,zsh,fish} "$2/$name/share"
  mv "$2/$1/usr/share/doc/beaconctl" "$2/$name/share/doc"
  cp LICENSE "$2/$name"
  pack "$2" "$name" | xz -T1 -9 >"$dist/$name.tar.xz"
}

# make_dist_twice: all of dist/ again, the commands compiled from nothing, and compared.
make_dist_twice() {
  local first=$scratch/first-dist
  [ -e "$dist/SHA256SUMS" ] || make_dist
  rm -rf "$first"
  mv "$dist" "$first"
  rm -rf "${scratch:?}"/{amd64,arm64}
  make_dist
  diff -r "$first" "$dist" || fail "dist/ differs when it is made again"
  say "ok: $(find "$dist" -type f | wc -l) files are the same, made twice"
}
