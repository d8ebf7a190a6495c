# shellcheck shell=bash
# Makes Debian packages of a built command: beaconctl, and its debug symbols apart. Sourced by tools/package.

# The one file with the version.
package_version() { sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Library/Beacons/Library.swift; }

# Everything in a package has the time of the commit, so the same source makes the same bytes.
source_time() {
  if [ -e .git ]; then git log -1 --format=%ct; else stat -c %Y Sources/Library/Beacons/Library.swift; fi
}

maintainer() { echo "${DEBFULLNAME:-The Beacons authors} <${DEBEMAIL:-$owner@users.noreply.github.com}>"; }

# needed_by BINARY: the libraries that a binary is linked with.
needed_by() { objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | sort; }

# loaded_by BINARY: the libraries that a binary names and is not linked with, and so loads when it first uses them.
loaded_by() {
  strings "$1" | { grep -xE 'lib[A-Za-z0-9_+-]+\.so\.[0-9]+' || true; } | sort -u | comm -23 - <(needed_by "$1")
}

# recommends_of BINARY: the packages of the libraries that a binary loads; without one, commands that need it report it.
recommends_of() {
  local library recommends=()
  for library in $(loaded_by "$1"); do
    case $library in
      libmosquitto.so.1) recommends+=(libmosquitto1) ;;
      libsodium.so.23) recommends+=('libsodium23 | libsodium26') ;;
      libsodium.so.26) ;;
      libsqlite3.so.0) recommends+=(libsqlite3-0) ;;
      *) fail "the command loads $library, whose package tools/package.d/deb.sh does not know" ;;
    esac
  done
  [ "${#recommends[@]}" -gt 0 ] || fail "the command names no library that it loads; is it packed?"
  printf '%s\n' "${recommends[@]}" | sort -u | paste -sd, | sed 's/,/, /g'
}

# depends_of BINARY: the packages of the libraries that a binary needs, with the versions that have the symbols it uses.
depends_of() {
  local binary=$1 library depends=()
  # highest SYMBOL-PREFIX: the highest version among the symbols that are used.
  highest() { objdump -T "$binary" | grep -oE "$1_[0-9.]+" | sort -uV | tail -n 1 | cut -d_ -f2; }
  for library in $(needed_by "$binary"); do
    case $library in
      libc.so.6 | libm.so.6 | ld-linux-*) depends+=("libc6 (>= $(lowest_libc "$binary"))") ;;
      libdbus-1.so.3) depends+=("libdbus-1-3 (>= 1.10)") ;;
      libgcc_s.so.1) depends+=("libgcc-s1 (>= 4.2)") ;;
      libstdc++.so.6)
        case $(highest GLIBCXX) in
          3.4.30) depends+=("libstdc++6 (>= 12)") ;;
          3.4.29) depends+=("libstdc++6 (>= 11)") ;;
          3.4.1* | 3.4.2[0-8]) depends+=("libstdc++6 (>= 10)") ;;
          *) fail "Debian 12 has no GLIBCXX_$(highest GLIBCXX), which the command needs" ;;
        esac
        ;;
      *) fail "the command needs $library, whose package tools/package.d/deb.sh does not know" ;;
    esac
  done
  printf '%s\n' "${depends[@]}" | sort -u | paste -sd, | sed 's/,/, /g'
}

# lowest_libc BINARY: the oldest C library that runs a binary. Relative relocations in the packed form need 2.36.
lowest_libc() {
  {
    objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | cut -d_ -f2
    if readelf -V "$1" | grep GLIBC_ABI_DT_RELR >/dev/null; then echo 2.36; fi
  } | sort -uV | tail -n 1
}

