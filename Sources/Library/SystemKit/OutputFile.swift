// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file that a run writes; ``OutputFiles`` opens it.
package final class OutputFile {
  /// The path as the user named it.
  package let path: String
  /// The file itself.
  package let descriptor: FileDescriptor
  /// The temporary name of the file and its final name; `nil` if it already has its final name.
  private var move: (from: String, to: String, replaces: Bool)?

  /// One of the three standard streams, which stays open.
  package convenience init(standard descriptor: Int32) {
    self.init("-", FileDescriptor(standard: descriptor))
  }

  init(_ path: String, _ descriptor: consuming FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Creates a file that is written under a temporary name next to the file that it replaces.
  init(
    _ path: String,
    _ descriptor: consuming FileDescriptor,
    movingTo target: String,
    replacing replaces: Bool = true
  ) {
    self.path = path
    move = (descriptor.name, target, replaces)
    self.descriptor = descriptor
  }

  /// Writes all bytes.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try descriptor.write(bytes)
  }

  /// Ends the output: waits until it is on the disk, and gives the file its name.
  ///
  /// Without this call a file under a temporary name is removed, and the existing file stays.
  package func commit() throws {
    guard descriptor.status?.isRegular ?? false else { return }
    try Interruption.completing { try complete() }
  }

  private func complete() throws {
    try descriptor.synchronize()
    guard let move else { return }
    if move.replaces {
      // Another process may have begun to record to it.
      if FileLock.isHeld(of: move.to) { throw OutputRefusal.isRecorded(path: path) }
      if !(FileStatus(move.to)?.isForeign ?? false) {
        try descriptor.copyAttributes(of: move.to)
      }
      try FileDescriptor.rename(move.from, to: move.to)
    } else {
      do throws(SystemError) {
        // `link` fails if the name is in use, so no file is overwritten.
        try SystemError.check(.write, move.to) { unsafe link(move.from, move.to) }
      } catch {
        guard error.number != EEXIST else { throw OutputRefusal.exists(path: path) }
        // Some file systems have no links.
        guard FileStatus(move.to) == nil else { throw OutputRefusal.exists(path: path) }
        try FileDescriptor.rename(move.from, to: move.to)
        self.move = nil
        return try FileDescriptor.synchronizeFolder(of: move.to)
      }
      _ = unsafe unlink(move.from)
    }
    self.move = nil
    try FileDescriptor.synchronizeFolder(of: move.to)
  }

  deinit {
    if let move { _ = unsafe unlink(move.from) }
  }
}

/// A draft of a file, which a user edits under a name next to it; it is removed with this object unless it is kept.
package final class DraftFile {
  /// The draft's own path.
  package let path: String
  /// Its contents at first.
  package let content: [UInt8]
  /// Whether the draft stays.
  package var isKept = false

  /// Creates a draft that only the account can read.
  ///
  /// - Parameters:
  ///   - target: The file; the draft of a symbolic link is next to the link's target.
  ///   - content: The draft's content.
  /// - Throws: ``SystemError`` if it cannot be written.
  package init(of target: String, containing content: [UInt8]) throws(SystemError) {
    let file = try FileDescriptor.creating(
      beside: OutputFiles.place(of: target),
      mode: OutputFiles.ownerOnly
    )
    path = file.name
    self.content = content
    try file.write(content)
  }

  deinit {
    if !isKept { _ = unsafe unlink(path) }
  }
}
