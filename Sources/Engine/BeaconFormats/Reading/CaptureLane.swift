// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Captures that have the same receivers, one after the other.
struct CaptureLane {
  /// The name of the first capture.
  let label: String
  /// The states of the receivers, by their number among all captures.
  var states: [UInt8: RadioState] = [:]
  /// The receivers that are gone because a capture ended.
  var gone: Set<UInt8> = []
  /// The time of the last input of the captures so far.
  var end = Timestamp.earliest

  private var names: [String] = []
  /// When the recording began that its last capture is a part of.
  private var begun: Timestamp?

  init(label: String) {
    self.label = label
  }

  /// Whether a receiver is gone because a capture ended; only asked once, by its next report.
  mutating func isGone(_ receiver: UInt8) -> Bool {
    !gone.isEmpty && gone.remove(receiver) != nil
  }

  /// Notes the receivers of a capture that is being read, as far as it is known.
  mutating func note(_ capture: some MergedCapture) {
    for name in capture.receiverNames where !names.contains(name) { names.append(name) }
    begun = capture.lastHeader?.begun ?? begun
  }

  /// Whether a capture has this lane's receivers.
  ///
  /// - Parameters:
  ///   - others: The names of its receivers.
  ///   - recording: When the recording began that it is a part of.
  /// - Returns: Whether it has.
  func belongs(_ others: [String], _ recording: Timestamp?) -> Bool {
    if let begun, recording == begun { return true }
    return others.allSatisfy(names.contains) || names.allSatisfy(others.contains)
  }
}

/// The end of a part of a recording: what shows whether another capture continues there.
struct CapturePartEnd {
  /// The header of the last part; `nil` if none of the parts had one.
  var header: CaptureHeader?
  /// Whether the part ends with the end of a recording.
  var hasEnded = false
  /// Whether the part consists of the lines of a recording.
  var isLines = false
  /// The latest stamp, by the recorder's own clock.
  var time = Timestamp.earliest

  /// Notes that a capture was read to its end.
  mutating func note(_ capture: some MergedCapture) {
    header = capture.lastHeader ?? header
    hasEnded = capture.end != nil
    isLines = capture.format == .jsonLines
  }

  /// Whether a capture of the same receivers that starts at a time continues here, with nothing in between.
  ///
  /// The parts of a numbered recording follow each other by their numbers, whatever its clock did. A file that was cut has
  /// a header only in its first part; every other file of such lines has one, so a pause does not matter. Captures without
  /// a header at all have to follow each other closely.
  func isContinued(by capture: WaitingCapture, _ timing: TimingConfiguration) -> Bool {
    let start = capture.start
    if let next = capture.header {
      // Another file of the same piece may continue it: the end of a cut is not the piece's.
      if let header, next.begun != nil, !next.isCut, next.begun == header.begun,
        next.piece == header.piece
      {
        return true
      }
      guard CaptureHeader.isSeamless(from: header, hasEnded: hasEnded, to: next) else {
        return false
      }
      return next.begun != nil || start >= time - timing.disorder
    }
    guard start >= time - timing.disorder else { return false }
    if header == nil { return start - time <= timing.pause }
    return isLines && capture.isLines && !hasEnded
  }
}

/// The receivers of merged captures or live sources, by their number.
package struct MergedReceivers: Sendable {
  /// The most receivers: their numbers have eight bits.
  package static let limit = 256

  private struct Receiver: Sendable {
    var name: String
    /// The name in its capture, if any.
    var plain: String?
    /// Its number in its capture, which distinguishes receivers without a name.
    var number: UInt8 = 0
    /// The lane that it belongs to; `nil` while no lane has claimed the name.
    var lane: Int?
  }

  private var all: [Receiver] = []
  /// Whether any capture names its receivers.
  private var haveNames = false

  package init() {}

  /// How many there are.
  package var count: Int { all.count }

  /// The names, empty for a receiver without one; none if no receiver has one.
  package var names: [String] { all.allSatisfy(\.name.isEmpty) ? [] : all.map(\.name) }

  /// Gives a name a number before its capture starts, so that settings for the receiver apply.
  mutating func announce(_ name: String) {
    if name.isEmpty { return }
    haveNames = true
    guard all.count < Self.limit, !all.contains(where: { $0.plain == name }) else { return }
    all.append(Receiver(name: name, plain: name))
  }

  /// The numbers of a lane's receivers.
  func ofLane(_ lane: Int) -> [UInt8] {
    all.indices.filter { all[$0].lane == lane }.map { UInt8(clamping: $0) }
  }

  /// Returns the number of a lane's receiver, and adds the numbers that it and those before it have to the known ones.
  ///
  /// - Parameters:
  ///   - receiver: Its number in the lane.
  ///   - names: The names of the lane's receivers, by that number.
  ///   - known: Their numbers so far.
  ///   - lane: The lane.
  ///   - label: The name of the lane, which tells apart receivers with one name.
  /// - Returns: The number.
  package mutating func number(
    _ receiver: UInt8,
    of names: [String],
    adding known: inout [UInt8],
    lane: Int,
    label: String
  ) -> UInt8 {
    while known.count <= Int(receiver) {
      let next = known.count
      let name = next < names.count && !names[next].isEmpty ? names[next] : nil
      known.append(number(of: name, UInt8(clamping: next), lane: lane, label: label))
    }
    return known[Int(receiver)]
  }

  /// Returns the number of a lane's receiver; the first lane with a name has the name for itself.
  private mutating func number(
    of plain: String?,
    _ number: UInt8,
    lane: Int,
    label: String
  ) -> UInt8 {
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
    guard all.count < Self.limit else { return .max }
    let isTaken = all.contains(where: isSame)
    var name = plain.map { isTaken ? "\(label):\($0)" : $0 } ?? (isTaken || haveNames ? label : "")
    // A receiver may be called as another one that has its label in front.
    while plain != nil, all.contains(where: { $0.name == name }) { name = "\(label):\(name)" }
    all.append(Receiver(name: name, plain: plain, number: number, lane: lane))
    return UInt8(clamping: all.count - 1)
  }
}
