// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// The exits that `monitor` delivers for beacons that stay in a room and then fall silent.
struct ExitScore {
  private var falseExits = 0
  private var hours = 0.0
  private var delays: [Double] = []

  /// For how long the receiver listens on after the last report, in seconds.
  private static let silence = 300

  private static let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E

  /// Counts a stay: each exit before the last report is false, and the first one after it is the true one.
  mutating func run(_ samples: [StreamSample], _ configuration: Configuration) {
    guard let first = samples.first?.time, let last = samples.last?.time else { return }
    var driver = EngineDriver(configuration, startingAt: first)
    let client = driver.connect()
    driver.request(.monitor(Region(RegionIdentifier("stay"), .uuid(Self.uuid))), by: client)
    let identity = BeaconIdentity(uuid: Self.uuid, major: 0, minor: 0)
    let payload = BeaconEncoder.advertisingData(identity, measuredPower: Rooms.power)
    hours += (last - first).seconds / 3600
    var batch = ScanBatch()
    for sample in samples {
      batch.append(
        AdvertisingReport(
          time: sample.time,
          rssi: sample.rssi,
          receiver: 0,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: payload
      )
    }
    var batches = [batch]
    for second in 1...Self.silence {
      batches.append(ScanBatch(upTo: last + .seconds(Int64(second))))
    }
    var exit: Double?
    for batch in batches {
      driver.supply(batch)
      for delivery in driver.collectDeliveries() {
        guard case .regionExited = delivery.event else { continue }
        if delivery.time <= last {
          falseExits += 1
        } else if exit == nil {
          exit = (delivery.time - last).seconds
        }
      }
    }
    delays.append(exit ?? .infinity)
  }

  static func add(_ stays: [[StreamSample]], _ rangers: [Ranger], to table: inout AccuracyTable) {
    let scores = rangers.map { ranger -> ExitScore? in
      guard case .engine(_, let configuration) = ranger else { return nil }
      var score = ExitScore()
      for stay in stays { score.run(stay, configuration) }
      return score
    }
    table.row(
      "false exits an hour of stay",
      digits: 2,
      scores.map { $0.map { Double($0.falseExits) / $0.hours } }
    )
    table.row("exit after the last report, median, s", scores.map { $0?.delays.median })
  }
}
