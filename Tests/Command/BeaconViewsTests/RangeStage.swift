// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import CommandTestSupport
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons

@testable import BeaconCommands
@testable import BeaconViews

/// An engine that ranges, and a view that is shown all that it delivers.
struct RangeStage {
  var view: RangeView
  private let engine: Engine
  private let receivers: [String]

  /// The run in a class, so that the stage can be copied.
  private final class Engine {
    var run: RunCore

    init(_ configuration: Configuration, startingAt start: Timestamp) {
      run = RunCore(RunEngine(EngineDriver(configuration, startingAt: start)), policy: .scripted)
    }
  }

  init(
    _ constraints: [IdentityConstraint] = [.uuid(TestScan.museum)],
    regions: [Region] = [],
    receivers: [String] = ["hci0"],
    configuration: Configuration = Configuration(),
    glyphs: Glyphs = .unicode,
    names: NameBook = NameBook(),
    startingAt start: Timestamp = TestScan.start
  ) {
    var setting = RangeView.Setting(
      constraints: constraints,
      ranging: configuration.ranging,
      source: "live"
    )
    setting.glyphs = glyphs
    setting.book = names
    view = RangeView(setting)
    self.receivers = receivers
    engine = Engine(configuration, startingAt: start)
    var options = RunOptions()
    options.constraints = constraints
    options.regions = regions
    engine.run.context.driver?.watchSightings(satisfying: constraints)
    EngineSetup(options, .ranging).prepare(&engine.run.context)
    _ = view.receive(engine.run.context.engine.drainDeliveries())
  }

  /// Plays a batch, and the time up to some seconds from the start.
  mutating func play(_ scan: TestScan, to seconds: Double? = nil) {
    var batch = scan.inOrder
    batch.upTo = seconds.map { TestScan.at($0) }
    play(batch)
  }

  mutating func play(_ batch: ScanBatch) {
    _ = view.receive(engine.run.play(.batch(batch)))
    _ = view.receive(batch, receivers: receivers)
  }

  /// Plays a capture of the project up to some seconds from its start.
  mutating func play(capture name: String, seconds: Double, from start: Timestamp) async throws {
    let source = PacedSource(try CaptureSource(path: CommandRun.capture(name)), speed: 1e9)
    while let batch = try await source.next(until: nil), let first = batch.inputs.first {
      if (first.time - start).seconds > seconds { return }
      play(batch)
    }
  }

  mutating func press(_ keys: Key...) {
    for key in keys { _ = view.press(key) }
  }

  mutating func text(_ columns: Int, _ rows: Int) -> String {
    view.screen(columns: columns, rows: rows).text
  }
}
