// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import BeaconTesting
import Testing

/// What a program prints of events, and how it gets from the timeline to seconds since 1970.
@Suite struct TimestampSecondsTests {
  private let time = Timestamp(microseconds: 1_700_000_001_000_250)

  @Test func `a time is written as people write times`() {
    #expect("\(time)" == "2023-11-14T22:13:21.000250Z")
  }

  @Test func `a time becomes seconds and comes back`() {
    #expect(Timestamp(secondsSince1970: time.secondsSince1970) == time)
    #expect(time.secondsSince1970 == 1_700_000_001.00025)
  }

  @Test(
    arguments: [
      (-1, Timestamp.earliest), (1e300, .latest), (.infinity, .latest), (-.infinity, .earliest),
      (.nan, .latest), (0.0000004, .earliest), (0.0000006, Timestamp(microseconds: 1)),
    ]
  )
  func `seconds outside of the timeline are clamped`(_ seconds: Double, _ time: Timestamp) {
    #expect(Timestamp(secondsSince1970: seconds) == time)
  }

  @Test func `a region's events say where one is after them`() async throws {
    let session = BeaconSession(try TimelineSource("--*--*-------"))
    let client = try await session.connect()
    let states = try await session.run {
      await client.startMonitoring(
        Region("hall", .uuid(1), exitTiming: .fixed(.seconds(5))),
        assuming: .outside
      )
      var states: [RegionState] = []
      for await event in client.regionEvents { states.append(event.stateAfter) }
      return states
    }
    #expect(states.contains(.inside) && states.last == .outside, "\(states)")
  }

  @Test func `a paced source and a scripted prompter need no more than they say`() async throws {
    let source = PacedSource(try TimelineSource("*"), speed: 1000)
    #expect(try await source.next(until: nil) != nil)
    let choices: [PromptChoice] = [.dontAllow, .once]
    #expect(ScriptedPrompter(choices).prompts.isEmpty)
    #expect(ScriptedPrompter([.dontAllow]).prompts.isEmpty)
  }
}
