// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How near a beacon is, in the three zones that Core Location has, or unknown.
///
/// A nearer zone is less than a farther one, and unknown comes last, as in a tick.
public enum Proximity: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// No distance is known: nothing received lately, or no measured power.
  case unknown = 0
  /// Within about half a meter.
  case immediate = 1
  /// Within about three meters.
  case near = 2
  /// Received, and farther than near.
  case far = 3

  /// Whether one zone is nearer than another.
  public static func < (one: Proximity, other: Proximity) -> Bool { one.rank < other.rank }

  private var rank: Int { self == .unknown ? 4 : rawValue }

  /// The name in every output.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .immediate: "immediate"
    case .near: "near"
    case .far: "far"
    }
  }
}
