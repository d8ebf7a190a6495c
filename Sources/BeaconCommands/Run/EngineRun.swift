// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import Beacons

/// Runs an engine over a reader's inputs to their end.
package struct EngineRun {
  private var reader: any AirReader
  private let drains: Bool
  private let isInterrupted: () -> Bool
  /// Takes each batch once it was heard, and when its inputs were admitted; `nil` where nobody wants to know.
  package var heard: ((AirBatch, [Timestamp]) -> Void)?

  /// - Parameters:
  ///   - reader: Where the inputs come from.
  ///   - drains: Whether to run on behind the end, ranging stopped, until every region has settled.
  ///   - isInterrupted: Asked before each batch whether to stop.
  package init(
    _ reader: any AirReader,
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

  /// Runs until the reader ends, then tells what is still due.
  ///
  /// The timeline starts at the first input: the requests that `prepare` makes are made then.
  ///
  /// - Parameters:
  ///   - configuration: How the engine works; asked for when the first input has been read.
  ///   - prepare: Connects clients and makes their first requests.
  ///   - makeRecorder: Begins a recording at the start of the timeline; `nil` where none is wanted.
  ///   - deliver: Takes what was told, in order.
  /// - Returns: What the engine counted, and whether the run was cut short.
  /// - Throws: What the reader and the closures throw.
  package mutating func run(
    _ configuration: () -> Configuration,
    prepare: (inout Engine) throws -> [Delivery],
    recorder makeRecorder: (Timestamp) throws -> Recorder? = { _ in nil },
    deliver: ([Delivery]) throws -> Void
  ) throws -> Result {
    var next = try reader.next()
    while let batch = next, batch.inputs.isEmpty { next = try reader.next() }
    guard let start = next?.inputs.first?.time else { return Result() }
    var engine = Engine(configuration(), startingAt: start)
    var recorder = try makeRecorder(start)
    if recorder != nil || heard != nil { engine.keepAdmissions() }
    try deliver(prepare(&engine))
    var told: [Delivery] = []
    while let batch = next {
      if isInterrupted() { return Result(statistics: engine.statistics, wasInterrupted: true) }
      var index: Int? = 0
      while let from = index {
        index = engine.hear(batch, from: from, into: &told)
        try hand(&told, to: deliver)
      }
      let times = engine.takeAdmissions()
      try recorder?.record(batch, admittedAt: times)
      heard?(batch, times)
      next = try reader.next()
    }
    while engine.end(into: &told) { try hand(&told, to: deliver) }
    try recorder?.end(at: engine.now)
    while drains, engine.drain(into: &told) { try hand(&told, to: deliver) }
    return Result(statistics: engine.statistics)
  }

  private func hand(_ told: inout [Delivery], to deliver: ([Delivery]) throws -> Void) throws {
    guard !told.isEmpty else { return }
    try deliver(told)
    told.removeAll(keepingCapacity: true)
  }
}
