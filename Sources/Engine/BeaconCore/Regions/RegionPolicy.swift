// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A profile's rules for regions.
public struct RegionPolicy: Sendable, Hashable {
  /// When a region without a separate timing is left.
  package var exitTiming: ExitTiming
  /// The reports that are required to enter a region without a separate policy.
  package var enter: EnterPolicy
  /// The target of learned exit times; its cap also applies to a restored or assumed state.
  package var learning: ExitLearning
  /// How long a radio listens to silence before an unknown region is outside.
  package var initialDetermination: TimeSpan
  /// Whether a change to unknown is delivered; Core Location returns it only on request.
  package var deliversUnknown: Bool
  /// Whether a crossing is delivered when the state before it was unknown and differed from the state before that
  /// (row G17).
  package var deliversMissedCrossings: Bool
  /// Whether monitoring cannot start while Bluetooth is off or absent (row G18).
  package var needsRadioToStart: Bool
  /// How many regions a client may monitor.
  package var limit: Int
  /// How old a saved state may be and still be restored.
  package var restoredStateAge: TimeSpan

  /// Learned exit times, changes to unknown and missed crossings delivered, 10,000 regions.
  package static let standard = RegionPolicy(
    exitTiming: .learned,
    deliversUnknown: true,
    deliversMissedCrossings: true,
    needsRadioToStart: false,
    limit: RegionConstants.defaultRegionLimit
  )

  /// Core Location's rules: exit after 30 s, no changes to unknown, no missed crossings, no start without a
  /// radio, 20 regions.
  package static let coreLocation = RegionPolicy(
    exitTiming: .fixed(RegionConstants.fixedExitTime),
    deliversUnknown: false,
    deliversMissedCrossings: false,
    needsRadioToStart: true,
    limit: RegionConstants.coreLocationRegionLimit
  )

  /// Creates a policy.
  package init(
    exitTiming: ExitTiming,
    enter: EnterPolicy = .immediate,
    learning: ExitLearning = .standard,
    initialDetermination: TimeSpan = RegionConstants.initialDetermination,
    deliversUnknown: Bool,
    deliversMissedCrossings: Bool,
    needsRadioToStart: Bool,
    limit: Int,
    restoredStateAge: TimeSpan = RegionConstants.restoredStateAge
  ) {
    self.exitTiming = exitTiming
    self.enter = enter
    self.learning = learning
    self.initialDetermination = initialDetermination
    self.deliversUnknown = deliversUnknown
    self.deliversMissedCrossings = deliversMissedCrossings
    self.needsRadioToStart = needsRadioToStart
    self.limit = limit
    self.restoredStateAge = restoredStateAge
  }
}
