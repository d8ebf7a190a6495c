// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a profile says of regions.
public struct RegionPolicy: Sendable, Hashable {
  /// When a region without a timing of its own is left.
  public var exitTiming: ExitTiming
  /// What must be heard to enter a region without a policy of its own.
  public var enter: EnterPolicy
  /// What learned exit times aim for; its cap also holds for a state that was restored or assumed.
  public var learning: ExitLearning
  /// How long a radio listens to silence before an unknown region is outside.
  public var initialDetermination: TimeSpan
  /// Whether a change to unknown is told; Core Location only answers with it when asked.
  public var tellsUnknown: Bool
  /// How many regions a client may monitor.
  public var limit: Int
  /// How old a saved state may be and still be restored.
  public var restoredStateAge: TimeSpan

  /// Learned exits, unknown told, 10,000 regions.
  public static let standard = RegionPolicy(
    exitTiming: .learned,
    tellsUnknown: true,
    limit: RegionConstants.defaultRegionLimit
  )

  /// Core Location's: exit after 30 s, a change to unknown not told, 20 regions.
  public static let coreLocation = RegionPolicy(
    exitTiming: .fixed(RegionConstants.fixedExitTime),
    tellsUnknown: false,
    limit: RegionConstants.coreLocationRegionLimit
  )

  /// Creates a policy.
  public init(
    exitTiming: ExitTiming,
    enter: EnterPolicy = .immediate,
    learning: ExitLearning = .standard,
    initialDetermination: TimeSpan = RegionConstants.initialDetermination,
    tellsUnknown: Bool,
    limit: Int,
    restoredStateAge: TimeSpan = RegionConstants.restoredStateAge
  ) {
    self.exitTiming = exitTiming
    self.enter = enter
    self.learning = learning
    self.initialDetermination = initialDetermination
    self.tellsUnknown = tellsUnknown
    self.limit = limit
    self.restoredStateAge = restoredStateAge
  }
}
