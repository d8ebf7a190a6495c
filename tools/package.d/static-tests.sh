# shellcheck shell=bash
# Runs the whole suite of tests linked with a static Swift, with the storage of empty arrays at an odd multiple of eight: a linker
# may put it there, and `span` of an empty array of 16-byte aligned elements then traps. Sourced by tools/package.
#
# A toolchain has Swift Testing and XCTest as shared libraries only, which would bring a second Swift into the program. So both are
# compiled from the sources of the toolchain's version.

# static_tests FOLDER: FOLDER has checkouts of swift-testing and swift-corelibs-xctest; without one they are cloned.
static_tests() {
  local sources=$1 libraries=$scratch/static tests version name place flags=() skipped=()
  version=$(swift --version 2>/dev/null | sed -n 's/^Swift version \([0-9.]*\).*/\1/p')
  mkdir -p "$libraries"
  if [ -z "$sources" ]; then
    sources=$scratch/sources
    for name in swift-testing swift-corelibs-xctest; do
      [ -d "$sources/$name" ] || git clone -q --depth 1 -b "swift-$version-RELEASE" "https://github.com/swiftlang/$name" "$sources/$name"
    done
  fi
  [ -e "$libraries/libXCTest.a" ] || compile_testing "$sources/swift-testing" "$libraries"
  [ -e "$libraries/libXCTest.a" ] || compile_xctest "$sources/swift-corelibs-xctest" "$libraries"
  order_odd "$libraries"
  for name in --start-group -lTesting -l_Testing_Foundation -l_TestDiscovery -l_TestingInternals -lXCTest -lFoundation -lCoreFoundation \
    -l_FoundationICU --end-group "$libraries/odd.o" -u odd_eight "--symbol-ordering-file=$libraries/order"; do
    flags+=(-Xlinker "$name")
  done
  say "building the tests (eight minutes the first time)"
  swift build --build-tests --static-swift-stdlib --disable-xctest --scratch-path "$scratch/tests" -Xswiftc -static-stdlib \
    -Xswiftc -use-ld=lld -Xswiftc -I"$libraries" -Xlinker -L"$libraries" \
    -Xlinker -L"$(toolchain)/../lib/swift_static/linux" "${flags[@]}" </dev/null >&2
  tests=$scratch/tests/debug/swift-beaconsPackageTests.xctest
  place=$(nm "$tests" | sed -n 's/ [dD] _swiftEmptyArrayStorage$//p')
  [ "${place: -1}" = 8 ] || fail "the storage of empty arrays is at $place, not at an odd multiple of eight"
  if ! archives "$libraries"; then
    say "left out: tests that archive with NSKeyedArchiver, which no statically linked program can with this Foundation"
    skipped=(--skip 'ArchiveTests|stand-ins are made without values')
  fi
  run_tests "$tests" "${skipped[@]}" || fail "the tests do not pass where Swift is linked in"
  say "ok: the tests pass with Swift $version linked in, and empty arrays at $place"
}

# compile_testing SOURCE LIBRARIES: with the definitions that its own build has for Linux.
compile_testing() {
  local source=$1/Sources folder=$2 name words
  words=(-swift-version 6 -O -wmo -static -static-stdlib -suppress-warnings -parse-as-library -enable-library-evolution
    -package-name org.swift.testing -enable-experimental-feature AccessLevelOnImport -enable-experimental-feature Lifetimes
    -DSWT_NO_SNAPSHOT_TYPES -DSWT_NO_FOUNDATION_FILE_COORDINATION -DSWT_NO_INTEROP -DSWT_NO_IMAGE_ATTACHMENTS
    -I "$folder" -Xcc "-fmodule-map-file=$source/_TestingInternals/include/module.modulemap")
  for name in ExistentialAny InternalImportsByDefault MemberImportVisibility InferIsolatedConformances; do
    words+=(-enable-upcoming-feature "$name")
  done
  while read -r name; do
    words+=(-Xfrontend -define-availability -Xfrontend "$name")
  done < <(sed -n 's/.*-define-availability -Xfrontend \\"\(.*\)\\">.*/\1/p' "$1/cmake/modules/shared/AvailabilityDefinitions.cmake")
  for name in "$source"/_TestingInternals/*.cpp; do
    "$(toolchain)/clang++" -std=c++20 -O2 -fPIC -fno-exceptions -DSWT_NO_INTEROP "-DSWT_TESTING_LIBRARY_VERSION=\"static\"" \
      -I "$source/_TestingInternals/include" -c "$name" -o "$folder/$(basename "$name").o"
  done
  ar rcs "$folder/lib_TestingInternals.a" "$folder"/*.cpp.o
  for name in _TestDiscovery Testing Overlays/_Testing_Foundation; do
    static_library "$source/$name" "$folder" "${words[@]}"
  done
}

compile_xctest() {
  static_library "$1/Sources/XCTest" "$2" -swift-version 5 -static -static-stdlib -wmo -suppress-warnings -parse-as-library
}

# static_library SOURCE LIBRARIES WORDS…: a module of the folder's name.
static_library() {
  local name=${1##*/} folder=$2 files
  mapfile -t files < <(find "$1" -name '*.swift')
  swiftc "${@:3}" -module-name "$name" -emit-module -emit-module-path "$folder/$name.swiftmodule" \
    -emit-library -o "$folder/lib$name.a" "${files[@]}"
}

# order_odd LIBRARIES: eight bytes at a multiple of sixteen, which the linker is to put before the storage.
order_odd() {
  printf '%s\n' '.section .data.odd,"aw",@progbits' '.balign 16' '.globl odd_eight' 'odd_eight: .quad 0' \
    '.section .note.GNU-stack,"",@progbits' >"$1/odd.s"
  cc -c "$1/odd.s" -o "$1/odd.o"
  printf 'odd_eight\n_swiftEmptyArrayStorage\n' >"$1/order"
}

# archives LIBRARIES: whether a program with a static Foundation can use NSKeyedArchiver.
archives() {
  cat >"$1/archive.swift" <<'SWIFT'
import Foundation
let data = try NSKeyedArchiver.archivedData(withRootObject: NSString(string: "x"), requiringSecureCoding: true)
_ = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: data)
SWIFT
  swiftc -static-stdlib -suppress-warnings "$1/archive.swift" -o "$1/archive" >/dev/null 2>&1 \
    && (SWIFT_BACKTRACE=enable=no "$1/archive"; exit) 2>/dev/null
}
