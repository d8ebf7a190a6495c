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
  private var end: End

  /// What gives a complete file its name or its content.
  enum End {
    /// Nothing: it has both.
    case none
    /// It is renamed: to a name that no file has, or to that of the file that it replaces.
    case rename(to: String, replaces: Bool)
    /// A file with several names gets its content.
    case copy(to: String)
    /// The file that had the name before goes.
    case remove(String, FileIdentity)
  }

  /// One of the three standard streams, which stays open.
  package convenience init(standard descriptor: Int32) {
    self.init("-", FileDescriptor(standard: descriptor))
  }

  init(_ path: String, _ descriptor: consuming FileDescriptor, _ end: End = .none) {
    self.path = path
    self.descriptor = descriptor
    self.end = end
  }

  /// Whether it is written under a temporary name.
  package var isBeside: Bool {
    switch end {
    case .rename, .copy: true
    case .none, .remove: false
    }
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
    switch end {
    case .none: return
    case .rename(let target, let replaces):
      if replaces {
        try checkLock(of: target)
        if !(FileStatus(target)?.isForeign ?? false) { try descriptor.copyAttributes(of: target) }
        try FileDescriptor.rename(descriptor.name, to: target)
      } else {
        do throws(SystemError) {
          try FileDescriptor.rename(descriptor.name, toFree: target)
        } catch {
          throw error.number == EEXIST ? OutputRefusal.exists(path: path) : error
        }
      }
    case .copy(let target):
      try checkLock(of: target)
      let file = try FileDescriptor(writingInto: target, appending: false)
      try file.take(descriptor.name) {
        // From here on only the new file is sure to be whole.
        end = .none
      }
      _ = unsafe unlink(descriptor.name)
    case .remove(let former, let identity):
      if FileStatus(withoutFollowing: former)?.identity == identity { _ = unsafe unlink(former) }
    }
    end = .none
    try FileDescriptor.synchronizeFolder(of: descriptor.name)
  }

  /// Throws if another process began to record to a file.
  private func checkLock(of target: String) throws(OutputRefusal) {
    if FileLock.isHeld(of: target) { throw .isRecorded(path: path) }
  }

  deinit {
    if isBeside { _ = unsafe unlink(descriptor.name) }
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
