// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
internal import Beacons

/// A sink that is a file or a standard stream.
package final class FileSink: ByteSink {
  private let file: FileDescriptor
  package let isTerminal: Bool

  /// Takes an open file.
  package init(_ file: consuming FileDescriptor) {
    isTerminal = file.isTerminal
    self.file = file
  }

  package func write(_ bytes: [UInt8]) throws {
    try file.write(bytes)
  }
}
