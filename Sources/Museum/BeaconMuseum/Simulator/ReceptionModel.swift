// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Settings for which packets a receiver decodes and its reports of them.
package struct ReceptionModel: Sendable {
  /// The RSSI in dBm at which half of the packets are decoded.
  package var sensitivity = -97.0
  /// The width of the logistic curve around the sensitivity, in dB.
  package var slope = 1.5
  /// The share of strong packets that are received in the long run, including the effect of bursts and collisions.
  package var delivered = 0.77
  /// The share received outside loss bursts.
  package var goodRun = 0.9
  /// The share received within loss bursts.
  package var badRun = 0.1
  /// The mean length of a loss burst in seconds.
  package var badRunLength = 3.0
  /// The duration of a packet, in seconds.
  package var packetTime = 0.000368
  /// The time for which the receiver stays on a channel, in seconds.
  package var scanInterval = 0.1
  /// The advertising interval in seconds.
  package var interval = 0.35
  /// The largest random delay added to each interval, in seconds.
  package var delay = 0.01
  /// The smallest change in dB that BlueZ reports without a filter on RSSI.
  package var staleStep = 8.0
  /// The seconds of scanning and of not scanning; `nil` scans all the time.
  package var duty: (on: Double, off: Double)?
  /// Whether RSSI is reported as BlueZ does for a client without one in its filter: only changes of at least ``staleStep``.
  package var isStale = false

  /// Creates the model with the numbers of ``constants``.
  package init() {}

  /// The numbers and their sources.
  package static let constants: [SimulationConstant<ReceptionModel>] = [
    SimulationConstant(
      "reception.sensitivity",
      \.sensitivity,
      unit: "dBm",
      source: "half of the packets are decoded; assumed so low that Strzoda's mean of -90.8 dBm at "
        + "16 m can be: at -93 the received ones are stronger"
    ),
    SimulationConstant(
      "reception.slope",
      \.slope,
      unit: "dB",
      source: "assumed: steepness of the logistic around the sensitivity"
    ),
    SimulationConstant(
      "reception.delivered",
      \.delivered,
      unit: "",
      source: "RE.S.I.STO, Sensors 2021, 21, 7089: 77 % of the packets collected"
    ),
    SimulationConstant(
      "reception.goodRun",
      \.goodRun,
      unit: "",
      source: "assumed: share delivered outside loss bursts (Gilbert-Elliott)"
    ),
    SimulationConstant(
      "reception.badRun",
      \.badRun,
      unit: "",
      source: "assumed: share delivered within loss bursts (Gilbert-Elliott)"
    ),
    SimulationConstant(
      "reception.badRunLength",
      \.badRunLength,
      unit: "s",
      source: "assumed: mean length of a loss burst"
    ),
    SimulationConstant(
      "reception.packetTime",
      \.packetTime,
      unit: "s",
      source: "46 bytes at 1 Mbit/s: an iBeacon with preamble, address, header and checksum"
    ),
    SimulationConstant(
      "reception.scanInterval",
      \.scanInterval,
      unit: "s",
      source: "assumed: how long the receiver stays on each of the three channels"
    ),
    SimulationConstant(
      "timing.interval",
      \.interval,
      unit: "s",
      source: "the museum's beacons"
    ),
    SimulationConstant(
      "timing.delay",
      \.delay,
      unit: "s",
      source: "Core 5.3, Vol 6, Part B, 4.4.2.2.1: advDelay, 0 to 10 ms"
    ),
    SimulationConstant(
      "timing.staleStep",
      \.staleStep,
      unit: "dB",
      source: "BlueZ src/device.c RSSI_THRESHOLD: smaller changes are not reported without RSSI "
        + "in the filter"
    ),
  ]
}
