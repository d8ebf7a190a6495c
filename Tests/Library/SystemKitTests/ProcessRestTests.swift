// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Synchronization
import SystemKit
import Testing

@Suite struct ProcessRestTests {
  @Test func `a process with a thread that computes does not rest`() async {
    let thread = Spinner()
    #expect(await !ProcessRest.shared.begins())
    thread.stop()
  }
}

/// Keeps a thread busy.
private final class Spinner: Sendable {
  private let goesOn = Mutex(true)

  init() { _ = SystemThread { [self] in while goesOn.withLock({ $0 }) {} } }

  func stop() { goesOn.withLock { $0 = false } }
}
