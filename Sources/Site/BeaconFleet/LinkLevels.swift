// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// A receiver's reports of one beacon, by part of the day, for eight days.
///
/// People, doors and heating repeat each day, so a part of a day is compared with the same part of other days.
struct LinkLevels: Sendable {
  /// Three hours each.
  static let partsPerDay = 8
  static let minutesPerPart = FleetTime.minutesPerDay / Int64(partsPerDay)
  private static let days = 8
  private static let size = partsPerDay * days
  /// Fewer samples in a part scatter too much.
  private static let fewest = 20
  /// Three parts, nine hours, are judged together.
  private static let judged = 3
  /// The mean of so many earlier days stands for what was usual.
  private static let reference = 2
  /// What is received more weakly than this is near the receiver's limit: only its strongest reports are received.
  private static let weakest = -86.0

  private var sum = ReceivedSum()
  /// The mean levels in dBm by part; `nan` where there were too few samples.
  private var parts: [Float] = []
  private var newest: Int64 = .min

  /// The mean level of the part before, in dBm; `nil` if too little was received.
  var last: Double? {
    guard newest != .min, !parts.isEmpty else { return nil }
    let value = parts[Self.index(newest)]
    return value.isNaN ? nil : Double(value)
  }

  private static func index(_ part: Int64) -> Int {
    let size = Int64(size)
    return Int((part % size + size) % size)
  }

  mutating func add(_ minute: ReceivedSum) { sum.add(minute) }

  /// Ends a part of the day.
  mutating func end(_ part: Int64) {
    defer { sum = ReceivedSum() }
    guard sum.samples >= Self.fewest || !parts.isEmpty else { return }
    if parts.isEmpty { parts = Array(repeating: .nan, count: Self.size) }
    if newest != .min, part > newest {
      for skipped in max(newest + 1, part - Int64(Self.size) + 1)...part {
        parts[Self.index(skipped)] = .nan
      }
    }
    newest = part
    parts[Self.index(part)] =
      sum.samples >= Self.fewest ? Float(sum.total) / Float(sum.samples) : .nan
  }

  /// The usual level and that of the last nine hours, in dBm; `nil` if one of them is not known.
  var change: (before: Double, after: Double)? {
    guard newest != .min, !parts.isEmpty else { return nil }
    var (before, after, parts) = (0.0, 0.0, 0)
    for back in 0..<Int64(Self.judged) {
      let part = newest - back
      let now = self.parts[Self.index(part)]
      guard !now.isNaN, let usual = usual(part, before: back) else { continue }
      before += usual
      after += Double(now)
      parts += 1
    }
    guard parts >= 2, before / Double(parts) >= Self.weakest else { return nil }
    return (before / Double(parts), after / Double(parts))
  }

  /// The mean level of the same part of the oldest days that are known.
  private func usual(_ part: Int64, before back: Int64) -> Double? {
    var (sum, count) = (0.0, 0)
    var day = Int64(Self.days - 1)
    while day >= 1, count < Self.reference {
      let older = part - day * Int64(Self.partsPerDay)
      day -= 1
      guard newest - older < Int64(Self.size) else { continue }
      let value = parts[Self.index(older)]
      guard !value.isNaN else { continue }
      sum += Double(value)
      count += 1
    }
    return count == 0 ? nil : sum / Double(count)
  }
}
