// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import FuzzSurfaces
import Glibc

/// The surface that this process fuzzes, by `BEACON_FUZZ_SURFACE`.
///
/// One program for all: libFuzzer follows the edges an input takes, so surfaces that a process never calls cost nothing
/// but their place in the binary, and one build serves all.
private let surface: FuzzSurface = {
  let name = unsafe getenv("BEACON_FUZZ_SURFACE").map { unsafe String(cString: $0) } ?? ""
  guard let surface = FuzzSurface(rawValue: name) else {
    let known = FuzzSurface.allCases.map(\.rawValue).joined(separator: " ")
    print("BEACON_FUZZ_SURFACE is '\(name)'; it can be: \(known)")
    exit(64)
  }
  return surface
}()

#if FUZZING
  /// What libFuzzer calls with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    surface.consume(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
#else
  /// Without the fuzzer's instruments the program only names the surfaces, one a line.
  @main
  struct FuzzBeacons {
    static func main() {
      for surface in FuzzSurface.allCases { print(surface.rawValue) }
    }
  }
#endif
