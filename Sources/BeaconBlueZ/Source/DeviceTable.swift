// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What kinds of addresses the devices have that BlueZ told of; signals name a device by its path alone.
///
/// It is bounded, since a daemon that never forgets (`TemporaryTimeout=0`) must not fill the memory, and neither must an
/// air with new addresses all the time. It keeps two halves: devices that are told of or heard are in the recent one,
/// and when that is full, those not heard since the last time it was are given up. So a flood of strangers takes
/// nothing from a device that is still heard.
package struct DeviceTable {
  /// The most devices that are kept; the reports of the others have no address.
  package static let capacity = 1 << 16

  private let half: Int
  private var recent: [UInt64: DeviceAddress.Kind] = [:]
  private var earlier: [UInt64: DeviceAddress.Kind] = [:]
  /// Devices given up because the table was full.
  package private(set) var evicted = 0

  /// Creates an empty table.
  ///
  /// - Parameter capacity: The most devices that are kept.
  package init(capacity: Int = Self.capacity) {
    half = max(1, capacity / 2)
  }

  /// How many devices are kept.
  package var count: Int { recent.count + earlier.count }

  mutating func add(_ device: DevicePath, _ type: DeviceSample.AddressType?) {
    guard let type else { return }
    add(device.key, type == .random ? .random : .publicDevice)
  }

  mutating func remove(_ device: DevicePath) {
    remove(device.key)
  }

  /// The device's address; `nil` where its kind was never told, or was given up.
  mutating func address(of device: DevicePath) -> DeviceAddress? {
    kind(of: device.key).map { DeviceAddress(device.address, kind: $0) }
  }

  mutating func removeAll(of adapter: UInt16) {
    recent = recent.filter { UInt16(truncatingIfNeeded: $0.key >> 48) != adapter }
    earlier = earlier.filter { UInt16(truncatingIfNeeded: $0.key >> 48) != adapter }
  }

  mutating func removeAll() {
    recent = [:]
    earlier = [:]
  }

  // MARK: By key

  /// Keeps the kind of a device's address.
  package mutating func add(_ key: UInt64, _ kind: DeviceAddress.Kind) {
    if recent[key] == nil {
      earlier[key] = nil
      if recent.count >= half { giveUpEarlier() }
    }
    recent[key] = kind
  }

  /// Forgets a device.
  package mutating func remove(_ key: UInt64) {
    if recent.removeValue(forKey: key) == nil { earlier[key] = nil }
  }

  /// The kind of a device that is heard, which keeps it.
  package mutating func kind(of key: UInt64) -> DeviceAddress.Kind? {
    if let kind = recent[key] { return kind }
    guard let kind = earlier[key] else { return nil }
    add(key, kind)
    return kind
  }

  private mutating func giveUpEarlier() {
    evicted &+= earlier.count
    // The memory of both is used again: a flood that goes on allocates nothing.
    earlier.removeAll(keepingCapacity: true)
    swap(&recent, &earlier)
  }
}
