// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A sample of a recording's reports, by which its copies are recognized under any name and in any format.
///
/// It has the smallest checksums of reports, each of the time in microseconds, the level and the payload, since these
/// survive a conversion, and device addresses and marks do not. What two recordings have in common lies in both samples, also
/// if one of them is cut off at either end or has lost lines. Two receivers have no report in common: no two of them
/// receive a packet in the same microsecond at the same level, again and again.
package struct RecordingSketch: Sendable {
  /// The most checksums: a tenth of a recording has about 26 of them.
  static let limit = 256

  /// The smallest checksums, in ascending order, each once.
  private(set) var sums: [UInt64] = []
  /// How many reports the recording has.
  private(set) var count = 0

  init() {}

  /// Adds the reports of a batch.
  mutating func add(_ batch: ScanBatch) {
    for input in batch.inputs {
      guard let report = input.report else { continue }
      count += 1
      insert(Self.sum(of: report, in: batch))
    }
  }

  /// Notes when a recording without a report begins and ends: nothing else identifies it.
  mutating func end(from start: Timestamp, until end: Timestamp) {
    guard count == 0 else { return }
    insert(Self.mixed(Self.mixed(0, start), end))
  }

  /// Adds another recording of the same visit.
  mutating func merge(_ other: RecordingSketch) {
    count = max(count, other.count)
    other.sums.forEach { insert($0) }
  }

  /// Whether two recordings are of one visit: half of the reports that both samples can have are in both.
  func isOfSameVisit(as other: RecordingSketch) -> Bool {
    let reach = min(last, other.last)
    let (own, others) = (sums.prefix { $0 <= reach }, other.sums.prefix { $0 <= reach })
    var (index, common) = (others.startIndex, 0)
    for sum in own {
      while index < others.endIndex, others[index] < sum { index += 1 }
      if index < others.endIndex, others[index] == sum { common += 1 }
    }
    return common > 0 && 2 * common >= min(own.count, others.count)
  }

  /// Up to which checksum the sample is complete.
  private var last: UInt64 { sums.count < Self.limit ? .max : sums.last ?? .max }

  private mutating func insert(_ sum: UInt64) {
    if sums.count == Self.limit, let last = sums.last, sum >= last { return }
    var (low, high) = (0, sums.count)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] < sum { low = middle + 1 } else { high = middle }
    }
    if low < sums.count, sums[low] == sum { return }
    if sums.count == Self.limit { sums.removeLast() }
    sums.insert(sum, at: low)
  }

  private static func sum(of report: AdvertisingReport, in batch: ScanBatch) -> UInt64 {
    var sum = mixed(UInt64(UInt8(bitPattern: report.rssi ?? 127)), report.time)
    var word: UInt64 = 1
    for byte in batch.payload(of: report) {
      // The word is full once the first bit has reached its end.
      if word >> 56 != 0 {
        sum = mixed(sum ^ word)
        word = 1
      }
      word = word << 8 | UInt64(byte)
    }
    return mixed(sum ^ word)
  }

  private static func mixed(_ value: UInt64, _ time: Timestamp) -> UInt64 {
    mixed(mixed(value) ^ UInt64(bitPattern: time.microseconds))
  }

  /// Each bit of the value changes half of the result's.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var generator = SeededRandom(seed: value)
    return generator.next()
  }
}
