// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

extension AdapterRequest {
  private static let adapter = "org.bluez.Adapter1"
  private static let monitors = "org.bluez.AdvertisementMonitorManager1"

  /// The request as a call of an adapter's object.
  func call(of path: String, _ monitor: MonitorObject) -> MethodCall {
    let (interface, member, arguments): (String, String, [DBusValue]) =
      switch self {
      case .askFilterKeys: (Self.adapter, "GetDiscoveryFilters", [])
      case .registerMonitor:
        (Self.monitors, "RegisterMonitor", [.objectPath(monitor.managerPath)])
      case .unregisterMonitor:
        (Self.monitors, "UnregisterMonitor", [.objectPath(monitor.managerPath)])
      case .setFilter(let filter): (Self.adapter, "SetDiscoveryFilter", [filter.argument])
      case .start: (Self.adapter, "StartDiscovery", [])
      case .stop: (Self.adapter, "StopDiscovery", [])
      case .power(let isOn):
        (
          "org.freedesktop.DBus.Properties", "Set",
          [.string(Self.adapter), .string("Powered"), .variant(.boolean(isOn))]
        )
      }
    return MethodCall(BlueZHandler.service, path, interface, member, arguments)
  }
}

extension RequestOutcome {
  /// Reads how a call ended.
  init(of request: AdapterRequest, _ result: Result<[DBusValue], CallError>) {
    switch result {
    case .failure(let error): self.init(error)
    case .success(let values):
      guard request == .askFilterKeys else {
        self = .done
        return
      }
      guard case .array(of: "s", let keys) = values.first else {
        self = .failed("unexpected answer")
        return
      }
      self = .filterKeys(keys.compactMap(\.text))
    }
  }
}
