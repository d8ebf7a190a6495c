// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// What history keeps of a delivery to a client.
package enum HistoryEvent: Sendable, Equatable {
  /// A region was entered or left.
  case crossing(HistoryCrossing)
  /// A region's state, determined or restored.
  case state(region: String, RegionState, at: Timestamp)
  /// A tick: the beacons that were ranged, each with its distance in meters and whether it was near or immediate.
  case ranged([Ranged], at: Timestamp)
  /// A condition.
  case notice(HistoryNotice)

  /// A beacon in a tick.
  package struct Ranged: Sendable, Equatable {
    var identity: BeaconIdentity
    var meters: Double?
    var isNear: Bool

    package init(identity: BeaconIdentity, meters: Double?, isNear: Bool) {
      self.identity = identity
      self.meters = meters
      self.isNear = isNear
    }

    init(_ beacon: RangedBeacon) {
      identity = beacon.identity
      meters = beacon.distance?.meters
      isNear = beacon.proximity == .near || beacon.proximity == .immediate
    }
  }

  /// The row of a delivery; `nil` for one that history does not keep.
  ///
  /// - Parameters:
  ///   - delivery: The delivery.
  ///   - client: The name of the client that receives it.
  package init?(_ delivery: Delivery, client: String) {
    switch delivery.event {
    case .regionEntered(let region, let reason, _):
      self = .crossing(Self.crossing(.enter, delivery, client, region, reason))
    case .regionExited(let region, let reason, _):
      self = .crossing(Self.crossing(.exit, delivery, client, region, reason))
    case .regionState(let region, let state, let origin, let reason):
      // An answer to a request repeats the known state, and an assumption is not an observation.
      guard origin != .assumed, reason != .requested, reason != .shutdown else { return nil }
      self = .state(region: region.rawValue, state, at: delivery.time)
    case .nearby(let beacons):
      self = .ranged(beacons.map(Ranged.init), at: delivery.time)
    case .ranged(let entries):
      self = .ranged(entries.flatMap(\.beacons).map(Ranged.init), at: delivery.time)
    case .diagnostic(let diagnostic):
      let record = EventRecord.records(of: delivery.event, EventNames()).first
      let fields = record?.fields.dropFirst() ?? []
      self = .notice(
        HistoryNotice(
          time: delivery.time,
          code: diagnostic.code,
          detail: EventLineWriter.json(.object(Array(fields)))
        )
      )
    default: return nil
    }
  }

  private static func crossing(
    _ kind: HistoryCrossing.Kind,
    _ delivery: Delivery,
    _ client: String,
    _ region: RegionIdentifier,
    _ reason: RegionStateReason
  ) -> HistoryCrossing {
    let why = EventRecord.records(of: delivery.event, EventNames()).first?["why"]
    return HistoryCrossing(
      time: delivery.time,
      client: client,
      region: region.rawValue,
      kind: kind,
      reason: reason.rawValue,
      why: EventLineWriter.json(why ?? .null)
    )
  }
}
