// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats
internal import Beacons

/// Runs an engine over captures and writes what it tells.
package struct Replay {
  private let options: ReplayOptions
  private let kind: EventTableWriter.Kind
  private let io: CommandIO

  /// Takes what to run, and what is asked of the engine: sightings or ranging.
  package init(_ options: ReplayOptions, _ kind: EventTableWriter.Kind, io: CommandIO) {
    self.options = options
    self.kind = kind
    self.io = io
  }

  /// Runs to the end of the captures, or until the user stops it.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    var outputs: EventOutputs?
    let captures = try Captures(options.captures) { try outputs?.flush() }
    var summary = RunSummary(tellsBeacons: options.output.wantsSummary)
    let reader = paced(captures) { try outputs?.flush() }
    var progress = ProgressLine(io, isWanted: options.speed == nil && !options.output.isQuiet)
    var run = EngineRun(reader, drains: options.drains) {
      progress.show(captures.progress)
      return io.isInterrupted()
    }
    do {
      let result = try run.run {
        configuration(captures)
      } prepare: { engine in
        // The receivers of a capture have names once its first batch is read, and not before.
        let names = names(captures, start: engine.now)
        outputs = try EventOutputs(
          options.output,
          names,
          kind: kind,
          io: io,
          isLive: options.speed != nil
        )
        return try prepare(&engine)
      } recorder: { start in
        try recorder(captures, startingAt: start)
      } deliver: { deliveries in
        summary.count(deliveries)
        try outputs?.write(deliveries)
      }
      progress.clear()
      try
        (outputs
        ?? EventOutputs(
          options.output,
          names(captures, start: .earliest),
          kind: kind,
          io: io,
          isLive: false
        )).end()
      summary.statistics = result.statistics ?? EngineStatistics()
      finish(&summary, captures, since: started)
      return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  /// The configuration, with what is known of receivers put under the numbers they have in these captures.
  private func configuration(_ captures: Captures) -> Configuration {
    var configuration = options.configuration
    for (index, name) in captures.receiverNames.enumerated() {
      guard let offset = options.receiverOffsets.first(where: { $0.name == name }) else { continue }
      // The file was read with the bounds of an offset, so it is within them.
      try? configuration.ranging.calibration.setOffset(
        offset.decibels,
        forReceiver: UInt8(clamping: index)
      )
    }
    return configuration
  }

  private func prepare(_ engine: inout Engine) throws -> [Delivery] {
    var told: [Delivery] = []
    if kind == .sightings {
      engine.watchSightings(satisfying: options.constraints)
      return told
    }
    let client = engine.connect()
    for region in options.regions {
      engine.request(.monitor(region), by: client, into: &told)
    }
    for constraint in options.constraints where kind == .ranging {
      engine.request(
        .range(constraint, whileInside: options.whileInside),
        by: client,
        into: &told
      )
    }
    return told
  }

  private func recorder(_ captures: Captures, startingAt start: Timestamp) throws -> Recorder? {
    guard let path = options.recording else { return nil }
    let file = RecordingFile(
      path: path,
      format: RecordingWriter.Format(ending: path) ?? .lines,
      header: CaptureHeader(
        tool: "beaconctl",
        version: Program.version,
        receivers: captures.receiverNames,
        profile: options.configuration.profile.rawValue
      ),
      includesAddresses: options.output.showsAddresses
    )
    return try Recorder(file, startingAt: start, gap: options.configuration.timing.gap)
  }

  private func names(_ captures: Captures, start: Timestamp) -> EventNames {
    EventNames(
      receivers: captures.receiverNames,
      showsAddresses: options.output.showsAddresses,
      timeStyle: options.output.timeStyle,
      start: start
    )
  }

  private func paced(
    _ captures: Captures,
    beforeWaiting: @escaping () throws -> Void
  ) -> any AirReader {
    guard let speed = options.speed else { return captures }
    return PacedReader(captures, speed: speed, clock: io.clock, beforeWaiting: beforeWaiting)
  }

  private func finish(_ summary: inout RunSummary, _ captures: Captures, since started: TimeSpan) {
    if !options.output.isQuiet { captures.remarks.forEach(io.say) }
    guard options.output.wantsSummary else { return }
    summary.statistics.dropped.add(captures.drops)
    try? io.errors.write(
      summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
    )
  }
}
