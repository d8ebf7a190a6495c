// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// Simpler rules than the guide's: the strongest signal of the last second, and the nearest beacon by AltBeacon's
/// distance.
struct Rules {
  private let plan: Plan
  private let configuration: Configuration
  private let exhibits: [BeaconIdentity: Int]

  init(_ plan: Plan) throws {
    self.plan = plan
    var configuration = Configuration()
    try plan.calibrate(&configuration)
    configuration.ranging.filter = .altBeacon(AltBeaconFilter.Parameters())
    configuration.ranging.pathLoss = .altBeacon(.nexus)
    self.configuration = configuration
    exhibits = Dictionary(
      plan.exhibits.enumerated().map { ($1.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func play(_ scan: VisitScan) -> (strongest: Shown, altBeacon: Shown) {
    var scan = scan
    var (strongest, altBeacon) = (Shown(), Shown())
    guard let first = scan.next(), let start = first.inputs.first?.time else {
      return (strongest, altBeacon)
    }
    var driver = EngineDriver(configuration, startingAt: start)
    let client = driver.connect()
    driver.request(.range(plan.constraint), by: client)
    var next: ScanBatch? = first
    while let batch = next {
      driver.supply(batch)
      for delivery in driver.collectDeliveries() {
        guard case .ranged(let entries) = delivery.event, let beacons = entries.first?.beacons
        else {
          continue
        }
        let loudest = beacons.filter { $0.rssi != nil }
          .max { ($0.rssi ?? -200) < ($1.rssi ?? -200) }?.identity
        note(loudest, at: delivery.time, in: &strongest)
        let nearest = beacons.filter { $0.distance != nil }
          .min { ($0.distance?.meters ?? .infinity) < ($1.distance?.meters ?? .infinity) }
        note(nearest?.identity, at: delivery.time, in: &altBeacon)
      }
      next = scan.next()
    }
    strongest.end(at: driver.now)
    altBeacon.end(at: driver.now)
    return (strongest, altBeacon)
  }

  private func note(_ identity: BeaconIdentity?, at time: Timestamp, in shown: inout Shown) {
    let exhibit = identity.flatMap { exhibits[$0] }
    let room = identity.flatMap { identity in
      plan.rooms.firstIndex { $0.major == identity.major }
    }
    shown.note(exhibit, room: room, at: time)
  }
}
