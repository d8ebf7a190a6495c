// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
package import BeaconBlueZ
package import BeaconCore
internal import Beacons
internal import SystemKit

extension BlueZScanOptions {
  /// How a run scans, whatever the command.
  ///
  /// - Parameters:
  ///   - options: The user's options.
  ///   - uuids: The UUIDs that the run waits for; `nil` for those of its constraints and regions.
  ///   - isPrompt: Whether the run shows when each report comes. Ticks fall due by the clock, so a run that shows nothing
  ///     else need not wake for each beacon.
  ///   - openChannel: Opens the kernel's monitor channel.
  package init(
    _ options: RunOptions,
    uuids: Set<UInt128>? = nil,
    isPrompt: Bool = true,
    opening openChannel: @escaping ChannelOpener
  ) {
    let awaited = options.constraints + options.regions.map(\.constraint)
    self.init(
      adapters: options.adapter.map { $0 == "all" ? .all : .named($0) } ?? .all,
      path: options.via,
      deafness: DeafnessConfiguration(options.settings),
      timing: options.configuration.timing,
      uuids: uuids ?? (awaited.isEmpty ? nil : Set(awaited.map(\.uuid))),
      interval: isPrompt ? Self.shortestInterval : .milliseconds(250)
    )
    self.openChannel = openChannel
    prepareThread = SignalStack.provide
  }
}

/// Starts a live source for the time of some work; it is stopped at the end, also where the work fails or is cancelled.
///
/// After Ctrl-C the command may still compute its result.
///
/// - Parameters:
///   - scan: What to scan with, and how.
///   - show: Shows a warning for the operator.
///   - work: Uses the source; a run has the second argument as a participant.
/// - Returns: What the work returns.
/// - Throws: `BlueZUnavailable` if nothing can be received, of which ``Program`` makes the exit code, and what the
///   work throws.
package func withLiveSource<Value>(
  _ scan: BlueZScanOptions,
  showing show: @escaping (BlueZDiagnostic) -> Void,
  _ work: (BlueZSource, RunRemarks) async throws -> Value
) async throws -> Value {
  let radio = try await BlueZSource.start(scan)
  var repeats = RepeatLimit()
  let remarks = RunRemarks {
    for diagnostic in radio.drainDiagnostics() where repeats.shows("\(diagnostic)", at: radio.now) {
      show(diagnostic)
    }
  }
  let value: Value
  do {
    value = try await work(radio, remarks)
  } catch {
    await stop(radio)
    throw error
  }
  await stop(radio)
  remarks.show()
  Interruption.keepResult()
  return value
}

/// Stops a source in its own task, which is not cancelled with the run's: else the adapters would continue discovering.
private func stop(_ radio: BlueZSource) async {
  await Task { await radio.stop() }.value
}

/// Shows the remarks of a source while a run continues.
package final class RunRemarks: RunParticipant {
  /// Shows the remarks since the last call.
  package let show: () -> Void

  package init(_ show: @escaping () -> Void) {
    self.show = show
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins, .willWait, .sourceEnded: show()
    default: break
    }
  }
}

/// Leaves out a line that was shown a short time ago, and lines beyond the most in that time: a device or a daemon that
/// flaps would fill a log.
package struct RepeatLimit {
  /// The lines of the last seconds, each with the time at which it was shown.
  private var shown: [String: Timestamp] = [:]

  /// How long a line is not repeated: long enough for a log, short enough that a user sees that it continues.
  package static let interval = TimeSpan.seconds(10)
  /// The most lines in ``interval``: more than the adapters of a machine cause at a time, and few enough to read.
  ///
  /// Lines with a number in them differ each time.
  package static let most = 20

  package init() {}

  /// Returns whether a line is shown at a time.
  package mutating func shows(_ line: String, at time: Timestamp) -> Bool {
    shown = shown.filter { time - $0.value < Self.interval }
    guard shown[line] == nil, shown.count < Self.most else { return false }
    shown[line] = time
    return true
  }
}
