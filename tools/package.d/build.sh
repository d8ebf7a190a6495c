# shellcheck shell=bash
# Builds the command for a package: amd64 with this machine's toolchain, arm64 by cross-compiling. Sourced by tools/package.

# Compiler and runtime must be of one version, since Dispatch comes as a binary module only. Debian has both for
# arm64 in its rolling suite; the oldest Debian that the packages are for gives the libraries.
swift_suite=sid
oldest_suite=bookworm
debian_swift=$cache/swift
sdks=$cache/sdks

# Hardened, and small: relative relocations in packed form save a megabyte. The symbol that is ordered first in its section gets the
# section's alignment (check_binary looks).
link_flags=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker now -Xlinker -z -Xlinker pack-relative-relocs
  -Xlinker --build-id=sha1 -Xlinker "--symbol-ordering-file=$root/tools/package.d/symbol-order"
  -Xlinker --no-warn-symbol-ordering
  # Nothing looks its functions up by name, and many of them are the same code: 1.6 MB.
  -Xlinker --no-export-dynamic -Xlinker --icf=all)
# A function in a separate section is left out without a caller.
build_flags=(-c release --product beaconctl --static-swift-stdlib --disable-local-rpath -Xswiftc -Xfrontend -Xswiftc -function-sections
  # A hash of code that is not optimized yet, which differs between two builds of the same bytes.
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
  # The same bytes in whatever folder.
  -Xswiftc -file-prefix-map -Xswiftc "$root=/usr/src/beaconctl" -Xswiftc -file-prefix-map -Xswiftc "$cache=/usr/src/packages")

require_tools() {
  local missing=() tool
  for tool in lld llvm-objcopy; do
    [ -x "$(toolchain)/$tool" ] || missing+=("$tool of the Swift toolchain")
  done
  for tool in objdump readelf strings gzip git; do command -v "$tool" >/dev/null || missing+=("$tool"); done
  [ "${#missing[@]}" -eq 0 ] || fail "missing: ${missing[*]}"
  llvm=$(toolchain)
}

toolchain() { dirname "$(realpath "$(command -v swift)")"; }

# The command that was built for an architecture.
built() { echo "$scratch/$1/$1-beaconctl"; }

# build_command ARCHITECTURE
build_command() {
  local words folder
  say "building the command for $1 (ten minutes the first time)"
  mkdir -p "$scratch/$1"
  case $1 in
    amd64)
      words=("${build_flags[@]}" "${link_flags[@]}" -Xlinker "--Map=$scratch/$1/link.map" --scratch-path "$scratch/amd64")
      swift build "${words[@]}" </dev/null >&2
      folder=$(swift build "${words[@]}" --show-bin-path </dev/null)
      ;;
    arm64)
      cross_build
      folder=$scratch/arm64/aarch64-unknown-linux-gnu/release
      ;;
  esac
  cp "$folder/beaconctl" "$(built "$1")"
}

# The place of the cross-compiler: Debian's in its own root, since it needs a newer C library than Debian 12's, or the official one here.
cross_build() {
  local sysroot flags
  require_namespaces
  announce
  make_sdk
  flags="$(printf '%q ' "${build_flags[@]}" "${link_flags[@]}" -Xlinker "--Map=$scratch/arm64/link.map") -j ${JOBS:-2}"
  if [ -n "$runtime" ]; then
    sysroot=$sdks/official.artifactbundle/arm64/sysroot
    PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_PATH=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig \
      swift build "${build_flags[@]}" "${link_flags[@]}" -Xlinker "--Map=$scratch/arm64/link.map" --scratch-path "$scratch/arm64" \
      --swift-sdks-path "$sdks" --swift-sdk aarch64-unknown-linux-gnu </dev/null >&2
    return
  fi
  with_debian_swift "
    export PKG_CONFIG_SYSROOT_DIR=$sdks/debian.artifactbundle/arm64/sysroot
    export PKG_CONFIG_PATH=\$PKG_CONFIG_SYSROOT_DIR/usr/lib/aarch64-linux-gnu/pkgconfig
    swift build $flags --scratch-path $scratch/arm64 --swift-sdks-path $sdks --swift-sdk aarch64-unknown-linux-gnu"
}

# with_debian_swift SCRIPT: runs a script with Debian's compiler, in the project's folder.
with_debian_swift() {
  in_root "$debian_swift" "$root:$root $cache:$cache" /bin/bash -euc "
    export PATH=/usr/libexec/swift/bin:/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 SWIFT_BACKTRACE=enable=no
    export SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH
    cd $root
    $1" >&2
}

# The packages with headers of the command; a cache that was filled for another list is filled again.
headers=(libdbus-1-dev libsqlite3-dev libmosquitto-dev libsodium-dev)
has_headers() { [ "$(cat "$1/.done" 2>/dev/null)" = "${headers[*]}" ]; }

announce() {
  has_headers "$debian_swift" && has_headers "$sdks" && return
  say "fetching a compiler and libraries for arm64: 1.3 GB, 4.5 GB unpacked, kept in $cache"
}

fetch_debian_swift() {
  ! has_headers "$debian_swift" || return 0
  rm -rf "$debian_swift"
  fetch_tree amd64 "$swift_suite" "$debian_swift" swiftlang libc6-dev "${headers[@]}" pkg-config bash coreutils git
  echo "${headers[*]}" >"$debian_swift/.done"
}

