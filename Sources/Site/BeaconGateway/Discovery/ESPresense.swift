// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The messages of ESPresense's nodes, of which Home Assistant's `mqtt_room` makes rooms.
enum ESPresense {
  /// The `source` in a gateway's message, by which a site knows that no node sent it.
  static let source = "beaconctl"

  /// The name of a beacon at ESPresense.
  static func name(of beacon: BeaconIdentity) -> String {
    "iBeacon:\(UUIDText.string(beacon.uuid).lowercased())-\(beacon.major)-\(beacon.minor)"
  }

  /// The identity that a name means; `nil` for one of something else than an iBeacon.
  static func beacon(named name: some StringProtocol) -> BeaconIdentity? {
    let start = "iBeacon:"
    guard name.hasPrefix(start) else { return nil }
    // A UUID itself has dashes.
    let parts = name.dropFirst(start.count).split(
      separator: "-",
      omittingEmptySubsequences: false
    )
    guard parts.count == 7, let uuid = UUIDText.parse(parts[..<5].joined(separator: "-")) else {
      return nil
    }
    let digits = parts[5...].allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard digits, let major = UInt16(parts[5]), let minor = UInt16(parts[6]) else { return nil }
    return BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }

  /// How far away a beacon is from a gateway, which is a node in a room here.
  static func message(
    _ beacon: RangedBeacon,
    room: TopicName,
    _ names: NameBook
  ) -> GatewayMessage {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("id", name(of: beacon.identity))
    if let name = names[beacon.identity] {
      writer.string("name", name)
    }
    writer.integer("rssi", beacon.wholeRSSI)
    writer.hundredths("distance", beacon.distance?.meters)
    writer.string("source", source)
    writer.endObject()
    let topic = "espresense/devices/\(name(of: beacon.identity))/\(room)"
    return GatewayMessage(.passing, topic, writer.bytes)
  }
}
