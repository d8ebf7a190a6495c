// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import Testing

/// Greets visitors when they arrive and says goodbye when they have left.
func guide(_ source: any ScanSource, say: (String) -> Void) async throws {
  let session = BeaconSession(source)
  let visitor = try await session.connect()
  try await session.run {
    let hall = Region("hall", .uuid(1), exitTiming: .fixed(.seconds(5)))
    await visitor.startMonitoring(hall, assuming: .outside)
    for await event in visitor.regionEvents where event.isCrossing {
      if case .entered = event.change { say("Welcome!") } else { say("Goodbye!") }
    }
  }
}

@Test(.timeLimit(.minutes(1))) func `a visitor is greeted once`() async throws {
  var said = ""
  try await guide(TimelineSource("--*--*-------")) { said += $0 }
  #expect(said == "Welcome!Goodbye!")
}
