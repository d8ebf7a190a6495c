// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import Beacons

/// Runs an engine over a live source until the source ends or the user stops it.
package struct LiveRun {
  private let source: any ScanSource
  private let isInterrupted: @Sendable () -> Bool
  /// Receives what was admitted, for a view; `nil` where there is none.
  package var received: EngineStage.Received?

  /// How long the run waits for the source before it looks whether the user wants to stop.
  ///
  /// Half a second: SIGINT is heeded well within the two seconds it may take, at two wake-ups a second.
  package static let usualPatience = TimeSpan.milliseconds(500)
  private let patience: TimeSpan

  /// Takes the source, how long to wait for it at a time, and what is asked in between whether to stop.
  package init(
    _ source: any ScanSource,
    patience: TimeSpan = Self.usualPatience,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.source = source
    self.patience = patience
    self.isInterrupted = isInterrupted
  }

  /// Runs.
  ///
  /// - Parameters:
  ///   - configuration: How the engine works.
  ///   - prepare: Connects clients and makes their first requests.
  ///   - makeRecorder: Begins a recording at the start of the timeline; `nil` where none is wanted.
  ///   - userActions: What users do in the run.
  ///   - deliver: Receives what is delivered, in order, as soon as it is.
  ///   - between: Done after each batch.
  /// - Returns: What the engine counted.
  /// - Throws: What the source, the recording and the closures throw; the recording is ended all the same.
  package func run(
    _ configuration: Configuration,
    prepare: (inout EngineDriver) throws -> Void,
    recorder makeRecorder: (Timestamp) throws -> Recorder?,
    userActions: RunUserActions = RunUserActions(),
    deliver: @escaping ([Delivery]) throws -> Void,
    between: () -> Void = {}
  ) async throws -> EngineRun.Result {
    let start = try await source.now
    var stage = EngineStage(
      configuration,
      startingAt: start,
      userActions: userActions,
      deliver: deliver,
      received: received
    )
    do {
      try stage.begin(prepare) { try makeRecorder(start) }
      while !isInterrupted() {
        let patient = stage.driver.now + patience
        let deadline = min(stage.nextDeadline ?? patient, patient)
        guard let batch = try await source.next(until: deadline) else { break }
        try stage.process(batch, receivers: await source.receiverNames)
        between()
        try stage.lookAtUsers()
      }
      try stage.end(.atEnd(performingScheduled: false))
    } catch {
      try? stage.endRecording()
      throw error
    }
    try stage.endRecording()
    return EngineRun.Result(statistics: stage.driver.statistics)
  }
}
