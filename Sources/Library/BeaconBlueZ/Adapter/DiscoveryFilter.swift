// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// The discovery filter for BlueZ: it requests every report of every Low Energy device, at full rate.
package struct DiscoveryFilter: Sendable, Equatable {
  /// A key of the filter.
  package enum Key: String, Sendable, CaseIterable {
    /// Low Energy only: an inquiry of classic Bluetooth would use half of the radio's time.
    case transport = "Transport"
    /// Requests manufacturer data in every signal, together with the RSSI, so that one signal is one sample.
    case duplicateData = "DuplicateData"
    /// Newer daemons signal the RSSI of each packet only if some filter contains this key; -127 lets everything pass.
    case rssi = "RSSI"
    /// The empty pattern matches everything, so that another program's pattern hides no device from this one.
    case pattern = "Pattern"

    var value: DBusValue {
      switch self {
      case .transport: .string("le")
      case .duplicateData: .boolean(true)
      case .rssi: .int16(-127)
      case .pattern: .string("")
      }
    }
  }

  /// The keys, in the order of the message.
  package let keys: [Key]

  /// The filter of a daemon that does not report its keys: the keys of the first version.
  package static let ofOldDaemons = DiscoveryFilter(known: ["Transport", "RSSI"])

  /// Creates the filter from the keys that the daemon knows, because an unknown key makes the whole call fail.
  package init(known: [String]) {
    keys = Key.allCases.filter { known.contains($0.rawValue) }
  }

  /// The filter as the call's argument.
  package var argument: DBusValue {
    .dictionary(
      of: "sv",
      keys.map { DBusEntry(key: .string($0.rawValue), value: .variant($0.value)) }
    )
  }
}