# make_sdk: a Swift SDK in the form of an artifact bundle: the oldest Debian's libraries for arm64, and Swift's.
make_sdk() {
  local bundle root_of_sdk work source compat
  bundle=$sdks/debian.artifactbundle source=
  [ -z "$runtime" ] || { bundle=$sdks/official.artifactbundle; rm -rf "$sdks"; }
  [ -n "$runtime" ] || fetch_debian_swift
  ! has_headers "$sdks" || return 0
  rm -rf "$sdks"
  root_of_sdk=$bundle/arm64/sysroot
  mkdir -p "$root_of_sdk"
  fetch_tree arm64 "$oldest_suite" "$root_of_sdk" \
    libc6-dev libgcc-12-dev libstdc++-12-dev "${headers[@]}"
  work=$(mktemp -d "$cache/sdk.XXXXXX")
  if [ -n "$runtime" ]; then
    source=$runtime/lib compiler=$(toolchain)/..
  else
    compiler=$debian_swift/usr/libexec/swift
    fetch_alone arm64 "$swift_suite" "$work" swiftlang
    # The modules and archives of the target; the programs run nowhere.
    dpkg-deb --fsys-tarfile "$work"/swiftlang_*.deb | tar -x -C "$work" --wildcards --exclude='*/embedded/*' \
      --exclude='*/host/*' --exclude='*.swiftdoc' './usr/libexec/swift/lib/swift/*' './usr/libexec/swift/lib/swift_static/*'
    source=$work/usr/libexec/swift/lib
  fi
  for kind in swift swift_static; do
    cp -a "$source/$kind" "$root_of_sdk/usr/lib/$kind"
    # The headers of the compiler that is used, copied, so that they are found in whatever root it runs.
    rm -rf "$root_of_sdk/usr/lib/$kind/clang"
    cp -a "$(realpath "$compiler/lib/swift/clang")" "$root_of_sdk/usr/lib/$kind/clang"
  done
  compat=
  if [ -z "$runtime" ]; then
    "$llvm/clang" --target=aarch64-linux-gnu --sysroot="$root_of_sdk" -O2 -Wall -Werror -fPIC \
      -c "$parts/glibc-compat.c" -o "$work/glibc-compat.o"
    "$llvm/llvm-ar" rcs "$root_of_sdk/usr/lib/libglibc-compat.a" "$work/glibc-compat.o"
    compat='"-lglibc-compat"'
  fi
  write_bundle "$bundle" "$compat"
  rm -rf "$work"
  echo "${headers[*]}" >"$sdks/.done"
}

# write_bundle BUNDLE LINKER-OPTIONS: the descriptions that SwiftPM reads.
write_bundle() {
  cat >"$1/info.json" <<'JSON'
{"schemaVersion": "1.0", "artifacts": {"debian-arm64": {"type": "swiftSDK", "version": "1", "variants": [{"path": "arm64"}]}}}
JSON
  cat >"$1/arm64/swift-sdk.json" <<'JSON'
{
  "schemaVersion": "4.0",
  "targetTriples": {
    "aarch64-unknown-linux-gnu": {
      "sdkRootPath": "sysroot",
      "swiftResourcesPath": "sysroot/usr/lib/swift",
      "swiftStaticResourcesPath": "sysroot/usr/lib/swift_static",
      "toolsetPaths": ["toolset.json"]
    }
  }
}
JSON
  cat >"$1/arm64/toolset.json" <<JSON
{"schemaVersion": "1.0", "linker": {"extraCLIOptions": [$2]}}
JSON
}

# make_twice ARCHITECTURE…: everything again from nothing, in the same folder, since paths are in the debug information.
make_twice() {
  local architecture name first=$scratch/first
  require_tools
  for architecture; do
    rm -rf "$first"
    mkdir -p "$first"
    mv "$packages"/beaconctl*_"${version}_$architecture.deb" "$first" || fail "no package for $architecture; tools/package $architecture"
    rm -rf "${scratch:?}/$architecture"
    build_command "$architecture"
    [ -x "$(built amd64)" ] || build_command amd64
    make_deb "$architecture" "$packages"
    for name in "$first"/*.deb; do
      cmp "$name" "$packages/${name##*/}" || fail "${name##*/} differs when it is made again"
    done
    say "ok: $architecture is the same, made twice"
  done
}

# check_compiler: the project with the older compiler that Debian has, and the tests that need no other program.
check_compiler() {
  require_namespaces
  require_tools
  announce
  fetch_debian_swift
  # The names under which programs load libraries; a package that is only unpacked may lack them.
  /sbin/ldconfig -n "$debian_swift/usr/lib/x86_64-linux-gnu"
  # A library that every test with Foundation is linked with, without need: Debian has only its module.
  mkdir -p "$scratch/older"
  ar rcs "$scratch/older/lib_Testing_Foundation.a"
  with_debian_swift "
    swift build -j ${JOBS:-2} --scratch-path $scratch/older --build-tests -Xlinker -L$scratch/older
    BEACON_QUICK=1 $scratch/older/debug/swift-beaconsPackageTests.xctest --testing-library swift-testing --skip '$waiting_tests'"
  say "the project builds, and its tests pass, with Debian's $(in_root "$debian_swift" "" /usr/libexec/swift/bin/swift --version 2>/dev/null | head -n 1)"
}
