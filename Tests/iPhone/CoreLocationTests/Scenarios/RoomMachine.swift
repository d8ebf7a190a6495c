// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconFormats
@testable import BeaconScenarios
import Beacons

/// Records the machine's messages to a program's user: prompts, notifications, the indicator, diagnostics.
@MainActor
final class RoomMachine {
  private(set) var delivered: [ScenarioRunner.Delivered] = []
  private var listening: Task<Void, Never>?

  init(_ client: BeaconClient, _ index: Int, startingAt start: Timestamp) {
    let deliveries = client.deliveries
    listening = Task {
      for await delivery in deliveries { note(delivery, of: index, startingAt: start) }
    }
  }

  private func note(_ delivery: Delivery, of client: Int, startingAt start: Timestamp) {
    for record in EventRecord.records(of: delivery.event, EventNames(start: start))
    where !RoomScenario.isCallback(record.type) {
      delivered.append(
        ScenarioRunner.Delivered(
          time: RoomScenario.wholeTime(delivery.time - start),
          client: client,
          record: record
        )
      )
    }
  }

  /// Waits until everything was delivered.
  func toEnd() async { await listening?.value }
}
