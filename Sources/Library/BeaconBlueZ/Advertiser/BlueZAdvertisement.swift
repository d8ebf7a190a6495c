// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// An iBeacon to send, and the adapter that sends it.
public struct BlueZAdvertisement: Sendable, Equatable {
  /// The identity.
  public var identity: BeaconIdentity
  /// The measured power: the RSSI that receivers measure at 1 m, in dBm.
  ///
  /// Receivers compute distances with it. Nothing but a measurement at 1 m shows it, since it depends on the antenna.
  public var measuredPower: Int8
  /// The adapter; of several, the first that can advertise.
  public var adapter: AdapterSelection

  /// Creates an advertisement.
  public init(
    _ identity: BeaconIdentity,
    measuredPower: Int8,
    adapter: AdapterSelection = .all
  ) {
    self.identity = identity
    self.measuredPower = measuredPower
    self.adapter = adapter
  }

  /// The AD structure of the frame.
  var structure: [UInt8] {
    BeaconEncoder.advertisingData(identity, measuredPower: measuredPower)
  }

  /// The manufacturer data without the company identifier, as `LEAdvertisement1` has it: 23 bytes.
  package var manufacturerData: [UInt8] {
    // Before it are the length, the AD type and the two bytes of the company.
    Array(structure.dropFirst(4))
  }
}

/// What BlueZ and the adapter made of a ``BlueZAdvertisement``.
public struct ObtainedAdvertisement: Sendable, Equatable {
  /// The name of the adapter, such as `hci0`.
  public var adapter: String
  /// The adapter's device address.
  ///
  /// Packets may have another, random address.
  public var address: String
  /// How many advertisements the adapter sends now, of all programs; `nil` if BlueZ does not report it.
  public var active: Int?
  /// How many advertisements the adapter can send; `nil` if BlueZ does not report it.
  public var possible: Int?
  /// The shortest and the longest interval between two packets that the kernel demanded of the adapter; `nil` if this
  /// program may not read the kernel's monitor channel.
  ///
  /// To this interval a controller adds up to 10 ms at random.
  public var interval: ClosedRange<TimeSpan>?
  /// The transmission power that BlueZ obtained, in dBm; `nil` if it does not report it.
  public var transmissionPower: Int?
  /// Why BlueZ refused the advertisement, if the program had the kernel send it; `nil` if BlueZ sends it.
  public var refusal: BlueZFailure?

  /// Creates the obtained values from an adapter.
  public init(adapter: String, address: String) {
    self.adapter = adapter
    self.address = address
  }
}

extension ObtainedAdvertisement: CustomStringConvertible {
  /// The obtained values, as a part of a sentence.
  public var description: String {
    var parts: [String] = []
    if let interval {
      let (shortest, longest) = (interval.lowerBound, interval.upperBound)
      let range =
        shortest == longest
        ? Self.milliseconds(shortest)
        : "\(Self.milliseconds(shortest)) to \(Self.milliseconds(longest))"
      parts.append("every \(range) ms")
    } else {
      parts.append("at an interval that only the kernel knows (reading it needs CAP_NET_RAW)")
    }
    if let transmissionPower { parts.append("transmission power \(transmissionPower) dBm") }
    if let active, let possible { parts.append("\(active) of \(possible) advertisements in use") }
    if let refusal { parts.append("by the kernel, since \(refusal)") }
    return parts.joined(separator: ", ")
  }

  private static func milliseconds(_ span: TimeSpan) -> String {
    let tenths = (span.microseconds + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
