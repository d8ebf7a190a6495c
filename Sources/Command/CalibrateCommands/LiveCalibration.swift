// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats

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
  /// - Parameter makeListener: Makes what gathers what is received, given what the engine runs with.
  /// - Returns: What was received, and the receivers' names.
  /// - Throws: `BlueZUnavailable` if nothing can be received.
  func run<Listener: CalibrationListener>(
    _ makeListener: @escaping (Configuration) -> Listener
  ) async throws -> (Listener, [String]) {
    let gathering = CalibrationGathering(makeListener)
    let setup = EngineSetup(options.run, .sightings)
    let scan = BlueZScanOptions(options.run, opening: io.openKernelChannel)
    let names = try await withLiveSource(scan, showing: show) { source in
      let progress = CalibrationProgress(gathering, source, options.samples, io)
      var run = Run(
        source,
        setup,
        participants: [source, RunRequests(setup), gathering, progress],
        isInterrupted: io.isInterrupted
      )
      run.duration = options.patience
      _ = try await run.run()
      return source.receiverNames
    }
    return (gathering.listener ?? makeListener(options.run.configuration), names)
  }

  private func show(_ diagnostic: BlueZDiagnostic) {
    if io.errors.isTerminal { try? io.errors.write(Array("\r\u{1B}[K".utf8)) }
    io.show(diagnostic.description)
  }
}

/// Gathers the sightings of a run.
final class CalibrationGathering<Listener: CalibrationListener>: RunParticipant {
  private let makeListener: (Configuration) -> Listener
  /// What was gathered; `nil` if there was nothing to receive.
  private(set) var listener: Listener?

  init(_ makeListener: @escaping (Configuration) -> Listener) {
    self.makeListener = makeListener
  }

  func begin(_ driver: inout EngineDriver, receivers: [String]) {
    listener = makeListener(driver.configuration)
  }

  func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) {
    listener?.add(deliveries)
  }
}

/// Shows on a terminal how far a live calibration has come, and ends it when there are enough samples.
private final class CalibrationProgress<Listener: CalibrationListener>: RunParticipant {
  private let gathering: CalibrationGathering<Listener>
  private let source: LiveSource
  private let samples: Int
  private let io: CommandIO

  init(
    _ gathering: CalibrationGathering<Listener>,
    _ source: LiveSource,
    _ samples: Int,
    _ io: CommandIO
  ) {
    self.gathering = gathering
    self.source = source
    self.samples = samples
    self.io = io
  }

  var wantsEnd: Bool {
    gathering.listener?.isEnough(samples, receivers: source.receiverNames) ?? false
  }

  func willWait() {
    guard io.errors.isTerminal, let listener = gathering.listener else { return }
    let text = listener.progress(towards: samples)
    try? io.errors.write(Array("\r\u{1B}[K\(text.printable)".utf8))
  }

  func end(at time: Timestamp) {
    if io.errors.isTerminal { try? io.errors.write(Array("\r\u{1B}[K".utf8)) }
  }
}
