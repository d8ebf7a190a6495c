// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The captures that repeat a part of a recording: copies of a piece, and cuts out of it.
///
/// The inputs that such a capture shares with one that was read before are left out.
struct RepeatedParts {
  private struct Recording: Hashable {
    let begun: Timestamp
    let receivers: [String]

    init?(_ header: CaptureHeader?) {
      guard let header, let begun = header.begun else { return nil }
      (self.begun, receivers) = (begun, header.receivers)
    }
  }

  /// Until when a recording was read.
  struct Limit {
    var time: Timestamp
    /// Whether a report of that very time was read: a cut ends at a time, and the next part starts with its reports.
    var hasReport: Bool

    /// Whether an input was read before.
    func covers(_ input: ScanInput) -> Bool {
      input.time < time || (input.time == time && (hasReport || input.report == nil))
    }
  }

  /// The last piece, its inputs so far, and the capture that was read of each recording.
  private var read: [Recording: (piece: Int, limit: Limit, capture: Int)] = [:]
  /// The captures that may repeat another one, as far as they have not started.
  private var suspects: Set<Int> = []
  /// The captures that repeat another one.
  private(set) var found: [(capture: Int, of: Int)] = []
  /// Until when they do.
  private var limits: [Int: Limit] = [:]

  init() {}

  /// - Parameter captures: The captures in their order.
  init(_ captures: [WaitingCapture]) {
    var pieces: [Recording: Int] = [:]
    for capture in captures {
      guard let recording = Recording(capture.header) else { continue }
      let piece = capture.header?.piece ?? 1
      if let last = pieces[recording], piece <= last { suspects.insert(capture.capture) }
      pieces[recording] = max(pieces[recording] ?? piece, piece)
    }
  }

  /// Whether a capture that has not started may repeat another one, so that its users' actions are not known yet.
  func isSuspect(_ capture: Int) -> Bool { suspects.contains(capture) }

  /// Notes inputs that were read from a capture.
  ///
  /// - Parameters:
  ///   - batch: The inputs.
  ///   - capture: The number of the capture.
  ///   - headers: The header of its first part, and that of the part that was read last: a continued recording has several.
  mutating func note(_ batch: ScanBatch, of capture: Int, _ headers: [CaptureHeader?]) {
    guard let last = batch.inputs.last else { return }
    let limit = Limit(time: last.time, hasReport: last.report != nil)
    for (index, header) in headers.enumerated() where index == 0 || header != headers[0] {
      guard let recording = Recording(header) else { continue }
      let piece = header?.piece ?? 1
      // The later pieces of a recording may have earlier times, if its clock was set back.
      guard let known = read[recording], known.piece >= piece else {
        read[recording] = (piece, limit, capture)
        continue
      }
      var latest = known.limit.time < limit.time ? limit : known.limit
      if latest.time == limit.time, limit.hasReport { latest.hasReport = true }
      read[recording] = (known.piece, latest, capture)
    }
  }

  /// Notes that a capture starts; returns up to when it repeats another one, if it does.
  mutating func start(_ next: WaitingCapture) -> Limit? {
    suspects.remove(next.capture)
    guard let header = next.header, let recording = Recording(header), let last = read[recording],
      header.piece ?? 1 <= last.piece
    else { return nil }
    // A part whose start was cut off begins at the time at which the one before it ends.
    let time = last.limit.time
    guard header.isCut ? next.start < time : next.start <= time else { return nil }
    found.append((next.capture, last.capture))
    limits[next.capture] = last.limit
    return last.limit
  }

  /// Returns the users' actions of a capture that it does not repeat.
  func uncovered(_ lines: [UserActionLine], of capture: Int) -> [UserActionLine] {
    guard let limit = limits[capture] else { return lines }
    return lines.filter { $0.time > limit.time }
  }
}
