// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The subscriptions to BlueZ's signals on one connection.
struct Subscriptions {
  private var includesDevices = false

  /// Subscribes to the signals of adapters, and to the signals that objects were added or removed.
  mutating func addAdapters(_ loop: BusLoop) {
    // The rule for devices, whose signals are very frequent, includes the adapters.
    if !includesDevices { addChanges(of: BlueZName.adapter, loop) }
    loop.add(MatchRule(sender: BlueZName.service, interface: BusName.objectManager, path: "/"))
    loop.follow(BlueZName.service)
  }

  /// Subscribes, once, to the signals of devices, because the reports of some adapter come over D-Bus.
  mutating func addDevices(_ loop: BusLoop) {
    guard !includesDevices else { return }
    includesDevices = true
    addChanges(of: nil, loop)
  }

  /// Subscribes to changes of properties, of one interface or of all.
  private func addChanges(of interface: String?, _ loop: BusLoop) {
    loop.add(
      MatchRule(
        sender: BlueZName.service,
        interface: BusName.properties,
        member: "PropertiesChanged",
        pathNamespace: BlueZName.root,
        firstArgument: interface
      )
    )
  }
}
