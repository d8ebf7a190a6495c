// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How far the mean of a beacon's reports lies from its most probable level, learned from the reports.
///
/// Fades only weaken, so the mean is weaker than the level that a ``SignalModel`` finds: by less than a decibel in an
/// empty room, by 3 dB among computers and people. A maker measures the power at one meter as a mean. So a level is
/// delivered as the mean that it would have, and both mean the same.
///
/// Only the difference is learned, slowly, and only while the beacon stands still: the level of one that moves is behind
/// its reports. A body that blocks the signal for a few seconds weakens single reports, not the delivered level.
struct MeanOffset: Sendable {
  /// The mean of the reports less the level, in steps of 1/256 dB.
  private var steps = usual
  /// How many reports it counts for.
  private var weight = usualReports

  private static let stepsPerDecibel: Double = 256
  /// −0.8 dB, until reports are known: measured in rooms are 0.4 to 3.3 dB.
  private static let usual: Int16 = -205
  /// The usual value counts for 30 reports, ten seconds of a typical beacon: the mean of fewer hardly describes
  /// fades that one in six has.
  private static let usualReports: UInt16 = 30
  /// At most 256 reports count, one or two minutes: who walks changes the surroundings.
  private static let mostReports: UInt16 = 256
  /// Five seconds of standing still before the reports count: a walk of a meter a second is then evident.
  static let secondsNeeded: UInt16 = 5
  /// A second's reports count as at most 6 dB weaker than the level and 2 dB stronger: a larger difference is a walk that
  /// the level has still to follow, since fades only weaken.
  private static let bounds = -6.0...2

  /// Creates the usual offset.
  init() {}

  /// The mean of the reports less the level, in dB.
  @inline(__always)
  var decibels: Double { Double(steps) / Self.stepsPerDecibel }

  /// Learns from the mean of some reports, in dB above the level after them.
  @inline(__always)
  mutating func learn(_ difference: Double, reports: Int32) {
    let bounded = min(max(difference, Self.bounds.lowerBound), Self.bounds.upperBound)
    let count = UInt16(clamping: max(reports, 1))
    weight = min(weight &+ min(count, Self.mostReports), Self.mostReports)
    let share = min(Double(count) / Double(weight), 1)
    let next = decibels + (bounded - decibels) * share
    let exact = next * Self.stepsPerDecibel
    steps = Int16(clamping: Int(exact < 0 ? exact - 0.5 : exact + 0.5))
  }
}
