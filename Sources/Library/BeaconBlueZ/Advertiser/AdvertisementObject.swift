// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The advertisement that this program exports on the bus (`org.bluez.LEAdvertisement1`).
///
/// BlueZ reads its properties when it is registered, and calls `Release` when it has removed it. Only BlueZ may call:
/// the loop answers only owners of followed names.
struct AdvertisementObject {
  /// The interface that BlueZ calls.
  static let interface = "org.bluez.LEAdvertisement1"
  /// The object's path.
  static let path = "/beacons/advertisement"
  /// Apple's company identifier.
  private static let company: UInt16 = 0x004C

  /// The sent bytes.
  let advertisement: BlueZAdvertisement

  /// The subject of a call.
  enum Call {
    /// It is answered, and nothing changes.
    case answered(Answer)
    /// BlueZ has removed the advertisement.
    case released
    /// BlueZ states the transmission power that it obtained, in dBm.
    case power(Int16)
  }

  /// The properties.
  ///
  /// A broadcast needs no scan response and cannot be connected to.
  private var properties: DBusValue {
    .properties([
      "Type": .string("broadcast"),
      "ManufacturerData": .dictionary(
        of: "qv",
        [
          DBusEntry(
            key: .uint16(Self.company),
            value: .variant(.bytes(advertisement.manufacturerData))
          )
        ]
      ),
    ])
  }

  /// Reads a call to the object; `nil` if it has no such method or property.
  func call(in message: borrowing Message) -> Call? {
    guard message.path == Self.path else { return nil }
    if message.isNamed("org.bluez.LEAdvertisement1", "Release") { return .released }
    if message.isNamed("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") {
      return .answered(.values([objects]))
    }
    guard message.interface == BusName.properties else { return nil }
    let arguments = message.read { $0.values() } ?? []
    guard arguments.first?.text == Self.interface else { return nil }
    switch message.member {
    case "GetAll": return .answered(.values([properties]))
    case "Get": return property(named: arguments.dropFirst().first?.text)
    case "Set":
      guard arguments.count == 3, arguments[1].text == "TxPower",
        case .variant(.int16(let power)) = arguments[2]
      else { return nil }
      return .power(power)
    default: return nil
    }
  }

  private func property(named name: String?) -> Call? {
    guard let name, case .dictionary(_, let entries) = properties,
      let entry = entries.first(where: { $0.key.text == name })
    else { return nil }
    return .answered(.values([entry.value]))
  }

  private var objects: DBusValue {
    let interfaces = DBusValue.dictionary(
      of: "sa{sv}",
      [DBusEntry(key: .string(Self.interface), value: properties)]
    )
    return .dictionary(
      of: "oa{sa{sv}}",
      [DBusEntry(key: .objectPath(Self.path), value: interfaces)]
    )
  }
}
