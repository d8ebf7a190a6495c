// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCommandLine
internal import SystemKit
internal import BeaconFormats
internal import Beacons
internal import Glibc

/// Sends a user from one place to the next, and waits until they are there.
struct CalibrationGuide {
  private let options: CalibrateOptions
  private let io: CommandIO
  private var lines: InputLines?

  /// - Throws: ``CommandFailure`` if there are several places and no user at a terminal to walk between them.
  init(_ options: CalibrateOptions, io: CommandIO) throws {
    self.options = options
    self.io = io
    guard options.places.count > 1 else { return }
    guard FileDescriptor(standard: STDIN_FILENO).isTerminal else {
      throw CommandFailure(
        .usage,
        "several live distances need a terminal, to press a key at each; otherwise record each"
          + " with 'beaconctl record' and pass the recordings with --from"
      )
    }
    lines = InputLines(
      try FileByteSource(path: "-", isCancelled: io.isInterrupted, beforeWaiting: {})
    )
  }

  /// Waits until the user is at a place; returns `false` if they would rather stop.
  mutating func isReady(for index: Int) throws -> Bool {
    let meters = CalibrationResult.tenth(options.places[index])
    guard lines != nil else {
      io.show("listening to \(options.beacon) from \(meters) m; hold still")
      return true
    }
    io.show("stand \(meters) m from \(options.beacon), in sight of it, and press Return")
    do {
      return try lines?.next() != nil
    } catch let error as SystemError where error.isInterruption {
      return false
    }
  }
}
