// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A capture of several that has not started.
struct WaitingCapture {
  /// Its number among all captures.
  var capture: Int
  let label: String
  /// The names of its receivers, as far as it was read.
  let names: [String]
  let header: CaptureHeader?
  /// Whether it consists of the lines of a recording.
  let isLines: Bool
  /// The batches that were read to find its start.
  var batches: [ScanBatch]
  var start: Timestamp
  /// When the first part of its recording starts.
  var recordingStart: Timestamp

  /// When the recording began that it is a part of.
  var begun: Timestamp? { header?.begun }

  /// Whether it comes before another part of its recording.
  func isEarlierPart(than other: WaitingCapture) -> Bool {
    let numbers = (header?.piece ?? 0, other.header?.piece ?? 0)
    return numbers.0 == numbers.1 ? start < other.start : numbers.0 < numbers.1
  }

  /// The order of captures: by their start, then by their contents, so that the order of arguments has no effect.
  ///
  /// The parts of a recording have the order of their numbers.
  func precedes(_ other: WaitingCapture) -> Bool {
    if recordingStart != other.recordingStart { return recordingStart < other.recordingStart }
    let begins = (begun ?? .earliest, other.begun ?? .earliest)
    if begins.0 != begins.1 { return begins.0 < begins.1 }
    if isEarlierPart(than: other) { return true }
    if other.isEarlierPart(than: self) { return false }
    if names != other.names { return names.lexicographicallyPrecedes(other.names) }
    let bytes = (batches.first?.bytes ?? [], other.batches.first?.bytes ?? [])
    if bytes.0 != bytes.1 { return bytes.0.lexicographicallyPrecedes(bytes.1) }
    return label < other.label
  }
}

/// The captures that have not started, in their order.
///
/// Of each recording only the first part is among those that may start; the others wait for it. So each step looks at few
/// captures, however many there are.
struct WaitingCaptures {
  /// The captures that may start, the first one last.
  private(set) var heads: [WaitingCapture] = []
  /// The other parts of recordings, by when those began, the first one last.
  private var parts: [Timestamp: [WaitingCapture]] = [:]
  /// When the first part of each recording starts.
  private var starts: [Timestamp: Timestamp] = [:]
  /// How many have no header.
  private var bare = 0

  init() {}

  /// - Parameter captures: The captures in their order.
  init(_ captures: [WaitingCapture]) {
    for capture in captures.reversed() {
      if capture.header == nil { bare += 1 }
      guard let begun = capture.begun else {
        heads.append(capture)
        continue
      }
      if starts.updateValue(capture.recordingStart, forKey: begun) == nil {
        heads.append(capture)
      } else if let later = heads.lastIndex(where: { $0.begun == begun }) {
        // The one found so far is a later part; all parts of a recording are next to each other.
        parts[begun, default: []].append(heads[later])
        heads[later] = capture
      }
    }
  }

  /// Whether the list is empty.
  var isEmpty: Bool { heads.isEmpty }

  /// The labels of the parts of recordings.
  var recordingLabels: [String] {
    guard !starts.isEmpty else { return [] }
    return heads.filter { $0.begun != nil }.map(\.label) + parts.values.flatMap { $0.map(\.label) }
  }

  /// Returns which of the captures that may start does so first; none of a recording that is being read.
  func next(except isRead: (Timestamp) -> Bool) -> Int? {
    var next: Int?
    for index in heads.indices.reversed() {
      // The later ones start later still: the first part of a recording is its first.
      if let next, heads[index].recordingStart > heads[next].start { break }
      if let begun = heads[index].begun, isRead(begun) { continue }
      if next.map({ heads[index].start < heads[$0].start }) ?? true { next = index }
    }
    return next
  }

  /// Removes and returns a capture that may start; the next part of its recording then may.
  mutating func take(_ index: Int) -> WaitingCapture {
    let taken = heads[index]
    if taken.header == nil { bare -= 1 }
    if let begun = taken.begun, let next = parts[begun]?.popLast() {
      heads[index] = next
    } else {
      heads.remove(at: index)
    }
    return taken
  }

  /// The place of a capture that waits.
  enum Place {
    case head(Int)
    case part(Timestamp, Int)
  }

  /// Returns the place of the first capture that fits, of those that may continue a part of a recording.
  func place(
    continuing end: CapturePartEnd,
    _ timing: TimingConfiguration,
    where fits: (WaitingCapture) -> Bool
  ) -> Place? {
    if let header = end.header, end.hasEnded, header.begun == nil { return nil }
    var latest: Timestamp?
    if let header = end.header {
      // Only parts of the same recording continue one, unless some have no header.
      if bare == 0, let begun = header.begun { latest = starts[begun] ?? .earliest }
    } else {
      latest = end.time + timing.pause
    }
    for index in heads.indices.reversed() {
      if let latest, heads[index].recordingStart > latest { break }
      if fits(heads[index]) { return .head(index) }
      guard let begun = heads[index].begun, begun == end.header?.begun,
        let part = parts[begun]?.lastIndex(where: fits)
      else { continue }
      return .part(begun, part)
    }
    return nil
  }

  /// Removes and returns the capture in a place.
  mutating func take(_ place: Place) -> WaitingCapture? {
    switch place {
    case .head(let index): take(index)
    case .part(let begun, let index): parts[begun]?.remove(at: index)
    }
  }
}

/// The sources that are being merged, the one with the earliest time first: a binary heap.
struct SourceOrder {
  struct Entry {
    let time: Timestamp
    let rank: Int
    let slot: Int

    func isBefore(_ other: Entry) -> Bool { (time, rank) < (other.time, other.rank) }
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }
  var first: Entry? { entries.first }
  /// The first one of the others.
  var second: Entry? {
    guard entries.count > 2 else { return entries.count == 2 ? entries[1] : nil }
    return entries[2].isBefore(entries[1]) ? entries[2] : entries[1]
  }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Replaces the first one; `nil` removes it.
  mutating func replaceFirst(_ entry: Entry?) {
    guard let new = entry ?? entries.last, !entries.isEmpty else { return }
    if entry == nil { entries.removeLast() }
    guard !entries.isEmpty else { return }
    entries[0] = new
    var index = 0
    while true {
      let left = 2 * index + 1
      guard left < entries.count else { return }
      let isRight = left + 1 < entries.count && entries[left + 1].isBefore(entries[left])
      let child = isRight ? left + 1 : left
      guard entries[child].isBefore(entries[index]) else { return }
      entries.swapAt(index, child)
      index = child
    }
  }
}
