// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A file for writing that several owners can share.
package final class FileOutput {
  private let file: FileDescriptor

  /// Opens a file for writing and empties it.
  package init(path: String) throws(SystemError) {
    file = try FileDescriptor(writing: path)
  }

  /// Writes all bytes.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try file.write(bytes)
  }

  /// Renames a file, replacing any file with the new name.
  ///
  /// It does nothing if the file does not exist.
  package static func rename(_ path: String, to other: String) {
    _ = unsafe Glibc.rename(path, other)
  }
}
