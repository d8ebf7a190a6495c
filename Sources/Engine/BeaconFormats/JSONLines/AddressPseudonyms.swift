// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Replaces device addresses with pseudonyms that are stable within one file and mean nothing outside it.
///
/// The first address becomes `02:00:00:00:00:01`, the next `02:00:00:00:00:02`, and so on: locally administered
/// addresses, which no manufacturer assigns. The kind of address is kept, since it describes how the beacon behaves and
/// does not identify it.
package struct AddressPseudonyms: Sendable {
  /// The most addresses remembered; the phones in a gallery use some hundreds an hour, and 65,536 take about 3 MB.
  package static let defaultCapacity = 65_536
  /// The three octets that all pseudonyms start with.
  static let prefix: UInt64 = 0x02_00_00 << 24
  /// The number after which numbering starts again: the largest in three octets.
  static let lastNumber: UInt64 = 0xFF_FFFF

  /// How many addresses were forgotten in favor of new ones; a forgotten address gets another pseudonym when it
  /// returns.
  package private(set) var forgotten = 0

  private let capacity: Int
  private var known: [UInt64: UInt64] = [:]
  /// The addresses known, a ring from the oldest at ``oldest`` once it is full.
  private var order: [UInt64] = []
  private var oldest = 0
  private var number: UInt64

  /// Creates an empty mapping.
  ///
  /// - Parameters:
  ///   - capacity: The most addresses remembered.
  ///   - number: The number of the last pseudonym in use.
  package init(capacity: Int = AddressPseudonyms.defaultCapacity, after number: UInt64 = 0) {
    self.capacity = max(1, capacity)
    self.number = number % Self.lastNumber
  }

  /// Returns the pseudonym of an address; an unknown address gets a new one.
  package mutating func pseudonym(for address: DeviceAddress) -> DeviceAddress {
    if let bits = known[address.rawValue] { return DeviceAddress(bits, kind: address.kind) }
    number = number == Self.lastNumber ? 1 : number + 1
    if order.count < capacity {
      order.append(address.rawValue)
    } else {
      known[order[oldest]] = nil
      order[oldest] = address.rawValue
      oldest = (oldest + 1) % capacity
      forgotten += 1
    }
    known[address.rawValue] = Self.prefix | number
    return DeviceAddress(Self.prefix | number, kind: address.kind)
  }
}
