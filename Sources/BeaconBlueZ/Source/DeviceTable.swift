// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// What kinds of addresses the devices have that BlueZ told of; signals name a device by its path alone.
struct DeviceTable {
  /// The most devices that are kept; a daemon that never forgets (`TemporaryTimeout=0`) must not fill the memory.
  ///
  /// The reports of the others have no address.
  static let capacity = 1 << 16

  private var kinds: [UInt64: DeviceAddress.Kind] = [:]

  mutating func add(_ device: DevicePath, _ type: DeviceSample.AddressType?) {
    guard let type, kinds.count < Self.capacity || kinds[device.key] != nil else { return }
    kinds[device.key] = type == .random ? .random : .publicDevice
  }

  mutating func remove(_ device: DevicePath) {
    kinds[device.key] = nil
  }

  mutating func removeAll(of adapter: UInt16) {
    kinds = kinds.filter { UInt16(truncatingIfNeeded: $0.key >> 48) != adapter }
  }

  mutating func removeAll() {
    kinds = [:]
  }

  /// The device's address; `nil` where its kind was never told.
  func address(of device: DevicePath) -> DeviceAddress? {
    kinds[device.key].map { DeviceAddress(device.address, kind: $0) }
  }
}
