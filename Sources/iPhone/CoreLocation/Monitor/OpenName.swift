// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reserves a monitor's name for as long as this object is kept: only one monitor can have it at a time.
final class OpenName: Sendable {
  private let name: String
  private let service: LocationService

  private init(_ name: String, of service: LocationService) {
    (self.name, self.service) = (name, service)
  }

  deinit { service.closes(name) }

  /// Opens a name; `nil` if it is already open.
  static func open(_ name: String, of service: LocationService) -> OpenName? {
    service.opens(name) ? OpenName(name, of: service) : nil
  }
}