# check_binary BINARY: what must hold of a command before it is packaged.
check_binary() {
  local binary=$1 libc size place
  libc=$(lowest_libc "$binary")
  [ "$(printf '%s\n' "$libc" 2.36 | sort -V | tail -n 1)" = 2.36 ] || fail "the command needs glibc $libc; Debian 12 has 2.36"
  if readelf -d "$binary" | grep -E 'RUNPATH|RPATH' >/dev/null; then fail "the command has a RUNPATH"; fi
  readelf -d "$binary" | grep BIND_NOW >/dev/null || fail "the command is not linked with -z now"
  readelf -lW "$binary" | grep GNU_RELRO >/dev/null || fail "the command has no read-only relocations"
  readelf -h "$binary" | grep 'DYN' >/dev/null || fail "the command is not position independent"
  if readelf -lW "$binary" | grep GNU_STACK | grep 'RWE' >/dev/null; then fail "the command's stack is executable"; fi
  # The storage that all empty arrays share; its span traps where an element needs 16 bytes (tools/empty-array.c).
  place=$(readelf -sW "$binary" | awk '$8 == "_swiftEmptyArrayStorage" && !seen++ { print $2 }')
  [ -n "$place" ] || fail "the command is not linked statically with Swift"
  [ $((0x$place % 16)) -eq 0 ] || fail "the storage of empty arrays is not aligned to 16 bytes"
  # Foundation and regular expressions are five megabytes that a single call brings in.
  if readelf -sW "$binary" | grep -E 'FoundationEssentials|_RegexParser' >/dev/null; then
    fail "the command links Foundation or regular expressions: nm -u on the object files names the call"
  fi
  size=$(stat -c %s "$2")
  [ "$size" -le $((20 * 1024 * 1024)) ] || fail "the stripped command has $size bytes, more than 20 MiB"
}

# strip_apart BINARY STRIPPED SYMBOLS ARCHITECTURE: the command without its symbols, and only these.
strip_apart() {
  local objcopy=$llvm/llvm-objcopy
  "$objcopy" --only-keep-debug --compress-debug-sections=zlib "$1" "$3"
  "$objcopy" --strip-all --remove-section=.comment "$1" "$2"
}

# write_texts FOLDER HELPER: manual pages and completions, written by a command that runs on this machine.
write_texts() {
  local root=$1 helper=$2 name
  mkdir -p "$root"/usr/share/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
  "$helper" manual | gzip -9n >"$root/usr/share/man/man1/beaconctl.1.gz"
  # The program's page names the commands.
  for name in $("$helper" manual | sed -n 's/^\.BR beaconctl\\-\([a-z]*\) (1)$/\1/p'); do
    "$helper" manual "$name" | gzip -9n >"$root/usr/share/man/man1/beaconctl-$name.1.gz"
  done
  "$helper" completion bash >"$root/usr/share/bash-completion/completions/beaconctl"
  "$helper" completion zsh >"$root/usr/share/zsh/vendor-completions/_beaconctl"
  "$helper" completion fish >"$root/usr/share/fish/vendor_completions.d/beaconctl.fish"
}

