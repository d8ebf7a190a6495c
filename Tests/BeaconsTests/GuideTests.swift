// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import Testing

/// Greets visitors in the hall and says goodbye.
func guide(_ source: any AirSource, _ say: (String) -> Void) async throws {
  let session = BeaconSession(source)
  let visitor = try await session.connect(
    Manifest(whenInUse: "Greets you."),
    granted: .authorizedWhenInUse
  )
  try await session.run {
    let hall = Region("hall", .uuid(1), exitTiming: .fixed(.seconds(5)))
    await visitor.monitor(hall, assuming: .outside)
    for await event in visitor.regionEvents where event.isCrossing {
      if case .entered = event.change { say("Welcome!") } else { say("Goodbye!") }
    }
  }
}

@Test(.timeLimit(.minutes(1))) func `the guide greets a visitor once`() async throws {
  var said: [String] = []
  try await guide(TimelineSource("--*--*-------", of: BeaconIdentity(uuid: 1, major: 1, minor: 1)))
  { said.append($0) }
  #expect(said == ["Welcome!", "Goodbye!"])
}
