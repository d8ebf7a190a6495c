// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import Synchronization
internal import WebServer

/// The beacons that the plan editor's command receives, so that a curator can stand in front of one and press.
final class NearestBeacons: RunParticipant, Sendable {
  /// A beacon as the page gets it.
  struct Beacon: Sendable {
    let identity: BeaconIdentity
    let level: Int
    let name: String?
  }

  /// The most beacons that the page gets: those from which a curator may choose.
  private static let most = 8

  private let names: NameBook
  private let walk: Mutex<PlanWalk>
  private let beacons = Mutex<[Beacon]>([])

  init(_ names: NameBook) {
    self.names = names
    walk = Mutex(PlanWalk())
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    guard case .delivered(let deliveries) = moment else { return }
    let near = walk.withLock { walk in
      walk.receive(deliveries)
      return walk.near.prefix(Self.most)
    }
    let found = near.map { beacon in
      Beacon(
        identity: beacon.identity,
        level: Int(beacon.level.rounded()),
        name: names[beacon.identity]
      )
    }
    beacons.withLock { $0 = found }
  }

  /// The beacons, the strongest first, on the server's thread.
  func answer() -> WebResponse {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("beacons")
    writer.beginArray()
    for beacon in beacons.withLock({ $0 }) {
      writer.beginObject()
      writer.string("uuid", UUIDText.string(beacon.identity.uuid))
      writer.integer("major", Int(beacon.identity.major))
      writer.integer("minor", Int(beacon.identity.minor))
      writer.integer("level", beacon.level)
      writer.string("name", beacon.name)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return .content(writer.bytes, type: "application/json")
  }
}