write_documents() {
  local doc=$1/usr/share/doc/beaconctl
  mkdir -p "$doc/docs" "$doc/examples"
  cp tools/package.d/debian/copyright "$doc/copyright"
  cp README.md "$doc/"
  cp docs/*.md "$doc/docs/"
  rm "$doc/docs/CHANGELOG.md"
  gzip -9n <docs/CHANGELOG.md >"$doc/changelog.gz"
  printf 'beaconctl (%s) unstable; urgency=medium\n\n  * Made from the source; changelog.gz has what is new.\n\n -- %s  %s\n' \
    "$version" "$(maintainer)" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
  cp Fixtures/museum/plan.json5 "$doc/examples/museum-plan.json5"
  cp tools/package.d/configuration.json5 "$doc/examples/configuration.json5"
}

# seal ROOT ARCHITECTURE OUTPUT: sums, times and modes, then the package.
seal() {
  local root=$1 output=$3
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  chmod -R u=rwX,go=rX "$root"
  find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 -r touch --no-dereference -d "@$SOURCE_DATE_EPOCH"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$output" >/dev/null
}

# make_deb ARCHITECTURE OUTPUT-FOLDER: of the command that was built for it.
make_deb() {
  local architecture=$1 output=$2 binary tree stripped symbols id name depends recommends
  binary=$(built "$architecture")
  tree=$(mktemp -d "$scratch/deb.XXXXXX")
  stripped=$tree/stripped symbols=$tree/symbols
  strip_apart "$binary" "$stripped" "$symbols"
  check_binary "$binary" "$stripped"
  # Assigned here: a fault within the text below would not end this.
  depends=$(depends_of "$stripped")
  recommends=$(recommends_of "$stripped")

  mkdir -p "$tree/main/DEBIAN"
  install -D -m 755 "$stripped" "$tree/main/usr/bin/beaconctl"
  write_texts "$tree/main" "$(built amd64)"
  write_documents "$tree/main"
  for name in beacond beacons-record beacons-web beacons-gateway beacons-proxy; do
    install -D -m 644 "tools/package.d/debian/$name.service" "$tree/main/usr/lib/systemd/system/$name.service"
  done
  install -D -m 644 tools/package.d/debian/io.github.swift_beacons.conf \
    "$tree/main/usr/share/dbus-1/system.d/io.github.swift_beacons.conf"
  install -D -m 644 tools/package.d/debian/io.github.swift_beacons.policy \
    "$tree/main/usr/share/polkit-1/actions/io.github.swift_beacons.policy"
  install -D -m 644 tools/package.d/debian/sysusers.conf "$tree/main/usr/lib/sysusers.d/beacons.conf"
  install -D -m 644 tools/package.d/debian/lintian-overrides "$tree/main/usr/share/lintian/overrides/beaconctl"
  for name in preinst postinst prerm postrm; do install -m 755 "tools/package.d/debian/$name" "$tree/main/DEBIAN/$name"; done
  cat >"$tree/main/DEBIAN/control" <<CONTROL
Package: beaconctl
Version: $version
Architecture: $architecture
Maintainer: $(maintainer)
Installed-Size: $(du -sk --apparent-size "$tree/main/usr" | cut -f1)
Depends: $depends
Recommends: $recommends
Suggests: bluez
Section: net
Priority: optional
Description: iBeacon ranging and region monitoring
 Receives Bluetooth beacons through BlueZ or the kernel, and replays
 captures: how near each beacon is, when a region is entered and left,
 and a guide through a museum. Core Location's rules, on Linux.
 .
 beacond.service serves programs, each with its own permission;
 beacons-record.service records, beacons-gateway.service publishes to an
 MQTT broker, beacons-proxy.service is a Bluetooth proxy, and
 beacons-web.service shows a page. None is enabled by itself. The Swift runtime is linked in: no Swift needs to be installed.
CONTROL
  name=beaconctl_${version}_$architecture.deb
  seal "$tree/main" "$architecture" "$output/$name"

  id=$(readelf -n "$binary" | awk '/Build ID/ { print $3 }')
  [ -n "$id" ] || fail "the command has no build id"
  mkdir -p "$tree/debug/DEBIAN" "$tree/debug/usr/share/doc"
  install -D -m 644 "$symbols" "$tree/debug/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
  ln -s beaconctl "$tree/debug/usr/share/doc/beaconctl-dbgsym"
  cat >"$tree/debug/DEBIAN/control" <<CONTROL
Package: beaconctl-dbgsym
Source: beaconctl
Version: $version
Auto-Built-Package: debug-symbols
Architecture: $architecture
Maintainer: $(maintainer)
Installed-Size: $(du -sk --apparent-size "$tree/debug/usr" | cut -f1)
Depends: beaconctl (= $version)
Section: debug
Priority: optional
Description: debug symbols for beaconctl
Build-Ids: $id
CONTROL
  seal "$tree/debug" "$architecture" "$output/beaconctl-dbgsym_${version}_$architecture.deb"
  rm -rf "$tree"
  say "made $output/$name: $(stat -c %s "$output/$name" | numfmt --to=iec) packed, $(lowest_libc "$binary") is the oldest glibc"
}

# write_sums FOLDER: SHA256SUMS of the packages of this version; `sha256sum --check SHA256SUMS` compares them.
write_sums() { (cd "$1" && sha256sum -- *_"${version}"_*.deb >SHA256SUMS); }
