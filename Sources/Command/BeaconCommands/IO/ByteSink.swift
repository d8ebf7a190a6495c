// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The destination of a command's bytes: a standard stream, a file, or memory in a test.
package protocol ByteSink: AnyObject {
  /// Writes all of some bytes.
  func write(_ bytes: [UInt8]) throws
  /// Ends a file: it is complete and on the disk. A stream has no such end.
  func commit() throws
  /// Whether a user looks at it as it comes.
  var isTerminal: Bool { get }
}

extension ByteSink {
  package func commit() throws {}
}

/// A sink that keeps the output.
package final class MemorySink: ByteSink {
  /// The written bytes.
  package private(set) var bytes: [UInt8] = []
  /// Whether it passes for a terminal.
  package let isTerminal: Bool

  package init(isTerminal: Bool = false) {
    self.isTerminal = isTerminal
  }

  package func write(_ bytes: [UInt8]) {
    self.bytes += bytes
  }

  /// The written bytes, as text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
