// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import Beacons

/// Runs an engine over a live source until the source ends or the user stops it.
package struct LiveRun {
  private let source: any AirSource
  private let isInterrupted: @Sendable () -> Bool

  /// How long the run waits for the source before it looks whether the user wants to stop.
  ///
  /// Half a second: SIGINT is heeded well within the two seconds it may take, at two wake-ups a second.
  private static let patience = TimeSpan.milliseconds(500)

  /// Takes the source, and what is asked now and then whether to stop.
  package init(_ source: any AirSource, isInterrupted: @escaping @Sendable () -> Bool) {
    self.source = source
    self.isInterrupted = isInterrupted
  }

  /// Runs.
  ///
  /// - Parameters:
  ///   - configuration: How the engine works.
  ///   - prepare: Connects clients and makes their first requests.
  ///   - makeRecorder: Begins a recording at the start of the timeline; `nil` where none is wanted.
  ///   - deliver: Takes what was told, in order, as soon as it is told.
  ///   - heard: Takes each batch once it was heard, when its inputs were admitted, and the receivers' names by now.
  ///   - between: Done after each batch.
  /// - Returns: What the engine counted.
  /// - Throws: What the source, the recording and the closures throw; the recording is ended all the same.
  package func run(
    _ configuration: Configuration,
    prepare: (inout Engine) throws -> [Delivery],
    recorder makeRecorder: (Timestamp) throws -> Recorder?,
    deliver: ([Delivery]) throws -> Void,
    heard: ((AirBatch, [Timestamp], [String]) -> Void)? = nil,
    between: () -> Void = {}
  ) async throws -> EngineRun.Result {
    let start = try await source.now
    var engine = Engine(configuration, startingAt: start)
    var recorder = try makeRecorder(start)
    if recorder != nil || heard != nil { engine.keepAdmissions() }
    do {
      try deliver(prepare(&engine))
      var told: [Delivery] = []
      while !isInterrupted() {
        let patient = engine.now + Self.patience
        let deadline = min(engine.nextDeadline ?? patient, patient)
        guard let batch = try await source.next(until: deadline) else { break }
        var index: Int? = 0
        while let from = index {
          index = engine.hear(batch, from: from, into: &told)
          if !told.isEmpty { try deliver(told) }
          told.removeAll(keepingCapacity: true)
        }
        let times = engine.takeAdmissions()
        let receivers = await source.receiverNames
        try recorder?.record(batch, admittedAt: times, receivers: receivers)
        heard?(batch, times, receivers)
        between()
      }
      while engine.end(into: &told) {
        try deliver(told)
        told.removeAll(keepingCapacity: true)
      }
    } catch {
      try? recorder?.end(at: engine.now)
      throw error
    }
    try recorder?.end(at: engine.now)
    return EngineRun.Result(statistics: engine.statistics)
  }
}
