// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Counts as a listener for as long as this object is kept: the process does not end before the listener has received
/// everything.
final class ListenerCount: Sendable {
  private let service: LocationService

  init(_ service: LocationService) {
    self.service = service
    service.addListener()
  }

  deinit { service.removeListener() }
}
