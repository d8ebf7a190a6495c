// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Deliveries on their way out in one format.
package final class EventOutput {
  private var formatter: any EventFormatter
  private let sink: any ByteSink
  private let isLive: Bool

  /// - Parameters:
  ///   - formatter: The format.
  ///   - sink: The destination of the bytes.
  ///   - isLive: Whether each event is written immediately; a replay's are written in blocks.
  package init(_ formatter: any EventFormatter, to sink: any ByteSink, isLive: Bool) {
    self.formatter = formatter
    self.sink = sink
    self.isLive = isLive
  }

  /// 64 KiB: the capacity of a pipe, so that a reader is woken once a pipeful.
  private static let blockSize = 65_536

  /// Names receivers that were not known at the start.
  package func name(receivers: [String]) {
    formatter.name(receivers: receivers)
  }

  /// Writes deliveries, when they fill a block or live immediately.
  package func write(_ deliveries: [Delivery]) throws {
    var index = 0
    while index < deliveries.count {
      index = formatter.append(deliveries, from: index, until: Self.blockSize)
      if formatter.bytes.count >= Self.blockSize { try flush() }
    }
    if isLive { try flush() }
  }

  /// Writes the remaining bytes.
  package func flush() throws {
    guard !formatter.bytes.isEmpty else { return }
    let bytes = formatter.bytes
    formatter.removeAll()
    try sink.write(bytes)
  }

  /// Closes the output; a file that is written whole gets its name only if it is complete.
  package func end(isComplete: Bool) throws {
    formatter.end()
    try flush()
    if isComplete { try sink.commit() }
  }
}
