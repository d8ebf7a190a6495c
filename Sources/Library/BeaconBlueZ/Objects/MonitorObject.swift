// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The advertisement monitor that this program exports for one adapter (`org.bluez.AdvertisementMonitor1`).
///
/// BlueZ reads its properties and calls its methods (rows B7, B8).
struct MonitorObject {
  /// The interface that BlueZ calls.
  private static let interface = "org.bluez.AdvertisementMonitor1"
  /// The pattern: Apple's manufacturer data, starting like an iBeacon frame.
  private static let pattern: [UInt8] = [0x4C, 0x00, 0x02, 0x15]
  /// The AD type of manufacturer specific data.
  private static let manufacturerData: UInt8 = 0xFF
  /// The signal strength of both thresholds.
  ///
  /// With thresholds, BlueZ makes one call for a beacon instead of one for each packet.
  ///
  /// Every packet is above the high threshold and not below the low one.
  private static let threshold: Int16 = -127
  /// Seconds until a silent beacon counts as lost; the value does not matter here, and 300 is the largest.
  private static let lostTimeout: UInt16 = 300

  /// The number of its receiver.
  let receiver: UInt8

  /// The path of the object manager, which is registered with BlueZ.
  var managerPath: String { "/beacons/receiver\(receiver)" }
  /// The path of the monitor itself.
  private var monitorPath: String { "\(managerPath)/monitor" }

  /// Returns the receiver of the object at a path.
  static func receiver(of path: String) -> UInt8? {
    let parts = path.split(separator: "/")
    guard parts.count >= 2, parts[0] == "beacons", parts[1].hasPrefix("receiver") else {
      return nil
    }
    return UInt8(parts[1].dropFirst("receiver".count))
  }

  /// A call from BlueZ.
  enum Event {
    /// The monitor was activated.
    case activated
    /// The monitor was refused or removed.
    case released
    /// A device was found or lost, which does not matter here.
    case other
  }

  /// Reads a call to the monitor; `nil` for an unknown method.
  func event(in message: borrowing Message) -> Event? {
    guard message.interface == Self.interface else { return nil }
    switch message.member {
    case "Activate": return .activated
    case "Release": return .released
    case "DeviceFound", "DeviceLost": return .other
    default: return nil
    }
  }

  /// The answer to `GetManagedObjects`.
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
