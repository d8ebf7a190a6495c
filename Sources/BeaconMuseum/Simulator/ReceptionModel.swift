// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which packets a receiver gets, and what it tells of them.
package struct ReceptionModel: Sendable {
  /// The RSSI in dBm at which half of the packets are decoded.
  package var sensitivity: Double
  /// Steepness of the logistic around it, in dB.
  package var slope: Double
  /// The share of strong packets that arrive in the long run, bursts and collisions included.
  package var delivered: Double
  /// The share outside loss bursts.
  package var goodRun: Double
  /// The share within.
  package var badRun: Double
  /// Mean length of a loss burst in seconds.
  package var badRunLength: Double
  package var packetTime: Double
  package var scanInterval: Double
  /// Seconds between advertisements.
  package var interval: Double
  /// The most that is added to each interval, in seconds.
  package var delay: Double
  /// The least change in dB that BlueZ tells without a filter on RSSI.
  package var staleStep: Double
  /// Seconds of listening and of not listening; `nil` listens always.
  package var duty: (on: Double, off: Double)?
  /// Whether RSSI is told as BlueZ tells it to a client whose filter has none: only changes of ``staleStep`` and more.
  package var isStale = false

  /// Takes the numbers of a file.
  package init(_ constants: SimulationConstants) throws(SimulationConstants.Missing) {
    sensitivity = try constants.number("reception.sensitivity")
    slope = try constants.number("reception.slope")
    delivered = try constants.number("reception.delivered")
    goodRun = try constants.number("reception.goodRun")
    badRun = try constants.number("reception.badRun")
    badRunLength = try constants.number("reception.badRunLength")
    packetTime = try constants.number("reception.packetTime")
    scanInterval = try constants.number("reception.scanInterval")
    interval = try constants.number("timing.interval")
    delay = try constants.number("timing.delay")
    staleStep = try constants.number("timing.staleStep")
  }
}
