// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Captures that follow each other and have the same receivers, such as the pieces of one recording.
struct CaptureLane {
  /// How long after a capture without a header another one may start that continues it; a longer pause is a time in
  /// which nobody recorded.
  static let longestPause = TimeSpan.seconds(10)

  /// What the first capture is called.
  let label: String
  /// The states of the receivers, by their number among all captures.
  var states: [UInt8: RadioState] = [:]
  /// The receivers that are gone because a capture ended.
  var gone: Set<UInt8> = []
  /// The time of the last input of the captures so far.
  private(set) var end = Timestamp.earliest
  /// Whether the last capture has ended and none continues it.
  var isOver = false

  private var names: [String] = []
  private var header: CaptureHeader?
  private var hasEnded = false

  init(_ capture: any MergedCapture) {
    label = capture.label
    header = capture.headers.first
  }

  /// Whether a receiver is gone because a capture ended; only asked once, by its next report.
  mutating func isGone(_ receiver: UInt8) -> Bool {
    !gone.isEmpty && gone.remove(receiver) != nil
  }

  /// Adds the names of a capture's receivers.
  mutating func add(names more: [String]) {
    for name in more where !names.contains(name) { names.append(name) }
  }

  /// Notes that a capture ended at a time.
  mutating func ended(_ capture: any MergedCapture, at time: Timestamp) {
    end = time
    header = capture.headers.last
    hasEnded = capture.hasEnded
  }

  /// Whether a capture has this lane's receivers.
  func belongs(_ capture: any MergedCapture) -> Bool {
    if let begun = header?.begun, capture.headers.first?.begun == begun { return true }
    let others = capture.receiverNames
    return others.allSatisfy(names.contains) || names.allSatisfy(others.contains)
  }

  /// Whether a capture that starts at a time goes on where this lane ended, with nothing in between.
  func isContinued(by capture: any MergedCapture, at start: Timestamp) -> Bool {
    guard start >= end, belongs(capture) else { return false }
    let next = capture.headers.first
    if header == nil, next == nil { return start - end <= Self.longestPause }
    return CaptureHeader.isSeamless(from: header, hasEnded: hasEnded, to: next)
  }
}

/// The receivers of merged captures, by their number.
struct MergedReceivers {
  private struct Receiver {
    var name: String
    /// The name in its capture; `nil` where it has none.
    var plain: String?
    /// Its number in its capture, which distinguishes receivers without a name.
    var number: UInt8 = 0
    /// The lane that it belongs to; `nil` while no lane has claimed the name.
    var lane: Int?
  }

  private var all: [Receiver] = []
  /// Whether any capture names its receivers.
  private var haveNames = false

  /// The names, empty for a receiver without one; none where no receiver has one.
  var names: [String] { all.allSatisfy(\.name.isEmpty) ? [] : all.map(\.name) }

  /// Gives a name a number before its capture starts, so that what is set for the receiver applies.
  mutating func announce(_ name: String) {
    if name.isEmpty { return }
    haveNames = true
    guard all.count <= Int(UInt8.max), !all.contains(where: { $0.plain == name }) else { return }
    all.append(Receiver(name: name, plain: name))
  }

  /// The numbers of a lane's receivers.
  func ofLane(_ lane: Int) -> [UInt8] {
    all.indices.filter { all[$0].lane == lane }.map { UInt8(clamping: $0) }
  }

  /// Returns the number of a lane's receiver; the first lane with a name has the name for itself.
  mutating func number(of plain: String?, _ number: UInt8, lane: Int, label: String) -> UInt8 {
    func isSame(_ other: Receiver) -> Bool {
      other.plain == plain && (plain != nil || other.number == number)
    }
    if let known = all.firstIndex(where: { $0.lane == lane && isSame($0) }) {
      return UInt8(clamping: known)
    }
    if plain != nil, let free = all.firstIndex(where: { $0.lane == nil && isSame($0) }) {
      all[free].lane = lane
      return UInt8(clamping: free)
    }
    // A 257th receiver counts as the 256th.
    guard all.count <= Int(UInt8.max) else { return .max }
    let isTaken = all.contains(where: isSame)
    let name = plain.map { isTaken ? "\(label):\($0)" : $0 } ?? (isTaken || haveNames ? label : "")
    all.append(Receiver(name: name, plain: plain, number: number, lane: lane))
    return UInt8(clamping: all.count - 1)
  }
}
