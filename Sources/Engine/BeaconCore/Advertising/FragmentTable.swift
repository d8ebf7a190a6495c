// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Joins the fragments in which a controller delivers a long extended advertisement.
struct FragmentTable: Sendable {
  /// The values that all fragments of one advertisement share.
  struct Key: Equatable {
    let address: DeviceAddress?
    let receiver: UInt8
    let advertisingSet: UInt8

    init(_ report: AdvertisingReport, advertisingSet: UInt8) {
      address = report.address
      receiver = report.receiver
      self.advertisingSet = advertisingSet
    }
  }

  /// The result of a report that is marked as the last fragment.
  enum Completion {
    /// It was the only fragment.
    case whole
    /// All fragments, joined.
    case joined([UInt8])
    /// The advertisement was dropped before.
    case lost
  }

  /// The longest possible advertisement (Core Specification, volume 4, part E, 7.8.57).
  static let maximumJoinedCount = 1650
  /// How many advertisements may be incomplete at a time.
  ///
  /// A controller follows one or two chains at a time. Eight are enough for several adapters, and limit the memory that
  /// a hostile transmitter can occupy to 13 KiB.
  static let maximumOpenCount = 8
  /// How long the next fragment may take: 2.5 s; the end of an older advertisement was lost.
  ///
  /// An auxiliary packet follows at most 2.46 s (8191 × 300 µs) after the one that points to it (Core Specification,
  /// volume 6, part B, 2.3.4.5).
  static let maximumSilence = TimeSpan.milliseconds(2500)

  private struct Open {
    let key: Key
    var bytes: [UInt8]
    var lastReceived: Timestamp
    /// Whether it is longer than an advertisement can be: it is counted, and kept only so that its last fragment does
    /// not count as a complete advertisement.
    var isOverlong = false
  }

  private var open: [Open] = []

  var isEmpty: Bool { open.isEmpty }

  mutating func add(
    _ block: borrowing Span<UInt8>,
    _ range: Range<Int>,
    of key: Key,
    at time: Timestamp,
    _ drops: inout Tally<DropReason>
  ) {
    if let index = index(of: key, at: time, &drops) {
      extend(index, block, range, at: time, &drops)
      return
    }
    if open.count == Self.maximumOpenCount { discard(0, &drops) }
    open.append(Open(key: key, bytes: [], lastReceived: time))
    extend(open.count - 1, block, range, at: time, &drops)
  }

  mutating func complete(
    _ key: Key,
    with block: borrowing Span<UInt8>,
    _ range: Range<Int>,
    at time: Timestamp,
    _ drops: inout Tally<DropReason>
  ) -> Completion {
    guard let index = index(of: key, at: time, &drops) else { return .whole }
    extend(index, block, range, at: time, &drops)
    let done = open.remove(at: index)
    return done.isOverlong ? .lost : .joined(done.bytes)
  }

  mutating func discardAll(_ drops: inout Tally<DropReason>) {
    while !open.isEmpty { discard(0, &drops) }
  }

  private mutating func index(
    of key: Key,
    at time: Timestamp,
    _ drops: inout Tally<DropReason>
  ) -> Int? {
    guard let index = open.firstIndex(where: { $0.key == key }) else { return nil }
    guard time - open[index].lastReceived > Self.maximumSilence else { return index }
    discard(index, &drops)
    return nil
  }

  private mutating func extend(
    _ index: Int,
    _ block: borrowing Span<UInt8>,
    _ range: Range<Int>,
    at time: Timestamp,
    _ drops: inout Tally<DropReason>
  ) {
    open[index].lastReceived = time
    guard !open[index].isOverlong else { return }
    guard open[index].bytes.count + range.count <= Self.maximumJoinedCount else {
      open[index].isOverlong = true
      open[index].bytes = []
      drops.count(.incompleteFragments)
      return
    }
    for offset in range { open[index].bytes.append(block[offset]) }
  }

  private mutating func discard(_ index: Int, _ drops: inout Tally<DropReason>) {
    if !open.remove(at: index).isOverlong { drops.count(.incompleteFragments) }
  }
}
