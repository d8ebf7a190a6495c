// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
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
  /// - Parameter makeListener: Makes what gathers the reports, given the engine's configuration.
  /// - Returns: The reports, and the receivers' names.
  /// - Throws: `BlueZUnavailable` if nothing can be received.
  func run<Listener: CalibrationListener>(
    _ makeListener: @escaping (Configuration) -> Listener
  ) async throws -> (Listener, [String]) {
    let gathering = CalibrationGathering(makeListener)
    let setup = EngineSetup(options.run, .sightings)
    let scan = BlueZScanOptions(options.run, opening: io.openKernelChannel)
    let names = try await withLiveSource(scan, showing: show) { radio, remarks in
      let progress = CalibrationProgress(gathering, radio, options.samples, io)
      var run = Runner(
        radio,
        setup,
        participants: [remarks, RunRequests(setup), gathering, progress],
        isInterrupted: io.isInterrupted
      )
      run.duration = options.patience
      _ = try await run.run()
      return radio.receiverNames
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
  /// The gathered reports; `nil` if there was nothing to receive.
  private(set) var listener: Listener?

  init(_ makeListener: @escaping (Configuration) -> Listener) {
    self.makeListener = makeListener
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins: listener = (run.engine.configuration).map(makeListener)
    case .delivered(let deliveries): listener?.add(deliveries)
    default: break
    }
  }
}

/// Shows on a terminal how far a live calibration has come, and ends it when there are enough samples.
private final class CalibrationProgress<Listener: CalibrationListener>: RunParticipant {
  private let gathering: CalibrationGathering<Listener>
  private let source: BlueZSource
  private let samples: Int
  private let io: CommandIO

  init(
    _ gathering: CalibrationGathering<Listener>,
    _ source: BlueZSource,
    _ samples: Int,
    _ io: CommandIO
  ) {
    self.gathering = gathering
    self.source = source
    self.samples = samples
    self.io = io
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .delivered:
      let isEnough = gathering.listener?.isEnough(samples, receivers: source.receiverNames)
      if isEnough ?? false { run.end() }
    case .willWait: show()
    case .ended: if io.errors.isTerminal { try? io.errors.write(Array("\r\u{1B}[K".utf8)) }
    default: break
    }
  }

  private func show() {
    guard io.errors.isTerminal, let listener = gathering.listener else { return }
    let text = listener.progress(towards: samples)
    try? io.errors.write(Array("\r\u{1B}[K\(text.printable)".utf8))
  }
}
