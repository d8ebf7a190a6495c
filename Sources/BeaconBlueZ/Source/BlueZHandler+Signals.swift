// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus

/// An adapter as a message tells of it.
struct AdapterObject {
  let path: String
  let number: UInt16
  let address: String
  let isCentral: Bool
  let facts: AdapterFacts

  /// The last part of the path.
  var name: String { "hci\(number)" }
}

extension BlueZHandler {
  // MARK: Signals

  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
    let isWellFormed: Bool
    if message.isNamed("org.freedesktop.DBus.Properties", "PropertiesChanged") {
      isWellFormed = message.hasSignature("sa{sv}as") && propertiesChanged(message, loop)
    } else if message.isNamed("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
      isWellFormed = message.hasSignature("oa{sa{sv}}") && interfacesAdded(message, loop)
    } else if message.isNamed("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") {
      isWellFormed = message.hasSignature("oas") && interfacesRemoved(message, loop)
    } else {
      isWellFormed = true
    }
    if !isWellFormed { statistics.malformed &+= 1 }
    return isWellFormed
  }

  private enum Subject {
    case device
    case adapter
    case other
  }

  private func propertiesChanged(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
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
      statistics.deviceSignals &+= 1
      guard sample.isWellFormed else { return false }
      guard let device = message.withPath({ DevicePath($0) }) ?? nil else { return false }
      hear(device)
      return true
    case .adapter:
      guard let number = message.withPath({ DevicePath.adapterNumber(of: $0) }) ?? nil else {
        return false
      }
      changed(adapter, number, loop)
      return adapter.isWellFormed
    case .other:
      return true
    }
  }

  private func interfacesAdded(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
    let adapter = message.read { takeObject(&$0, mayBeSample: true) }
    if let adapter { found(adapter, loop) }
    return sample.isWellFormed
  }

  private func interfacesRemoved(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
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
    // A device that is removed was not heard for a while, or discovery ended: that is no exit.
    if isDevice, let device = removed.device { devices.remove(device) }
    if isAdapter, let index = receivers.firstIndex(where: { $0.adapter == removed.adapter }) {
      vanish(index, loop)
    }
    return true
  }

  // MARK: Objects

  /// Reads one object, path and interfaces, `oa{sa{sv}}`, where a cursor stands.
  ///
  /// - Parameters:
  ///   - cursor: The place; it is left at the interfaces.
  ///   - mayBeSample: Whether a device's signal strength was measured just now.
  /// - Returns: The adapter, when the object is one.
  func takeObject(_ cursor: inout MessageCursor, mayBeSample: Bool) -> AdapterObject? {
    guard let path = cursor.text() else { return nil }
    let device = cursor.withText { DevicePath($0) } ?? nil
    let number = cursor.withText { DevicePath.adapterNumber(of: $0) } ?? nil
    cursor.advance()
    var adapter: AdapterProperties?
    var takesMonitors = false
    cursor.forEachEntry { interface in
      if interface.holds("org.bluez.Adapter1") {
        interface.advance()
        adapter = AdapterProperties(&interface)
      } else if interface.holds("org.bluez.AdvertisementMonitorManager1") {
        takesMonitors = true
      } else if interface.holds("org.bluez.Device1"), let device {
        interface.advance()
        sample.read(&interface, isNew: true)
        devices.add(device, sample.addressType)
        guard mayBeSample else { return }
        statistics.deviceSignals &+= 1
        if sample.isWellFormed { hear(device) }
      }
    }
    guard let adapter, let number, let address = adapter.address else { return nil }
    return AdapterObject(
      path: path,
      number: number,
      address: address,
      isCentral: adapter.isCentral ?? true,
      facts: AdapterFacts(
        path: path,
        isPowered: adapter.isPowered ?? false,
        isDiscovering: adapter.isDiscovering ?? false,
        takesMonitors: takesMonitors
      )
    )
  }

  /// The most adapters that are listened with: a number in a report is a byte, and nobody has plugged in so many.
  private static let maximumReceivers = 64

  func found(_ adapter: AdapterObject, _ loop: BusLoop) {
    let known = receivers.firstIndex { $0.address == adapter.address }
    if let known {
      receivers[known].adapter = adapter.number
      settlePath(of: known, adapter, loop)
      return perform(receivers[known].machine.found(adapter.facts, at: present()), known, loop)
    }
    guard adapter.isCentral, receivers.count < Self.maximumReceivers,
      selection.includes(name: adapter.name, address: adapter.address),
      selection == .all || receivers.isEmpty
    else { return }
    let receiver = Receiver(
      number: UInt8(receivers.count),
      address: adapter.address,
      name: adapter.name,
      adapter: adapter.number,
      machine: AdapterMachine(deafness, uuids: uuids)
    )
    receivers.append(receiver)
    outbox.add(receiver: receiver.name)
    let index = receivers.count - 1
    settlePath(of: index, adapter, loop)
    perform(receivers[index].machine.found(adapter.facts, at: present()), index, loop)
  }

  func vanish(_ index: Int, _ loop: BusLoop) {
    // While it still hears: a silence before was the thread's.
    _ = present()
    receivers[index].adapter.map { devices.removeAll(of: $0) }
    perform(receivers[index].machine.vanished(), index, loop)
    receivers[index].adapter = nil
  }

  private func changed(_ properties: AdapterProperties, _ number: UInt16, _ loop: BusLoop) {
    guard let index = receivers.firstIndex(where: { $0.adapter == number }) else { return }
    let now = present()
    // Off first: discovery that ends with the power is not to be revived.
    if let isPowered = properties.isPowered {
      perform(receivers[index].machine.powered(isPowered, at: now), index, loop)
    }
    if let isDiscovering = properties.isDiscovering {
      perform(receivers[index].machine.discovering(isDiscovering, at: now), index, loop)
    }
  }

  // MARK: Hearing

  /// Makes a report of the sample at hand.
  private func hear(_ device: DevicePath) {
    guard let index = receivers.firstIndex(where: { $0.adapter == device.adapter }),
      receivers[index].machine.isListening, !receivers[index].isReceivedByKernel
    else {
      statistics.unexpected &+= 1
      return
    }
    guard let rssi = sample.rssi else {
      statistics.withoutSample &+= 1
      return
    }
    let now = present()
    let address = devices.address(of: device)
    let reading = BeaconDecoder.read(
      advertisingData: sample.payload.span,
      in: 0..<sample.payload.count
    )
    hear(index, from: address, reading, at: now)
    if receivers[index].filterWatch != nil { watchFilter(index, device.key, at: now) }
    statistics.reports &+= 1
    let report = AdvertisingReport(
      time: now,
      rssi: rssi,
      receiver: receivers[index].number,
      address: address,
      kind: nil,
      content: .rebuiltManufacturerData,
      payloadStart: 0,
      payloadCount: 0
    )
    heard.append(report, payload: sample.payload)
  }

  /// Looks whether the controller filters duplicates, where nothing switches that off.
  func watchFilter(_ index: Int, _ device: UInt64, at time: Timestamp) {
    guard let verdict = receivers[index].filterWatch?.heard(device, at: time) else { return }
    receivers[index].filterWatch = nil
    if verdict == .limited {
      outbox.add(.limitedByDuplicateFilter(adapter: receivers[index].name))
    }
  }

  /// Tells a receiver's machine what was heard; that it hears at all is told before the report.
  func hear(
    _ index: Int,
    from address: DeviceAddress?,
    _ reading: BeaconReading,
    at time: Timestamp
  ) {
    let actions = receivers[index].machine.heard(
      from: address,
      uuid: reading.identity?.uuid,
      at: time
    )
    if !actions.isEmpty, let loop { perform(actions, index, loop, at: time) }
  }

  // MARK: Our objects

  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
    guard let path = message.path, let number = MonitorObject.receiver(of: path),
      let index = receivers.firstIndex(where: { $0.number == number })
    else { return nil }
    if message.isNamed("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") {
      return .values([receivers[index].monitor.managedObjects])
    }
    guard message.interface == MonitorObject.interface.description else { return nil }
    switch message.member {
    case "Activate": perform(receivers[index].machine.monitorActivated(), index, loop)
    case "Release": perform(receivers[index].machine.monitorReleased(), index, loop)
    case "DeviceFound", "DeviceLost": break
    default: return nil
    }
    return .values([])
  }
}
