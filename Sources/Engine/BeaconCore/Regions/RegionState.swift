// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a client is in a region.
public enum RegionState: UInt8, Sendable, CaseIterable {
  /// Not known: not yet determined, or reception or authorization is lost. It never counts as inside or as left.
  case unknown = 0
  /// At least one matching beacon is received.
  case inside = 1
  /// No matching beacon is received.
  case outside = 2
}

extension RegionState: CustomStringConvertible {
  /// The name in events.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .inside: "inside"
    case .outside: "outside"
    }
  }
}

/// The origin of a region state.
public enum RegionStateOrigin: String, Sendable, CaseIterable {
  /// Reports in this run, or silence while a receiver listened.
  case observed
  /// An earlier run saved it; nothing has confirmed it yet.
  case restored
  /// The caller stated it when monitoring started; nothing has confirmed it yet.
  case assumed
}
