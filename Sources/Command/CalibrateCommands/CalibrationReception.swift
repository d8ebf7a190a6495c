// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore

/// The reports of one beacon from one place, a session for each receiver: radios differ by up to 20 dB.
package struct CalibrationReception: CalibrationListener {
  private let meters: Double
  private let calibration: Calibration
  private var sessions: [CalibrationSession?] = []
  /// How many reports had no RSSI.
  package private(set) var unmeasured = 0
  /// The power that the beacon announces in dBm at one meter; `nil` before it was received.
  package private(set) var announcedPower: Int8?

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - meters: The distance from the beacon.
  ///   - calibration: The known receivers; what ranging adds to an RSSI is added here too.
  package init(at meters: Double, calibration: Calibration) {
    self.meters = meters
    self.calibration = calibration
  }

  /// Processes a sighting of the beacon.
  package mutating func add(_ sighting: Sighting) {
    announcedPower = sighting.measuredPower
    guard let rssi = sighting.rssi else {
      unmeasured += 1
      return
    }
    let receiver = Int(sighting.receiver)
    while sessions.count <= receiver { sessions.append(nil) }
    let offset = calibration.offset(forReceiver: sighting.receiver)
    var session = sessions[receiver] ?? CalibrationSession(at: meters)
    session.add(Int8(clamping: Int((Double(rssi) + offset).rounded())))
    sessions[receiver] = session
  }

  /// The receiver that received most, the first of equals, and its reports.
  package var best: (receiver: Int, session: CalibrationSession)? {
    var best: (receiver: Int, session: CalibrationSession)?
    for (receiver, session) in sessions.enumerated() {
      guard let session, session.count > best?.session.count ?? 0 else { continue }
      best = (receiver, session)
    }
    return best
  }

  /// The session of one receiver; empty if it received nothing.
  package func session(of receiver: Int) -> CalibrationSession {
    let known = sessions.indices.contains(receiver) ? sessions[receiver] : nil
    return known ?? CalibrationSession(at: meters)
  }

  package func isEnough(_ samples: Int, receivers: [String]) -> Bool {
    best?.session.count ?? 0 >= samples
  }

  package func progress(towards samples: Int) -> String {
    let session = best?.session ?? CalibrationSession(at: meters)
    let median = session.median.map { ", median \(Int($0.rounded())) dBm" } ?? ""
    return "\(session.count) of \(samples) samples\(median)  \(session.verdict)"
  }

  /// How many receivers received the beacon.
  package var receivers: Int { sessions.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }
}
