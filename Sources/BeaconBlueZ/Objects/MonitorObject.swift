// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The advertisement monitor that we export for one adapter (BlueZ's `org.bluez.AdvertisementMonitor1`): BlueZ reads
/// its properties and calls its methods (rows B7, B8).
struct MonitorObject {
  /// The interface that BlueZ calls.
  private static let interface = "org.bluez.AdvertisementMonitor1"
  /// The pattern: Apple's manufacturer data that starts as an iBeacon frame does.
  private static let pattern: [UInt8] = [0x4C, 0x00, 0x02, 0x15]
  /// The AD type of manufacturer specific data.
  private static let manufacturerData: UInt8 = 0xFF
  /// The signal strength of both thresholds: with thresholds, BlueZ calls us once for a beacon, not once for a packet.
  ///
  /// Every packet is above the high threshold and none is below the low one.
  private static let threshold: Int16 = -127
  /// Seconds until a silent beacon counts as lost, which does not matter here; 300 is the longest.
  private static let lostTimeout: UInt16 = 300

  /// The number of the receiver that it is for.
  let receiver: UInt8

  /// The path that is registered, of the object manager.
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

  /// A call by BlueZ.
  enum Event {
    /// The monitor was activated.
    case activated
    /// The monitor was refused or removed.
    case released
    /// A device was found or lost, which the monitor is not for.
    case other
  }

  /// Reads a call of the monitor; `nil` for a method that it does not have.
  func event(in message: borrowing Message) -> Event? {
    guard message.interface == Self.interface else { return nil }
    switch message.member {
    case "Activate": return .activated
    case "Release": return .released
    case "DeviceFound", "DeviceLost": return .other
    default: return nil
    }
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
      [DBusEntry(key: .string(Self.interface), value: properties)]
    )
    return .dictionary(
      of: "oa{sa{sv}}",
      [DBusEntry(key: .objectPath(monitorPath), value: interfaces)]
    )
  }
}
