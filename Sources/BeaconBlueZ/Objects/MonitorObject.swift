// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The advertisement monitor that we export for one adapter: BlueZ asks for it and calls it (rows B7, B8).
struct MonitorObject {
  /// The interface that BlueZ calls.
  static let interface: StaticString = "org.bluez.AdvertisementMonitor1"
  /// The pattern: manufacturer data of Apple that begins as an iBeacon frame does.
  private static let pattern: [UInt8] = [0x4C, 0x00, 0x02, 0x15]
  /// The AD type of manufacturer specific data.
  private static let manufacturerData: UInt8 = 0xFF
  /// With thresholds BlueZ calls us once a beacon rather than once a packet.
  ///
  /// Every strength lies above the high one, none below the low one.
  private static let threshold: Int16 = -127
  /// Seconds until a beacon that fell silent counts as lost; nobody listens to that here, and 300 is the longest.
  private static let lostTimeout: UInt16 = 300

  /// The number of the receiver it is for.
  let receiver: UInt8

  /// The path that is registered: the object manager.
  var managerPath: String { "/beacons/receiver\(receiver)" }
  /// The path of the monitor itself.
  private var monitorPath: String { "\(managerPath)/monitor" }

  /// Returns the receiver whose object a path names.
  static func receiver(of path: String) -> UInt8? {
    let parts = path.split(separator: "/")
    guard parts.count >= 2, parts[0] == "beacons", parts[1].hasPrefix("receiver") else {
      return nil
    }
    return UInt8(parts[1].dropFirst("receiver".count))
  }

  /// What `GetManagedObjects` answers.
  var managedObjects: DBusValue {
    let properties = DBusValue.properties([
      "Type": .string("or_patterns"),
      "Patterns": .array(
        of: "(yyay)",
        [.structure([.byte(0), .byte(Self.manufacturerData), .bytes(Self.pattern)])]
      ),
      "RSSIHighThreshold": .int16(Self.threshold),
      "RSSIHighTimeout": .uint16(1),
      "RSSILowThreshold": .int16(Self.threshold),
      "RSSILowTimeout": .uint16(Self.lostTimeout),
    ])
    let interfaces = DBusValue.dictionary(
      of: "sa{sv}",
      [DBusEntry(key: .string(Self.interface.description), value: properties)]
    )
    return .dictionary(
      of: "oa{sa{sv}}",
      [DBusEntry(key: .objectPath(monitorPath), value: interfaces)]
    )
  }
}
