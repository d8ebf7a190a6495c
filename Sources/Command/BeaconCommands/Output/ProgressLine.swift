// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// Shows on a terminal how far a long read has come.
package struct ProgressLine {
  private let sink: any ByteSink
  private let clock: any PlaybackClock
  private let isShown: Bool
  private var hasLine = false
  private var nextAt = Self.patience

  /// A second: shorter work needs no line.
  private static let patience = TimeSpan.seconds(1)
  /// Four times a second is often enough for an eye.
  private static let interval = TimeSpan.milliseconds(250)

  /// Takes the streams, and whether the command reads far enough ahead for a line to make sense.
  ///
  /// - Parameters:
  ///   - io: The command's surroundings.
  ///   - isWanted: Whether the user wants a line.
  ///   - besideData: Whether no data goes to standard output before the end, so that both may be the same terminal.
  package init(_ io: CommandIO, isWanted: Bool, besideData: Bool = false) {
    sink = io.errors
    clock = io.clock
    // On the terminal that shows the data it would stand in the middle of it.
    isShown = isWanted && io.errors.isTerminal && (besideData || !io.output.isTerminal)
  }

  /// Shows a share from 0 to 1 and a mark, not more often than an eye can follow.
  package mutating func show(_ share: @autoclosure () -> Double? = nil, mark: String = "") {
    guard isShown, clock.elapsed >= nextAt else { return }
    let read = share().map { "read \(Int($0 * 100)) %" } ?? ""
    let text = [read, mark].filter { !$0.isEmpty }.joined(separator: "  ")
    guard hasLine || !text.isEmpty else { return }
    nextAt = clock.elapsed + Self.interval
    hasLine = !text.isEmpty
    try? sink.write(Array("\r\u{1B}[K\(text.printable)".utf8))
  }

  /// Takes the line away.
  package mutating func clear() {
    guard hasLine else { return }
    hasLine = false
    try? sink.write(Array("\r\u{1B}[K".utf8))
  }
}
