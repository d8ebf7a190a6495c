// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The signals of BlueZ that the bus was asked for, on one connection.
struct Subscriptions {
  private var includesDevices = false

  /// Asks for the signals of adapters, and for those of objects that come and go.
  mutating func addAdapters(_ loop: BusLoop) {
    // The signals of devices, a flood, come in one rule with those of adapters.
    if !includesDevices { addChanges(of: BlueZName.adapter, loop) }
    loop.add(MatchRule(sender: BlueZName.service, interface: BusName.objectManager, path: "/"))
    loop.follow(BlueZName.service)
  }

  /// Asks for the signals of devices, once: the reports of some adapter come over D-Bus.
  mutating func addDevices(_ loop: BusLoop) {
    guard !includesDevices else { return }
    includesDevices = true
    addChanges(of: nil, loop)
  }

  /// Asks for changes of properties, of one interface or of all.
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
