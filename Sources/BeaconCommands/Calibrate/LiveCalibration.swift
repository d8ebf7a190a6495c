// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// Listens live until there are samples enough or patience ends.
struct LiveCalibration {
  private let options: CalibrateOptions
  private let io: CommandIO

  init(_ options: CalibrateOptions, io: CommandIO) {
    self.options = options
    self.io = io
  }

  /// Listens.
  ///
  /// - Parameter makeListener: Makes what gathers what is heard, given what the engine runs with.
  /// - Returns: What was heard, and the receivers' names.
  /// - Throws: ``CommandFailure`` where nothing can be heard.
  func run<Listener: CalibrationListener>(
    _ makeListener: @escaping (Configuration) -> Listener
  ) throws -> (Listener, [String]) {
    do {
      return try Blocking.run { try await listen(makeListener) }
    } catch let error as BlueZUnavailable {
      throw CommandFailure(error.isPermission ? .notPermitted : .unavailable, "\(error)")
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private func listen<Listener: CalibrationListener>(
    _ makeListener: (Configuration) -> Listener
  ) async throws -> (Listener, [String]) {
    let source = try await BlueZSource.start(
      BlueZScanOptions(
        adapters: options.run.adapter.map { $0 == "all" ? .all : .named($0) } ?? .all,
        path: options.run.via
      )
    )
    let heard = await listen(to: source, makeListener)
    await source.stop()
    return heard
  }

  private func listen<Listener: CalibrationListener>(
    to source: BlueZSource,
    _ makeListener: (Configuration) -> Listener
  ) async -> (Listener, [String]) {
    let names = source.receiverNames
    let setup = EngineSetup(options.run, .sightings)
    let configuration = setup.configuration(receivers: names)
    let start = source.now
    var driver = EngineDriver(configuration, startingAt: start)
    var receiving = makeListener(configuration)
    setup.prepare(&driver)
    receiving.add(driver.collectDeliveries())
    let end = start + options.patience
    while !io.isInterrupted(), driver.now < end,
      !receiving.isEnough(options.samples, receivers: source.receiverNames)
    {
      let next = min(end, driver.now + .milliseconds(500))
      guard let batch = await source.next(until: next) else { break }
      driver.supply(batch)
      receiving.add(driver.collectDeliveries())
      show(receiving)
    }
    if io.errors.isTerminal { try? io.errors.write(Array("\r\u{1B}[K".utf8)) }
    for diagnostic in source.drainDiagnostics() { io.say(diagnostic.description) }
    return (receiving, source.receiverNames)
  }

  /// Shows on a terminal how far it has come.
  private func show(_ receiving: some CalibrationListener) {
    guard io.errors.isTerminal else { return }
    let text = receiving.progress(towards: options.samples)
    try? io.errors.write(Array("\r\u{1B}[K\(text)".utf8))
  }
}
