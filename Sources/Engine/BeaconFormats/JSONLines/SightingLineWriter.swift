// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Writes `sighting` lines, of which a scan of a capture writes up to a million a second.
package struct SightingLineWriter: Sendable {
  private static let begin: StaticString = #"{"v":1,"type":"sighting","t":"#
  private static let uuid: StaticString = #","uuid":"#
  private static let major: StaticString = #","major":"#
  private static let minor: StaticString = #","minor":"#
  private static let power: StaticString = #","power":"#
  private static let rssi: StaticString = #","rssi":"#
  private static let receiver: StaticString = #","receiver":"#
  private static let noAddress: StaticString = ",\"address\":null}\n"
  private static let name: StaticString = #","name":"#
  private static let address: StaticString = #","address":"#
  private static let null: StaticString = "null"

  private let receivers: [JSONFragment]

  /// Creates a writer for receivers by index; a receiver without a name is written as `null`.
  package init(receiverNames: [String]) {
    receivers = receiverNames.map { JSONFragment(string: $0.isEmpty ? nil : $0) }
  }

  /// Appends one line.
  ///
  /// `power` is the measured power in the frame, `nil` for a frame that ends in front of it; `address` is `nil` where
  /// addresses are not shown; `name` is the beacon's, `nil` for one without.
  package func append(
    _ identity: BeaconIdentity,
    power: Int8?,
    rssi: Int8?,
    receiver: UInt8,
    address: DeviceAddress?,
    name: String? = nil,
    at time: Timestamp,
    to writer: inout JSONLineWriter
  ) {
    writer.fragment(Self.begin, then: time)
    writer.fragment(Self.uuid, then: identity.uuid)
    writer.fragment(Self.major, then: Int(identity.major))
    writer.fragment(Self.minor, then: Int(identity.minor))
    append(Self.power, power, to: &writer)
    append(Self.rssi, rssi, to: &writer)
    writer.fragment(Self.receiver)
    writer.fragment(Int(receiver) < receivers.count ? receivers[Int(receiver)] : .null)
    if address != nil || name != nil {
      writer.fragment(Self.address)
      writer.address(address)
      if let name {
        writer.fragment(Self.name)
        writer.string(name)
      }
      writer.endLine()
    } else {
      writer.fragment(Self.noAddress)
      writer.lineEnded()
    }
  }

  @inline(__always)
  private func append(_ key: StaticString, _ value: Int8?, to writer: inout JSONLineWriter) {
    if let value {
      writer.fragment(key, then: Int(value))
    } else {
      writer.fragment(key)
      writer.fragment(Self.null)
    }
  }
}
