// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A file that is written to, shared by value.
package final class FileOutput {
  private let file: FileDescriptor

  /// Opens a file for writing, emptied first.
  package init(path: String) throws(SystemError) {
    file = try FileDescriptor(writing: path)
  }

  /// Writes all of some bytes.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try file.write(bytes)
  }

  /// Renames a file, in place of any other of that name; one that is not there is left alone.
  package static func rename(_ path: String, to other: String) {
    _ = unsafe Glibc.rename(path, other)
  }
}
