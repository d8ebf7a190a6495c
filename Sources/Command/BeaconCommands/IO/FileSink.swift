// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// A sink that is a file or a standard stream.
package final class FileSink: ByteSink {
  private let file: OutputFile
  package let isTerminal: Bool

  /// A file that ``OutputFiles`` opened.
  package init(_ file: OutputFile) {
    isTerminal = file.descriptor.isTerminal
    self.file = file
  }

  /// One of the standard streams.
  package convenience init(standard descriptor: Int32) {
    self.init(OutputFile(standard: descriptor))
  }

  package func write(_ bytes: [UInt8]) throws {
    try file.write(bytes)
  }

  package func commit() throws {
    try file.commit()
  }
}
