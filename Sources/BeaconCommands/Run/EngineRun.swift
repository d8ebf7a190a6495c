// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import Beacons

/// Runs an engine over a reader's inputs to their end.
package struct EngineRun {
  private var reader: any ScanReader
  private let drains: Bool
  private let isInterrupted: () -> Bool
  /// Receives what was admitted, for a view; `nil` where there is none.
  package var received: EngineStage.Received?

  /// - Parameters:
  ///   - reader: Where the inputs come from.
  ///   - drains: Whether to run on behind the end, ranging stopped, until every region has settled.
  ///   - isInterrupted: Asked before each batch whether to stop.
  package init(
    _ reader: any ScanReader,
    drains: Bool = false,
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.reader = reader
    self.drains = drains
    self.isInterrupted = isInterrupted
  }

  /// What a run leaves behind.
  package struct Result {
    /// What the engine counted; `nil` when there was no input and so no time.
    package var statistics: EngineStatistics?
    /// Whether the run was cut short.
    package var wasInterrupted = false
  }

  /// Runs until the reader ends, then delivers what is still due.
  ///
  /// An interrupted run ends where it stands.
  /// The timeline starts at the first input: the requests that `prepare` makes are made then.
  ///
  /// - Parameters:
  ///   - configuration: How the engine works; asked for when the first input has been read.
  ///   - prepare: Connects clients and makes their first requests.
  ///   - makeRecorder: Begins a recording at the start of the timeline; `nil` where none is wanted.
  ///   - userActions: What users do in the run.
  ///   - deliver: Receives what is delivered, in order.
  /// - Returns: What the engine counted, and whether the run was cut short.
  /// - Throws: What the reader and the closures throw.
  package mutating func run(
    _ configuration: () -> Configuration,
    prepare: (inout EngineDriver) throws -> Void,
    recorder makeRecorder: (Timestamp) throws -> Recorder? = { _ in nil },
    userActions: RunUserActions = RunUserActions(),
    deliver: @escaping ([Delivery]) throws -> Void
  ) throws -> Result {
    var next = try reader.next()
    while let batch = next, batch.inputs.isEmpty { next = try reader.next() }
    guard let start = next?.inputs.first?.time else { return Result() }
    var stage = EngineStage(
      configuration(),
      startingAt: start,
      userActions: userActions,
      deliver: deliver,
      received: received
    )
    try stage.begin(prepare) { try makeRecorder(start) }
    while let batch = next.take() {
      if isInterrupted() {
        try stage.end(.interrupted)
        try stage.endRecording()
        return Result(statistics: stage.driver.statistics, wasInterrupted: true)
      }
      userActions.beforeHearing()
      try stage.process(batch)
      next = try reader.next()
    }
    userActions.beforeHearing()
    try stage.end(.atEnd(performingScheduled: userActions.areRecorded))
    try stage.endRecording()
    if drains { try stage.drain() }
    return Result(statistics: stage.driver.statistics)
  }
}
