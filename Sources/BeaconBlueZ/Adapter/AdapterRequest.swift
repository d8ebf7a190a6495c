// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A call to make of an adapter.
package enum AdapterRequest: Sendable, Equatable {
  /// `GetDiscoveryFilters`: which keys a filter may have.
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
  /// `Powered`, set.
  case power(Bool)
}
