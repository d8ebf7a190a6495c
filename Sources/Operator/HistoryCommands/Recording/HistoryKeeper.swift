// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
package import BeaconCore
internal import BeaconFormats
internal import BeaconHistory
internal import Beacons
internal import SystemKit

/// Keeps the history of a run in a folder.
///
/// It makes rows on the run's own thread, which costs little, and gives them to a ``HistoryWriter``, the only one that waits for
/// the disk.
package final class HistoryKeeper: RunParticipant {
  private let path: String
  private let surroundings: AdditionalParticipant.Surroundings
  private var sums: ReceivedSeconds
  private var accumulator: HistoryAccumulator
  private var writer: HistoryWriter?
  private let isListed: @Sendable (BeaconIdentity) -> Bool

  /// A replay waits for the disk when so many rows wait, so that no row is dropped.
  private static let mostWaiting = 10_000

  /// - Parameters:
  ///   - path: The folder of the history.
  ///   - surroundings: The run's options, and messages to its user.
  package init(_ path: String, _ surroundings: AdditionalParticipant.Surroundings) {
    self.path = path
    self.surroundings = surroundings
    isListed = surroundings.options.isListed
    sums = ReceivedSeconds(isListed: isListed)
    accumulator = HistoryAccumulator(
      gap: surroundings.options.configuration.timing.gap,
      isListed: isListed
    )
  }

  private var options: RunOptions { surroundings.options }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .willBegin: try prepare(at: run.now)
    case .begins: run.driver?.keepSlices()
    case .delivered(let deliveries): add(deliveries)
    case .recorded(let slice):
      for input in sums.process(slice, receivers: run.receivers) { accumulator.add(input) }
    case .settled: handOver()
    case .willWait:
      handOver()
      showRemarks()
    case .sourceEnded:
      for input in sums.end(at: run.now) { accumulator.add(input) }
      accumulator.end(at: run.now)
    case .ended(let isComplete):
      guard let reason = finish() else { return }
      let text = "the history is not complete: \(reason)"
      guard isComplete else { return surroundings.show(text) }
      throw CommandFailure(.failed, text)
    default: break
    }
  }

  private func prepare(at time: Timestamp) throws {
    let writer: HistoryWriter
    do throws(HistoryError) {
      writer = try HistoryWriter(
        path,
        limits: HistoryLimits(options.settings),
        present: options.isLive ? nil : Timestamp(microseconds: WallTime.microseconds),
        start: time
      )
    } catch {
      throw CommandFailure(error)
    }
    self.writer = writer
    showRemarks()
    if !options.isLive, let last = writer.lastTime, last >= time {
      _ = writer.finish()
      self.writer = nil
      throw CommandFailure(
        .usage,
        "\(path) has history up to \(RFC3339.string(last)), and the replay starts before that;"
          + " name another folder with --history"
      )
    }
    accumulator.resume(
      writer.openVisits,
      after: writer.lastTime,
      client: client,
      regions: Set(options.regions.map(\.identifier.rawValue))
    )
  }

  private var client: String { options.client?.name ?? RunClient.operatorName }

  private func add(_ deliveries: [Delivery]) {
    let client = client
    for delivery in deliveries {
      guard let event = HistoryEvent(delivery, client: client) else { continue }
      accumulator.add(event, client: client)
    }
  }

  private func handOver() {
    guard let writer else { return }
    writer.submit(accumulator.takeRows())
    if !options.isLive, writer.waiting > Self.mostWaiting { writer.flush() }
  }

  private func finish() -> String? {
    guard let writer else { return nil }
    handOver()
    let failure = writer.finish()
    showRemarks()
    self.writer = nil
    return failure
  }

  private func showRemarks() {
    for remark in writer?.takeRemarks() ?? [] { surroundings.show("\(remark)") }
  }
}

extension AdditionalParticipant {
  /// The history of a run, if the user names a folder for it.
  package static let history = AdditionalParticipant(
    options: [HistoryOptions.keep],
    folder: { arguments in
      arguments[HistoryOptions.keep].map { Folder(path: $0, owns: HistoryReader.uses) }
    }
  ) { arguments in
    guard let path = arguments[HistoryOptions.keep] else { return nil }
    return { HistoryKeeper(path, $0) }
  }
}

extension RunOptions {
  /// Whether a beacon appears by itself in the operator's history and metrics: because the configuration or the plan names
  /// it, or because a constraint or region of the run means only this beacon.
  package var isListed: @Sendable (BeaconIdentity) -> Bool {
    let exact = (constraints + regions.map(\.constraint)).compactMap { constraint in
      if case .minor(let identity) = constraint { identity } else { nil }
    }
    let named = Set(names.entries.map(\.identity) + exact)
    return { named.contains($0) }
  }
}

extension CommandFailure {
  /// A fault of a history.
  init(_ error: HistoryError, before context: String = "") {
    let code: ExitCode =
      switch error {
      case .noLibrary, .inUse: .unavailable
      case .damaged, .newer, .unknownFormat: .badData
      case .notPermitted: .notPermitted
      case .folder: .noInput
      case .notOwn: .usage
      case .full, .failed: .failed
      }
    self.init(code, context + "\(error)")
  }
}
