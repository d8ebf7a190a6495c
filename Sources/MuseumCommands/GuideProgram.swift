// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore
package import BeaconMuseum

/// The museum guide as the program of a run: it carries out what the guide asks, and hands on what it tells.
package final class GuideProgram: RunProgram {
  /// The guide.
  package private(set) var guide: Guide
  private var client: ClientID?
  /// Takes what the guide tells, and when.
  package var tell: (GuideEvent, Timestamp) throws -> Void = { _, _ in }

  package init(_ guide: Guide) {
    self.guide = guide
  }

  /// Begins as a client of an engine.
  package func begin(
    as client: ClientID,
    of driver: inout EngineDriver
  ) throws {
    self.client = client
    let snapshot = driver.snapshot(of: client)
    try perform(
      guide.begin(
        status: snapshot?.status ?? .authorizedAlways,
        accuracy: snapshot?.accuracy ?? .full
      ),
      &driver,
      at: driver.now
    )
  }

  package func answer(
    _ delivery: Delivery,
    _ driver: inout EngineDriver
  ) throws {
    try perform(
      guide.take(delivery.event, at: delivery.time),
      &driver,
      at: delivery.time
    )
  }

  package func notice(
    _ input: UserAction,
    _ driver: inout EngineDriver
  ) throws {
    switch input {
    case .background: guide.wentToBackground()
    case .foreground, .tapNotification:
      try perform(guide.cameToForeground(), &driver, at: driver.now)
    default: break
    }
  }

  private func perform(
    _ actions: [GuideAction],
    _ driver: inout EngineDriver,
    at time: Timestamp
  ) throws {
    guard let client else { return }
    for action in actions {
      switch action {
      case .request(let request): driver.request(request, by: client)
      case .tell(let event): try tell(event, time)
      }
    }
  }
}
