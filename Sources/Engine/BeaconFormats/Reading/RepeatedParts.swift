// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The captures that repeat a part of a recording: copies of a piece, and cuts out of it.
///
/// The inputs that it shares with one that was read before are left out, so that they are read once.
struct RepeatedParts {
  private struct Recording: Hashable {
    let begun: Timestamp
    let receivers: [String]

    init?(_ header: CaptureHeader?) {
      guard let header, let begun = header.begun else { return nil }
      (self.begun, receivers) = (begun, header.receivers)
    }
  }

  /// The last piece, time and capture that was read of each recording.
  private var read: [Recording: (piece: Int, time: Timestamp, capture: Int)] = [:]
  /// The captures that may repeat another one, as far as they have not started.
  private var suspects: Set<Int> = []
  /// The captures that repeat another one.
  private(set) var found: [(capture: Int, of: Int)] = []
  /// Until when they do.
  private var limits: [Int: Timestamp] = [:]

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
    guard let time = batch.inputs.last?.time else { return }
    for (index, header) in headers.enumerated() where index == 0 || header != headers[0] {
      guard let recording = Recording(header) else { continue }
      let piece = header?.piece ?? 1
      let last = read[recording]
      // The later pieces of a recording may have earlier times, if its clock was set back.
      let latest = last.map { $0.piece < piece ? time : max($0.time, time) }
      read[recording] = (max(piece, last?.piece ?? piece), latest ?? time, capture)
    }
  }

  /// Notes that a capture starts; returns up to when it repeats another one, if it does.
  mutating func start(_ next: WaitingCapture) -> Timestamp? {
    suspects.remove(next.capture)
    guard let recording = Recording(next.header), let last = read[recording],
      next.header?.piece ?? 1 <= last.piece, next.start <= last.time
    else { return nil }
    found.append((next.capture, last.capture))
    limits[next.capture] = last.time
    return last.time
  }

  /// Returns the users' actions of a capture that it does not repeat.
  func uncovered(_ lines: [UserActionLine], of capture: Int) -> [UserActionLine] {
    guard let limit = limits[capture] else { return lines }
    return lines.filter { $0.time > limit }
  }
}
