// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// A place where bytes that nobody here chose enter the project.
///
/// Each is fuzzed by itself (`tools/fuzz NAME`), and each has a corpus of its own, `Fixtures/corpus/NAME`, that the
/// tests replay. A new surface is a case here and a line in ``consume(_:)``.
public enum FuzzSurface: String, CaseIterable, Sendable {
  /// Identity constraints as a person writes them.
  case constraint

  /// Feeds an input to the surface; whatever the bytes are, it must return.
  public func consume(_ bytes: [UInt8]) {
    switch self {
    case .constraint: ConstraintFuzzing.consume(bytes)
    }
  }
}
