// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How well a beacon's levels in a place agree with those of the survey.
///
/// The comparison of places always has a best one. This test is absolute: the mean level of each receiver since the beacon is
/// most probably in the place may differ from the survey's as seconds of the survey do, and as corners of a place do. So may the
/// share of the seconds in which a receiver receives the beacon; beacons differ in it, so it makes a place doubtful at most.
struct PlaceFit: Sendable {
  /// If the mean of the squared deviations is larger, the place is at most as probable as all others together.
  static let doubtful = 0.5
  /// If that of the levels is larger than this, the place is unknown.
  static let unfit = 2.0
  /// In how many seconds a level counts less by a factor of e.
  static let memory = 100.0
  /// The fewest seconds that are tested.
  static let fewest = 3.0
  /// With so many seconds a deviation counts half, since seconds that follow one another are alike.
  static let alike = 5.0
  /// A receiver that receives nothing, or only levels up to so many decibels above that, here and in the survey, has no level.
  static let faint = 3.0
  /// Such a receiver counts only from this deviation of its share of received seconds on.
  static let faintShare = 0.3
  /// For how many seconds a doubt stays when another place becomes the likeliest.
  ///
  /// Outside of the survey the belief goes to and fro between places that all fit badly.
  static let doubtStays = 15

  private struct Sums {
    var level = 0.0
    var received = 0.0
    var seconds = 0.0

    mutating func add(_ evidence: ReceptionSecond.Evidence) {
      let kept = 1 - 1 / PlaceFit.memory
      (level, received, seconds) = (level * kept, received * kept, seconds * kept)
      guard let level = UsualLevel.level(of: evidence) else { return }
      self.level += level
      if case .level = evidence { received += 1 }
      seconds += 1
    }
  }

  private var place = -1
  private var sums: [Sums] = []
  private var misfit = 0.0
  /// The doubt of the places before, and for how many more seconds it stays.
  private var earlier = (misfit: 0.0, seconds: 0)

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
      if misfit > Self.doubtful { earlier = (min(misfit, Self.unfit), Self.doubtStays) }
      if earlier.seconds > 0 { earlier.seconds = Self.doubtStays }
      self.place = place
      sums = Array(repeating: Sums(), count: evidence.count)
    }
    for (receiver, evidence) in evidence.enumerated() { sums[receiver].add(evidence) }
    misfit = misfit(in: place, tables)
    guard earlier.seconds > 0 else { return misfit }
    earlier.seconds -= 1
    return max(misfit, earlier.misfit)
  }

  private func misfit(in place: Int, _ tables: PlaceTables) -> Double {
    var (levels, all) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0))
    for (receiver, sums) in sums.enumerated() where sums.seconds > 0 {
      guard let usual = tables.usualLevel(at: receiver, in: place) else { continue }
      let known = sums.seconds / (sums.seconds + Self.alike)
      let mean = sums.level / sums.seconds
      let share = usual.deviation(ofShare: sums.received / sums.seconds) * known
      if max(mean, usual.mean) > UsualLevel.silence + Self.faint {
        let level = usual.deviation(of: mean) * known
        levels = (levels.sum + level, levels.count + 1)
        all = (all.sum + max(level, share), all.count + 1)
      } else if share >= Self.faintShare {
        all = (all.sum + share, all.count + 1)
      }
    }
    let isKnown = sums.contains { $0.seconds >= Self.fewest }
    guard isKnown, all.count > 0 else { return 0 }
    return max(levels.sum / max(1, levels.count), min(all.sum / all.count, Self.unfit))
  }
}

/// The level that a receiver usually has from a place, in dBm, and how often it receives one.
struct UsualLevel: Sendable {
  /// What silence, and every weaker level, counts as: the weakest level that receivers commonly report.
  static let silence = -100.0
  /// The least standard deviation of a place's levels: that of one beacon at rest.
  static let least = 2.0
  /// By how much the mean levels of two corners of a place differ, as a standard deviation.
  static let corners = 8.0

  /// By how much the shares of received seconds of two corners differ, as a standard deviation.
  static let cornersOfShare = 0.7
  /// The least variance of whether a second is received.
  static let leastOfShare = 0.05

  let mean: Double
  private let variance: Double
  /// In which share of the seconds the receiver received the beacon.
  private let share: Double
  private let shareVariance: Double

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
    let stays = Double(max(1, stays))
    variance =
      max(squares / Double(levels.seconds), Self.least * Self.least)
      + Self.corners * Self.corners / stays
    share = Double(levels.heard) / Double(levels.seconds)
    shareVariance =
      max(share * (1 - share), Self.leastOfShare)
      + Self.cornersOfShare * Self.cornersOfShare / stays
  }

  /// The squared deviation of a mean level, as a multiple of the usual one.
  func deviation(of level: Double) -> Double { (level - mean) * (level - mean) / variance }

  /// The squared deviation of a share of received seconds, as a multiple of the usual one.
  func deviation(ofShare received: Double) -> Double {
    (received - share) * (received - share) / shareVariance
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
