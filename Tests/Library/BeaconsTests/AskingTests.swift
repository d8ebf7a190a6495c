// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import Testing

@Test(.timeLimit(.minutes(1))) func `a visitor who refuses is not greeted`() async throws {
  let prompter = ScriptedPrompter([.dontAllow])
  let session = BeaconSession(try TimelineSource("--*--*-------"), prompter: prompter)
  let manifest = Manifest(whenInUse: "To greet you in the hall.")
  let visitor = try await session.connect(manifest, named: "guide")
  var said = ""
  try await session.run {
    await visitor.requestAuthorization(.whenInUse)
    await visitor.startMonitoring(Region("hall", .uuid(1)), assuming: .outside)
    for await event in visitor.regionEvents where event.isCrossing { said += "Welcome!" }
  }
  #expect(said == "")
  #expect(prompter.prompts.count == 1)
}
