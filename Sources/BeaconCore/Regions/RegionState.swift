// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a client is among a region's beacons.
public enum RegionState: UInt8, Sendable, CaseIterable {
  /// Nothing can be said: not yet determined, or the radio or the right to know is lost. Never inside, never "left".
  case unknown = 0
  /// At least one matching beacon is heard.
  case inside = 1
  /// No matching beacon is heard.
  case outside = 2
}

extension RegionState: CustomStringConvertible {
  /// The state's name as events spell it.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .inside: "inside"
    case .outside: "outside"
    }
  }
}

/// What a region state rests on.
public enum RegionStateOrigin: String, Sendable, CaseIterable {
  /// On what was heard, or on silence listened to, in this run.
  case observed
  /// On what an earlier run saved; nothing has confirmed it yet.
  case restored
  /// On what the caller said when monitoring began; nothing has confirmed it yet.
  case assumed
}
