// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// A simulated day with its radio, made of one seed.
struct World {
  let day: SimulatedDay
  let radio: RadioSite
  let crowd: CrowdTable?

  /// A trial's changes of the simulator's constants.
  struct Change {
    var delivered: Double?
    var bystanders = 0.0
    var isStale = false
    /// Whether beacons and receivers differ as they do from the factory; otherwise they are calibrated.
    var differs = false
  }

  init(_ plan: Plan, seed: Int, visitors: Int, _ change: Change = Change()) throws {
    var link = LinkModel()
    var reception = ReceptionModel()
    if let delivered = change.delivered { reception.delivered = delivered }
    link.bystanders = change.bystanders
    if !change.differs {
      link.beaconDeviation = 0
      link.receiverDeviation = 0
    }
    reception.isStale = change.isStale
    let site = try SimulatedSite(plan, power: link.powerAtOneMeter)
    day = SimulatedDay(
      site,
      VisitorModel(),
      visitors: visitors,
      seed: UInt64(seed)
    )
    radio = RadioSite(site, link, reception, seed: UInt64(seed))
    crowd = visitors > 1 ? CrowdTable(day) : nil
  }

  func scan(of visitor: SimulatedDay.Visitor) -> VisitScan {
    VisitScan(radio, day, visitor, crowd: crowd)
  }
}
