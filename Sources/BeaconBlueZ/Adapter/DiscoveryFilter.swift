// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// What BlueZ is asked to receive: every report of every Low Energy device, at full rate.
package struct DiscoveryFilter: Sendable, Equatable {
  /// A key of the filter.
  package enum Key: String, Sendable, CaseIterable {
    /// No inquiry of classic Bluetooth, which would use half of the radio's time.
    case transport = "Transport"
    /// Manufacturer data in every signal, together with the RSSI: one signal is one sample.
    case duplicateData = "DuplicateData"
    /// Newer daemons signal the RSSI of each packet only where some filter has one; -127 lets everything pass.
    case rssi = "RSSI"
    /// The empty pattern matches all, so that another program's pattern hides nothing from us.
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

  /// The keys, in the order they are sent.
  package let keys: [Key]

  /// The filter of a daemon that does not say which keys it knows: the keys of the first version.
  package static let ofOldDaemons = DiscoveryFilter(known: ["Transport", "RSSI"])

  /// Creates the filter out of the keys that the daemon knows: one it does not know fails the whole call.
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
