// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How well a beacon's levels in a place agree with those of the survey.
///
/// The comparison of places always has a best one. This test is absolute: the mean level of each receiver since the beacon is
/// most probably in the place may differ from the survey's as seconds of the survey do, and as corners of a place do.
struct PlaceFit: Sendable {
  /// If the mean of the squared deviations is larger, the place is at most as probable as all others together.
  static let doubtful = 0.6
  /// If it is larger than this, the place is unknown.
  static let unfit = 2.0
  /// In how many seconds a level counts less by a factor of e.
  static let memory = 100.0
  /// The fewest seconds that are tested.
  static let fewest = 3.0
  /// With so many seconds a deviation counts half, since seconds that follow one another are alike.
  static let alike = 5.0
  /// A receiver that receives nothing, or only levels up to so many decibels above that, here and in the survey, does not count.
  static let faint = 3.0

  private var place = -1
  private var sums: [(level: Double, seconds: Double)] = []

  /// Processes a second.
  ///
  /// - Parameters:
  ///   - evidence: The evidence of each receiver of the model.
  ///   - place: The most probable place.
  ///   - tables: The usual levels of the model.
  /// - Returns: The mean of the receivers' squared deviations, as a multiple of the usual one; 0 while little is known.
  mutating func misfit(
    _ evidence: [ReceptionSecond.Evidence],
    in place: Int,
    _ tables: PlaceTables
  ) -> Double {
    if place != self.place || sums.count != evidence.count {
      self.place = place
      sums = Array(repeating: (0, 0), count: evidence.count)
    }
    var (total, receivers, longest) = (0.0, 0.0, 0.0)
    for (receiver, evidence) in evidence.enumerated() {
      sums[receiver].level *= 1 - 1 / Self.memory
      sums[receiver].seconds *= 1 - 1 / Self.memory
      if let level = UsualLevel.level(of: evidence) {
        sums[receiver].level += level
        sums[receiver].seconds += 1
      }
      let (sum, seconds) = sums[receiver]
      longest = max(longest, seconds)
      guard seconds > 0, let usual = tables.usualLevel(at: receiver, in: place),
        max(sum / seconds, usual.mean) > UsualLevel.silence + Self.faint
      else { continue }
      let deviation = sum / seconds - usual.mean
      total += deviation * deviation / usual.variance * seconds / (seconds + Self.alike)
      receivers += 1
    }
    return longest >= Self.fewest && receivers > 0 ? total / receivers : 0
  }
}

/// The level that a receiver usually has from a place, in dBm.
struct UsualLevel: Sendable {
  /// What silence, and every weaker level, counts as: the weakest level that receivers commonly report.
  static let silence = -100.0
  /// The least standard deviation of a place's levels: that of one beacon at rest.
  static let least = 2.0
  /// By how much the mean levels of two corners of a place differ, as a standard deviation.
  static let corners = 8.0

  let mean: Double
  let variance: Double

  /// - Parameters:
  ///   - levels: The levels of a place at a receiver; without them the result is `nil`.
  ///   - stays: In how many stays they were received.
  init?(_ levels: SiteModel.Levels, stays: Int) {
    guard levels.seconds > 0 else { return nil }
    var (sum, squares) = (Double(levels.silent) * Self.silence, 0.0)
    for (level, count) in zip(SiteModel.levels, levels.counts) where count > 0 {
      sum += Double(count) * max(Double(level), Self.silence)
    }
    mean = sum / Double(levels.seconds)
    squares = Double(levels.silent) * (Self.silence - mean) * (Self.silence - mean)
    for (level, count) in zip(SiteModel.levels, levels.counts) where count > 0 {
      let deviation = max(Double(level), Self.silence) - mean
      squares += Double(count) * deviation * deviation
    }
    variance =
      max(squares / Double(levels.seconds), Self.least * Self.least)
      + Self.corners * Self.corners / Double(max(1, stays))
  }

  /// The level of a second; `nil` without evidence.
  static func level(of evidence: ReceptionSecond.Evidence) -> Double? {
    switch evidence {
    case .none: nil
    case .silence: silence
    case .level(let level): max(level, silence)
    }
  }
}
