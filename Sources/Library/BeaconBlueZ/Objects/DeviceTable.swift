// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The kinds of the devices' addresses.
///
/// BlueZ sends the kind once for each device; later signals contain only the device's path.
///
/// The table is bounded: neither a daemon that never forgets a device (`TemporaryTimeout=0`) nor a flood of new
/// addresses may fill the memory. It has two halves. Devices that are added or received are in the recent half. When
/// that half is full, devices that were not received since it was last full are evicted. So a flood of new devices
/// evicts no device that still sends.
package struct DeviceTable {
  /// The most devices to keep; reports of other devices have no address.
  package static let capacity = 1 << 16

  private let half: Int
  private var recent: [UInt64: DeviceAddress.Kind] = [:]
  private var earlier: [UInt64: DeviceAddress.Kind] = [:]
  /// How many devices were evicted because the table was full.
  package private(set) var evicted = 0

  /// Creates an empty table.
  ///
  /// - Parameter capacity: The most devices to keep.
  package init(capacity: Int = Self.capacity) {
    half = max(1, capacity / 2)
  }

  /// The number of devices in the table.
  package var count: Int { recent.count + earlier.count }

  mutating func add(_ device: DevicePath, _ type: DeviceSample.AddressType?) {
    guard let type else { return }
    add(device.key, type == .random ? .random : .publicDevice)
  }

  mutating func remove(_ device: DevicePath) {
    remove(device.key)
  }

  /// Returns the device's address; `nil` if its kind was never received, or was evicted.
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

  /// Adds the kind of a device's address.
  package mutating func add(_ key: UInt64, _ kind: DeviceAddress.Kind) {
    if recent[key] == nil {
      earlier[key] = nil
      if recent.count >= half { giveUpEarlier() }
    }
    recent[key] = kind
  }

  /// Removes a device.
  package mutating func remove(_ key: UInt64) {
    if recent.removeValue(forKey: key) == nil { earlier[key] = nil }
  }

  /// Returns the kind of a received device's address, and keeps the device in the table.
  package mutating func kind(of key: UInt64) -> DeviceAddress.Kind? {
    if let kind = recent[key] { return kind }
    guard let kind = earlier[key] else { return nil }
    add(key, kind)
    return kind
  }

  private mutating func giveUpEarlier() {
    evicted &+= earlier.count
    // The memory of both halves is reused, so a continuing flood allocates nothing.
    earlier.removeAll(keepingCapacity: true)
    swap(&recent, &earlier)
  }
}
