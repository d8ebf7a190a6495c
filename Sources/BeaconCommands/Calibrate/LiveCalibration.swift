// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// Listens live from one place until there are samples enough or patience ends.
struct LiveCalibration {
  private let options: CalibrateOptions
  private let meters: Double
  private let io: CommandIO

  init(_ options: CalibrateOptions, at meters: Double, io: CommandIO) {
    self.options = options
    self.meters = meters
    self.io = io
  }

  /// Listens.
  ///
  /// - Returns: What was heard, and the receivers' names.
  func run() throws -> (CalibrationHearing, [String]) {
    do {
      return try Blocking.run { try await listen() }
    } catch let error as BlueZUnavailable {
      throw CommandFailure(error.isPermission ? .notPermitted : .unavailable, "\(error)")
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private func listen() async throws -> (CalibrationHearing, [String]) {
    let source = try await BlueZSource.start(
      options.run.adapter.map { $0 == "all" ? .all : .named($0) } ?? .all,
      via: options.run.via
    )
    let heard = await listen(to: source)
    await source.stop()
    return heard
  }

  private func listen(to source: BlueZSource) async -> (CalibrationHearing, [String]) {
    let names = source.receiverNames
    let setup = EngineSetup(options.run, .sightings)
    let configuration = setup.configuration(receivers: names)
    let start = source.now
    var engine = Engine(configuration, startingAt: start)
    var hearing = CalibrationHearing(
      at: meters,
      calibration: configuration.ranging.calibration
    )
    hearing.add(setup.prepare(&engine))
    var told: [Delivery] = []
    let end = start + options.patience
    while !io.isInterrupted(), engine.now < end, hearing.best?.session.count ?? 0 < options.samples
    {
      let next = min(end, engine.now + .milliseconds(500))
      guard let batch = await source.next(until: next) else { break }
      var index: Int? = 0
      while let from = index { index = engine.hear(batch, from: from, into: &told) }
      hearing.add(told)
      told.removeAll(keepingCapacity: true)
      show(hearing)
    }
    if io.errors.isTerminal { try? io.errors.write(Array("\r\u{1B}[K".utf8)) }
    for diagnostic in source.takeDiagnostics() { io.say(diagnostic.description) }
    return (hearing, source.receiverNames)
  }

  /// Shows on a terminal how far it has come.
  private func show(_ hearing: CalibrationHearing) {
    guard io.errors.isTerminal else { return }
    let session = hearing.best?.session ?? CalibrationSession(at: meters)
    let median = session.median.map { ", median \(Int($0.rounded())) dBm" } ?? ""
    let text = "\(session.count) of \(options.samples) samples\(median)  \(session.verdict)"
    try? io.errors.write(Array("\r\u{1B}[K\(text)".utf8))
  }
}
