// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One who listens for as long as this is kept: the process does not end before it has been told everything.
final class ListenerCount: Sendable {
  private let service: LocationService

  init(_ service: LocationService) {
    self.service = service
    service.listens()
  }

  deinit { service.listensNoMore() }
}
