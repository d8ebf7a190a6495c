// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The seconds at each proximity: immediate, near and far, as the INF framework counts them.
public struct Nearness: Sendable, Hashable {
  /// The seconds at immediate.
  public var immediate: Double
  /// The seconds at near.
  public var near: Double
  /// The seconds at far.
  public var far: Double
  /// The seconds at unknown.
  public var unknown: Double

  /// Creates a sum.
  public init(immediate: Double = 0, near: Double = 0, far: Double = 0, unknown: Double = 0) {
    self.immediate = immediate
    self.near = near
    self.far = far
    self.unknown = unknown
  }

  /// The seconds at a known proximity.
  public var known: Double { immediate + near + far }

  /// Adds seconds at a proximity.
  public mutating func add(_ seconds: Double, at proximity: Proximity) {
    switch proximity {
    case .immediate: immediate += seconds
    case .near: near += seconds
    case .far: far += seconds
    case .unknown: unknown += seconds
    }
  }

  /// Adds another sum.
  public mutating func add(_ other: Nearness) {
    immediate += other.immediate
    near += other.near
    far += other.far
    unknown += other.unknown
  }

  /// Returns the sum with each of its parts rounded.
  func rounded(_ round: (Double) -> Double) -> Nearness {
    Nearness(
      immediate: round(immediate),
      near: round(near),
      far: round(far),
      unknown: round(unknown)
    )
  }

  /// The shares of immediate, near and far in the seconds at a known proximity; `nil` without such seconds.
  public var shares: (immediate: Double, near: Double, far: Double)? {
    known > 0 ? (immediate / known, near / known, far / known) : nil
  }
}
