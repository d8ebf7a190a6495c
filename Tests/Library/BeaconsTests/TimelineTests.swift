// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import Testing

/// Timelines as text.
@Suite(.timeLimit(.minutes(1)))
struct TimelineTests {
  static let examples: [(String, String)] = [
    ("--*--*-------", "--E-------X--"),
    ("*------", "E----X-"),
    ("--*-*-0--1*---", "--E---?---i---"),
    ("-------", "-------"),
  ]

  @Test("a region's events as text", arguments: examples)
  func rows(input: String, output: String) throws {
    #expect(try Timeline.regions(input, exitTiming: .fixed(.seconds(5))) == output)
  }

  @Test func `a first determination crosses nothing`() throws {
    #expect(try Timeline.regions("-----------*--", assuming: nil) == "----------o" + "E--")
    #expect(try Timeline.regions("--*--", assuming: nil) == "--i--")
  }

  @Test func `two timelines are one of two beacons`() throws {
    let (door, desk) = (Timeline.beacon, BeaconIdentity(uuid: 1, major: 1, minor: 2))
    let timeline = try Timeline("*--*", of: door).merging(Timeline("--*-", of: desk))
    let batch = try #require(timeline.batches().first)
    let reports = batch.inputs.compactMap { input -> AdvertisingReport? in
      if case .report(let report) = input { report } else { nil }
    }
    #expect(reports.map { ($0.time - timeline.start).seconds } == [0, 2, 3])
  }

  @Test func `an unknown character is named with its place`() {
    #expect(throws: TimelineSyntaxError(character: "x", index: 2)) {
      try Timeline.regions("--x")
    }
  }

  @Test func `a manual clock wakes the sleepers that are due`() async throws {
    let clock = ManualClock()
    async let early: Void = clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
    async let late: Void = clock.sleep(until: clock.now.advanced(by: .seconds(2)), tolerance: nil)
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(1))
    try await early
    clock.advance(by: .seconds(1))
    try await late
    #expect(clock.now.elapsed == .seconds(2))
  }

  @Test func `a cancelled sleeper is woken by that`() async {
    let clock = ManualClock()
    let sleeping = Task {
      try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
    }
    await clock.sleepers(atLeast: 1)
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  @Test func `a paced source waits by its clock`() async throws {
    let clock = ManualClock()
    let source = PacedSource(try Museum.source("*-*"), speed: 2, clock: clock)
    #expect(try await source.next(until: nil)?.inputs.first?.time == Timeline.start)
    async let second = source.next(until: nil)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(500))
    #expect(try await second?.inputs.first?.time == Timeline.start + .seconds(1))
  }
}
