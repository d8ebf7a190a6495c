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
    await visitor.monitor(hall, assuming: .outside)
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

@Test(.timeLimit(.minutes(1)))
func `a visitor who does not allow it is not greeted`() async throws {
  let prompter = ScriptedPrompter([.dontAllow])
  let session = BeaconSession(try TimelineSource("--*--*-------"), prompter: prompter)
  let manifest = Manifest(whenInUse: "To greet you in the hall.")
  let visitor = try await session.connect(manifest, named: "guide")
  var said = ""
  try await session.run {
    await visitor.authorize(.whenInUse)
    await visitor.monitor(Region("hall", .uuid(1)), assuming: .outside)
    for await event in visitor.regionEvents where event.isCrossing { said += "Welcome!" }
  }
  #expect(said == "")
  #expect(prompter.prompts.count == 1)
}
