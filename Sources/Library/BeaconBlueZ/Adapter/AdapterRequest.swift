// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// A call to make to an adapter.
package enum AdapterRequest: Sendable, Equatable {
  /// `GetDiscoveryFilters`, which returns the keys that a filter may have.
  case askFilterKeys
  /// `RegisterMonitor` with our monitor.
  case registerMonitor
  /// `UnregisterMonitor`.
  case unregisterMonitor
  /// `SetDiscoveryFilter`.
  case setFilter(DiscoveryFilter)
  /// `StartDiscovery`.
  case start
  /// `StopDiscovery`.
  case stop
  /// Set `Powered`.
  case power(Bool)

  /// Returns the request as a D-Bus call to an adapter's object.
  ///
  /// - Parameters:
  ///   - path: The adapter's path.
  ///   - monitor: The path of the object manager that has our monitor.
  /// - Returns: The call.
  func call(of path: String, monitor: String) -> MethodCall {
    let (interface, member, arguments): (String, String, [DBusValue]) =
      switch self {
      case .askFilterKeys: (BlueZName.adapter, "GetDiscoveryFilters", [])
      case .registerMonitor: (BlueZName.monitorManager, "RegisterMonitor", [.objectPath(monitor)])
      case .unregisterMonitor:
        (BlueZName.monitorManager, "UnregisterMonitor", [.objectPath(monitor)])
      case .setFilter(let filter): (BlueZName.adapter, "SetDiscoveryFilter", [filter.argument])
      case .start: (BlueZName.adapter, "StartDiscovery", [])
      case .stop: (BlueZName.adapter, "StopDiscovery", [])
      case .power(let isOn):
        (
          BusName.properties, "Set",
          [.string(BlueZName.adapter), .string("Powered"), .variant(.boolean(isOn))]
        )
      }
    return MethodCall(BlueZName.service, path, interface, member, arguments)
  }
}
