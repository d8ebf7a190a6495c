// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import BeaconBlueZ
internal import Beacons
internal import SystemKit

/// Shows on a terminal what `record` has recorded so far, and sums up at the end.
package final class RecordStatus: RunParticipant {
  private let path: String
  private let source: BlueZSource
  private let io: CommandIO
  private var progress: ProgressLine
  private var reports = 0
  private var beaconReports = 0
  private var beacons: Set<BeaconIdentity> = []
  private var start: Timestamp?
  private var now = Timestamp.earliest

  /// The most beacons distinguished, as many as `inspect` distinguishes.
  private static let identityLimit = CaptureInspection.identityLimit

  /// - Parameters:
  ///   - path: The recording.
  ///   - source: Where the inputs come from, which counts its drops.
  ///   - io: The command's surroundings.
  package init(_ path: String, _ source: BlueZSource, io: CommandIO) {
    self.path = path
    self.source = source
    self.io = io
    // No data goes to the terminal, so the line stands in the middle of nothing.
    progress = ProgressLine(io, isWanted: true, besideData: true)
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins:
      start = run.now
      run.driver?.keepSlices()
    case .recorded(let slice): count(slice)
    case .willWait(let time):
      now = max(now, time)
      progress.show(mark: text)
    case .sourceEnded: now = run.now
    case .ended: progress.clear()
    default: break
    }
  }

  private func count(_ slice: ScanSlice) {
    for input in slice.batch.inputs[slice.range] {
      guard let report = input.report else { continue }
      reports += 1
      guard case .beacon(let identity, _) = slice.batch.reading(of: report) else { continue }
      beaconReports += 1
      if beacons.count < Self.identityLimit { beacons.insert(identity) }
    }
    now = max(now, slice.admitted.last ?? now)
  }

  /// The recorded inputs, and the drops.
  package var text: String {
    let size = FileStatus(path).map { " (\(Self.bytes($0.size)))" } ?? ""
    let span = start.map { max(now - $0, .zero) } ?? .zero
    let others = reports - beaconReports
    let found = "\(beaconReports) reports of \(beacons.count) beacons, \(others) others"
    let dropped = source.drops.total
    return "\(path)\(size): \(found), \(dropped) dropped, \(DecimalText.span(span))"
  }

  /// A number of bytes for a person.
  static func bytes(_ count: Int) -> String {
    for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where Double(count) >= size {
      return "\(DecimalText.fixed(Double(count) / size, decimals: 1)) \(unit)"
    }
    return "\(count) B"
  }
}
