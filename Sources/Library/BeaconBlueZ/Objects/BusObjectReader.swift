// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus

/// An adapter as BlueZ's object manager describes it.
package struct AdapterObject: Sendable, Equatable {
  /// The object's path, such as `/org/bluez/hci0`.
  package let path: String
  /// The kernel's number of the adapter.
  package let number: UInt16
  /// The device address.
  package let address: String
  /// Whether it can scan (the role `central`).
  package let isCentral: Bool
  /// Whether programs can register advertisements with it.
  package let canAdvertise: Bool
  /// The properties that the adapter's machine needs.
  package var facts: AdapterFacts

  /// Creates an adapter.
  package init(
    path: String,
    number: UInt16,
    address: String,
    isCentral: Bool,
    canAdvertise: Bool = false,
    facts: AdapterFacts
  ) {
    self.path = path
    self.number = number
    self.address = address
    self.isCentral = isCentral
    self.canAdvertise = canAdvertise
    self.facts = facts
  }

  /// The last part of the path.
  package var name: String { "hci\(number)" }
}

/// Reads BlueZ's objects and their changes from messages, and keeps the kinds of the devices' addresses.
struct BusObjectReader {
  /// The meaning of a D-Bus signal.
  enum Signal {
    /// A device was received; ``BusObjectReader/sample`` has the values.
    case device(DevicePath)
    /// A device was received, but the signal's values do not have the expected types.
    case malformedDevice
    /// An adapter was added.
    case added(AdapterObject)
    /// The adapter with a number changed.
    case changed(adapter: UInt16, AdapterProperties)
    /// The adapter with a number was removed.
    case removed(adapter: UInt16)
    /// The signal's values do not have the expected types.
    case malformed
    /// A signal that does not matter here.
    case other
  }

  /// An object of BlueZ: an adapter, a device, or neither.
  private struct Object {
    var adapter: AdapterObject?
    var device: DevicePath?
  }

  /// The last device's signal strength and manufacturer data.
  private(set) var sample = DeviceSample()
  private var devices = DeviceTable()

  /// How many devices were evicted because the table was full.
  var evictedAddresses: Int { devices.evicted }

  /// Returns a device's address; `nil` if its kind is not known.
  mutating func address(of device: DevicePath) -> DeviceAddress? { devices.address(of: device) }

  /// Forgets all devices.
  mutating func forgetDevices() { devices.removeAll() }

  /// Forgets the devices of an adapter.
  mutating func forgetDevices(of adapter: UInt16) { devices.removeAll(of: adapter) }

  // MARK: Signals

  /// Reads a signal of BlueZ.
  mutating func signal(in message: borrowing Message) -> Signal {
    if message.isNamed("org.freedesktop.DBus.Properties", "PropertiesChanged") {
      return message.hasSignature("sa{sv}as") ? change(in: message) : .malformed
    }
    if message.isNamed("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
      return message.hasSignature("oa{sa{sv}}") ? addition(in: message) : .malformed
    }
    if message.isNamed("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") {
      return message.hasSignature("oas") ? removal(in: message) : .malformed
    }
    return .other
  }

  /// Reads `PropertiesChanged`, `sa{sv}as`.
  private mutating func change(in message: borrowing Message) -> Signal {
    enum Subject {
      case device
      case adapter
      case other
    }
    var adapter = AdapterProperties()
    let subject: Subject = message.read { cursor in
      if cursor.holds("org.bluez.Device1") {
        cursor.advance()
        sample.read(&cursor, isNew: false)
        return .device
      }
      guard cursor.holds("org.bluez.Adapter1") else { return .other }
      cursor.advance()
      adapter = AdapterProperties(&cursor)
      return .adapter
    }
    switch subject {
    case .device:
      guard sample.isWellFormed, let device = message.withPath({ DevicePath($0) }) ?? nil else {
        return .malformedDevice
      }
      return .device(device)
    case .adapter:
      let number = message.withPath { DevicePath.adapterNumber(of: $0) } ?? nil
      return number.map { .changed(adapter: $0, adapter) } ?? .malformed
    case .other:
      return .other
    }
  }

  /// Reads `InterfacesAdded`, `oa{sa{sv}}`.
  private mutating func addition(in message: borrowing Message) -> Signal {
    let object = message.read { read(&$0) }
    if let adapter = object.adapter { return .added(adapter) }
    guard let device = object.device else { return .other }
    return sample.isWellFormed ? .device(device) : .malformedDevice
  }

  /// Reads `InterfacesRemoved`, `oas`, and forgets a removed device.
  private mutating func removal(in message: borrowing Message) -> Signal {
    var removed: (adapter: UInt16?, device: DevicePath?)
    var isAdapter = false
    var isDevice = false
    message.read { cursor in
      removed.device = cursor.withText { DevicePath($0) } ?? nil
      removed.adapter = cursor.withText { DevicePath.adapterNumber(of: $0) } ?? nil
      cursor.advance()
      cursor.forEach { interface in
        if interface.holds("org.bluez.Adapter1") { isAdapter = true }
        if interface.holds("org.bluez.Device1") { isDevice = true }
      }
    }
    // BlueZ removes a device that it has not received for a while, or when discovery ends. That is not an exit.
    if isDevice, let device = removed.device { devices.remove(device) }
    guard isAdapter, let number = removed.adapter else { return .other }
    return .removed(adapter: number)
  }

  /// Reads the answer to `GetManagedObjects`, `a{oa{sa{sv}}}`.
  ///
  /// - Returns: The adapters, by number.
  mutating func adapters(in message: borrowing Message) -> [AdapterObject] {
    var adapters: [AdapterObject] = []
    _ = message.read { objects in
      objects.forEachEntry { entry in
        if let adapter = read(&entry).adapter { adapters.append(adapter) }
      }
    }
    // In the message they have the order of a hash table in the daemon.
    return adapters.sorted { ($0.number, $0.address) < ($1.number, $1.address) }
  }

  /// Reads one object, its path and interfaces, `oa{sa{sv}}`, at a cursor.
  private mutating func read(_ cursor: inout MessageCursor) -> Object {
    var object = Object()
    guard let path = cursor.text() else { return object }
    let device = cursor.withText { DevicePath($0) } ?? nil
    let number = cursor.withText { DevicePath.adapterNumber(of: $0) } ?? nil
    cursor.advance()
    var properties: AdapterProperties?
    var acceptsMonitors = false
    var canAdvertise = false
    cursor.forEachEntry { interface in
      if interface.holds("org.bluez.Adapter1") {
        interface.advance()
        properties = AdapterProperties(&interface)
      } else if interface.holds("org.bluez.AdvertisementMonitorManager1") {
        acceptsMonitors = true
      } else if interface.holds("org.bluez.LEAdvertisingManager1") {
        canAdvertise = true
      } else if interface.holds("org.bluez.Device1"), let device {
        interface.advance()
        sample.read(&interface, isNew: true)
        devices.add(device, sample.addressType)
        object.device = device
      }
    }
    guard let properties, let number, let address = properties.address else { return object }
    object.adapter = AdapterObject(
      path: path,
      number: number,
      address: address,
      isCentral: properties.isCentral ?? true,
      canAdvertise: canAdvertise,
      facts: AdapterFacts(
        path: path,
        isPowered: properties.isPowered ?? false,
        isDiscovering: properties.isDiscovering ?? false,
        acceptsMonitors: acceptsMonitors
      )
    )
    return object
  }
}
