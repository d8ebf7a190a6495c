// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The evidence that a beacon's silences beyond the cap are rests (of the beacon, or of its receiver), not absences.
///
/// A beacon that leaves does not come back within a minute again and again, nor within some minutes or each time after the
/// same time, each time for less than it was away: of longer silences, only those count that are longer than the presence
/// before them. Each silence that fits counts one up, each other one down, so that real absences outweigh chance.
public struct Rests: Sendable, Equatable {
  /// The silence that the others are compared with, in tenths of a second; 0 before the first.
  public var usual: UInt16 = 0
  /// The longest silence since then, in tenths of a second.
  public var longest: UInt16 = 0
  /// The shortest silence that fits since then, in tenths of a second.
  public var shortest: UInt16 = 0
  /// How many silences fit, without as many that do not.
  public var score: UInt8 = 0
  /// Whether the silences are rests: from eight of them, or as set, until as many absences outweigh them.
  ///
  /// From twice as many if their lengths differ, since the longest of a few is not the longest that there is.
  public var areEvident = false
  /// The presence at the end of the last silence, in ms of the current period.
  public var presence: UInt32 = 0

  /// Creates the evidence of a beacon that was never silent for longer than the cap.
  public init() {}

  /// The longest silence.
  var longestSilence: TimeSpan { .milliseconds(Int64(longest) * 100) }
  /// The longest silence that is to be expected, in seconds: a tenth more, and a quarter of the range of different ones.
  var expected: Double {
    let (longest, range) = (Double(longest) / 10, Double(longest - min(shortest, longest)) / 10)
    return max(longest * 1.1, longest + range / 4)
  }

  /// Adds a silence beyond the cap.
  ///
  /// - Parameters:
  ///   - gap: The silence.
  ///   - now: The beacon's presence in the current period, in ms.
  ///   - learning: The target of exit times.
  mutating func add(_ gap: TimeSpan, presence now: UInt32, _ learning: ExitLearning) {
    let model = learning.model
    let stay = TimeSpan.milliseconds(Int64(now >= presence ? now - presence : now))
    presence = now
    // At the wanted rate, or near it, the silences need no advice.
    let rare = 3600 / (learning.falseExitsPerHour * model.needFactor)
    if stay.seconds > rare { (score, areEvident) = (0, false) }
    let tenths = UInt16(clamping: gap.microseconds / 100_000)
    let isShort = gap <= max(learning.cap + learning.cap, model.shortRest)
    let isLong = !isShort && gap <= model.longestRest && gap > stay
    guard score > 0 else {
      areEvident = false
      guard isShort || isLong else { return }
      (usual, longest, shortest, score) = (tenths, tenths, tenths, 1)
      return
    }
    let isRest = gap <= model.unevenRest || isUsual(tenths, model.restSpread)
    guard isShort || isLong && isRest else {
      score &-= 1
      if score == 0 { areEvident = false }
      // A receiver that listens only now and then misses a beacon's bursts once or twice.
      if isLong, Int(tenths) <= 4 * Int(usual) {
        longest = max(longest, tenths)
      }
      return
    }
    longest = max(longest, tenths)
    shortest = shortest == 0 ? tenths : min(shortest, tenths)
    if Int(score) < 2 * model.rests { score &+= 1 }
    let areAlike = Double(longest) <= Double(shortest) * model.restSpread
    if Int(score) >= (areAlike ? 1 : 2) * model.rests { areEvident = true }
  }

  private func isUsual(_ tenths: UInt16, _ spread: Double) -> Bool {
    let (one, other) = (Double(tenths), Double(usual))
    return max(one, other) <= min(one, other) * spread
  }
}

/// The silences of all beacons of a region together, in the time in which receivers listened.
///
/// Beacons that rest in turns leave shorter silences than any of them; only those end a stay in the region.
struct RegionSilences: Sendable {
  private(set) var rests: Rests
  /// When any of the beacons was received last, later by the pauses since then; `nil` if that is not known.
  private var last: Timestamp?
  /// When it was first received after the last silence beyond the cap, later by the pauses since then.
  private var start = Timestamp.earliest
  /// Since when no receiver listens.
  private var lostSince: Timestamp?

  /// Starts with the evidence of an earlier run; a file may contain anything.
  init(_ rests: Rests = Rests()) {
    self.rests = rests
    self.rests.presence = 0
  }

  /// The longest silence, if several in succession were alike; `nil` otherwise.
  ///
  /// Only beacons that keep the same period rest in turns for long: the silences of others come together after a while.
  var longest: TimeSpan? {
    let areAlike = Double(rests.longest) <= Double(rests.shortest) * Self.spread
    return Int(rests.score) >= Self.fewest && areAlike ? rests.longestSilence : nil
  }

  /// Six silences within a tenth, as those of a beacon's rests.
  private static let fewest = 6
  private static let spread = 1.1

  /// The exit time that would have held, in seconds.
  ///
  /// Beacons that rest in turns may come to rest together: almost twice the longest silence so far is needed, but no more
  /// than a beacon's own silence needs.
  ///
  /// - Parameter own: The exit time that the silences of one of the beacons need, in seconds.
  /// - Returns: The time.
  func exitTime(own: Double) -> Double {
    guard let longest else { return own }
    return max(rests.expected, min(own, longest.seconds * Self.margin))
  }

  /// With steps of 5 s, less than twice the longest silence.
  private static let margin = 1.85

  @inline(__always)
  mutating func received(at time: Timestamp, _ learning: ExitLearning) {
    if let last, time - last <= learning.cap {
      self.last = time
    } else {
      returned(at: time, learning)
    }
  }

  @inline(never)
  private mutating func returned(at time: Timestamp, _ learning: ExitLearning) {
    if let last {
      let stay = UInt32(clamping: (last - start).microseconds / 1000)
      rests.presence = 0
      rests.add(time - last, presence: stay, learning)
    }
    (last, start) = (time, time)
  }

  mutating func lost(at time: Timestamp) { lostSince = time }

  mutating func regained(at time: Timestamp) {
    if let lostSince { stoodStill(for: max(time - lostSince, .zero)) }
    lostSince = nil
  }

  mutating func stoodStill(for span: TimeSpan) {
    last = last.map { $0 + span }
    if start > .earliest { start = start + span }
  }

  /// Forgets when a beacon was received last: the client may not know of it.
  mutating func forgetLast() { (last, lostSince) = (nil, nil) }
}
