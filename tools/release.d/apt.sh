# shellcheck shell=bash
# The apt repository, as files that any web server serves, and the signatures. Sourced by tools/release.
#
# BEACONS_SIGNING_KEY is the owner's secret key, armored, or a file with it. Without it a key for trials signs, which is kept in
# the cache and must never sign a published file.

# make_apt FOLDER PACKAGES: of all packages of this version in PACKAGES.
make_apt() {
  local folder=$1 architecture list suite=$1/dists/stable
  mkdir -p "$folder/pool"
  cp "$2"/beaconctl*_"${version}"_*.deb "$folder/pool"
  for architecture in "${architectures[@]}"; do
    list=$suite/main/binary-$architecture
    mkdir -p "$list"
    (cd "$folder" && dpkg-scanpackages --arch "$architecture" pool 2>/dev/null) >"$list/Packages"
    gzip -9nk "$list/Packages"
  done
  {
    printf 'Origin: Beacons\nLabel: Beacons\nSuite: stable\nCodename: stable\nDate: %s\n' "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
    printf 'Architectures: %s\nComponents: main\nDescription: beaconctl for Debian 12 and 13\nSHA256:\n' "${architectures[*]}"
    (cd "$suite" && find main -type f | sort | while read -r list; do
      printf ' %s %s %s\n' "$(sha256sum <"$list" | cut -d' ' -f1)" "$(stat -c %s "$list")" "$list"
    done)
  } >"$scratch/Release"
  mv "$scratch/Release" "$suite/Release"
  signed --detach-sign --armor --output "$suite/Release.gpg" "$suite/Release"
  signed --clear-sign --output "$suite/InRelease" "$suite/Release"
  with_key gpg --export --armor >"$folder/beacons.asc"
  # apt reads the key from the same file (Debian 12 and later), so adding the repository is one file.
  {
    printf 'Types: deb\nURIs: %s\nSuites: stable\nComponents: main\nSigned-By:\n' "$(apt_address)"
    sed 's/^$/./; s/^/ /' "$folder/beacons.asc"
  } >"$folder/beacons.sources"
}

apt_address() { echo "https://$owner.github.io/swift-beacons/apt"; }

# with_key COMMAND…: with the signing key in a keyring that exists only for this command.
with_key() {
  local status=0 trial=${cache%/*}/release/trial-key.asc
  GNUPGHOME=$(mktemp -d)
  export GNUPGHOME
  if [ -n "${BEACONS_SIGNING_KEY-}" ]; then
    if [ -f "$BEACONS_SIGNING_KEY" ]; then cat "$BEACONS_SIGNING_KEY"; else printf '%s\n' "$BEACONS_SIGNING_KEY"; fi \
      | gpg --batch --quiet --import 2>/dev/null || fail "BEACONS_SIGNING_KEY holds no secret key"
  else
    [ -e "$trial" ] || make_trial_key "$trial"
    gpg --batch --quiet --import "$trial" 2>/dev/null
  fi
  "$@" || status=$?
  gpgconf --kill all 2>/dev/null || true
  rm -rf "$GNUPGHOME"
  unset GNUPGHOME
  return "$status"
}

# Older than any commit that it signs.
make_trial_key() {
  say "no BEACONS_SIGNING_KEY: making a key for trials"
  mkdir -p "$(dirname "$1")"
  gpg --batch --quiet --faked-system-time 20260101T000000 --passphrase '' \
    --quick-generate-key "Beacons, a key for trials" ed25519 sign never 2>/dev/null
  gpg --batch --export-secret-keys --armor >"$1"
}

# signed GPG-WORDS…: with the time of the commit, so that the same key makes the same signature.
signed() {
  with_key gpg --batch --quiet --yes --pinentry-mode loopback --passphrase '' --digest-algo SHA512 \
    --no-permission-warning --faked-system-time "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%dT%H%M%S)!" "$@" \
    || fail "cannot sign; is the key older than the commit, and without a passphrase?"
}
