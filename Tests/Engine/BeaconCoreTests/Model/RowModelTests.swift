// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCore

/// The engine tells on random timelines what the ``RowModel`` tells (rows U, Q, E, A, Aa to Al, S, D and G).
///
/// `BEACON_TIMELINES=1000000 tools/test --filter RowModelTests` plays that many instead of three thousand;
/// `BEACON_TIMELINES_SEED` starts elsewhere. A difference is printed as the shortest scenario file that shows it.
@Suite struct RowModelTests {
  static let shards = 8
  static let count =
    ProcessInfo.processInfo.environment["BEACON_TIMELINES"].flatMap(Int.init)
    ?? Effort.rounds(10_000)
  static let firstSeed =
    ProcessInfo.processInfo.environment["BEACON_TIMELINES_SEED"].flatMap(UInt64.init) ?? 1

  static func differs(_ timeline: Timeline) -> Bool {
    timeline.playThroughEngine() != RowModel.play(timeline)
  }

  /// What to do about a difference: the scenario, and what only one of the two events.
  static func report(_ timeline: Timeline) -> String {
    let shrunk = timeline.shrunk(while: differs)
    let (engine, model) = (shrunk.playThroughEngine(), RowModel.play(shrunk))
    func lines(_ codes: [Int], without others: [Int]) -> String {
      var others = others
      return codes.filter { code in
        guard let index = others.firstIndex(of: code) else { return true }
        others.remove(at: index)
        return false
      }
      .compactMap(ModelLine.decode)
      .map { "  at \(Timeline.seconds($0.time)) \(Timeline.name($0.client)): \($0.line.text)\n" }
      .joined()
    }
    return """
      the engine alone events:
      \(lines(engine, without: model))the model alone events:
      \(lines(model, without: engine))
      \(shrunk.scenario(expecting: model))
      """
  }

  @Test(arguments: 0..<shards)
  func `the engine tells what the rows say`(_ shard: Int) {
    var failures = 0
    for number in stride(from: shard, to: Self.count, by: Self.shards) where failures < 3 {
      let seed = Self.firstSeed &+ UInt64(number)
      let timeline = Timeline(seed: seed)
      guard Self.differs(timeline) else { continue }
      failures += 1
      Issue.record("seed \(seed): \(Self.report(timeline))")
    }
  }

  /// Rows G3, G17, G21 and U11.
  @Test(arguments: 0..<shards)
  func `a new process goes on as the rows say`(_ shard: Int) {
    var failures = 0
    for number in stride(from: shard, to: Self.count / 4, by: Self.shards) where failures < 3 {
      let seed = Self.firstSeed &+ UInt64(number)
      let timeline = Timeline(seed: seed, restarting: true)
      guard Self.differs(timeline) else { continue }
      failures += 1
      Issue.record("seed \(seed): \(Self.report(timeline))")
    }
  }

  /// Law L3: whatever is received, a client that may not know of beacons gets the same, diagnostics among it. A receiver is
  /// judged deaf by its silence.
  @Test(arguments: 0..<shards)
  func `beacons change nothing for a limited client`(_ shard: Int) {
    for number in stride(from: shard, to: Self.count / 4, by: Self.shards) {
      let seed = Self.firstSeed &+ UInt64(number)
      var timeline = Timeline(seed: seed).limited()
      // A report at the time of a statement counts as its cause.
      let statements = timeline.steps.filter { if case .radio = $0.action { true } else { false } }
      timeline.steps.removeAll { step in
        guard case .report = step.action else { return false }
        return statements.contains { $0.time == step.time }
      }
      var without = timeline
      without.steps.removeAll {
        switch $0.action {
        case .report, .radio(.deaf, _): true
        default: false
        }
      }
      #expect(timeline.deliveriesOfEngine() == without.deliveriesOfEngine(), "seed \(seed)")
    }
  }

  @Test func `the timelines reach what they are for`() {
    var kinds: [Int: Int] = [:]
    for seed in 1...UInt64(300) {
      for code in RowModel.play(Timeline(seed: seed)) {
        guard let line = ModelLine.decode(code)?.line else { continue }
        kinds[line.kind.rawValue, default: 0] += 1
      }
    }
    for kind in 0...ModelLine.Kind.tick.rawValue {
      // Row T5: a gap is the operator's, and every client of a timeline has grants.
      let isReached = kind != ModelLine.Kind.gap.rawValue
      #expect((kinds[kind, default: 0] > 0) == isReached, "\(kind)")
    }
  }

  @Test func `a difference is shrunk to what it needs`() throws {
    func receives(_ timeline: Timeline) -> Bool {
      timeline.steps.contains { if case .report = $0.action { true } else { false } }
    }
    let timeline = try #require((1...100).lazy.map { Timeline(seed: $0) }.first { receives($0) })
    let shrunk = timeline.shrunk(while: receives)
    #expect(shrunk.steps.count == 1)
    #expect(shrunk.end == shrunk.steps[0].time)
  }
}
