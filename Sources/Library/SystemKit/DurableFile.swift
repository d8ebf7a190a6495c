// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Replaces whole files.
///
/// Whenever the machine stops, either the old or the new bytes are on the disk.
package final class DurableFile: Sendable {
  /// The steps of a replacement, in order.
  package enum Step: Sendable, CaseIterable {
    case create, write, synchronize, rename, synchronizeFolder
  }

  private let willPerform: @Sendable (Step, String) throws(SystemError) -> Void

  /// Creates a writer.
  ///
  /// - Parameter willPerform: Called before each step with the file's path; an error that it throws counts as the
  ///   step's error.
  package init(
    willPerform: @escaping @Sendable (Step, String) throws(SystemError) -> Void = { _, _ in }
  ) {
    self.willPerform = willPerform
  }

  /// Replaces a file: writes a new one next to it, waits for the disk, and renames.
  ///
  /// Only one writer at a time: the caller must hold the file's lock.
  package func replace(
    _ path: String,
    with bytes: [UInt8],
    mode: UInt32 = 0o600
  ) throws(SystemError) {
    let beside = path + ".new"
    do throws(SystemError) {
      try willPerform(.create, path)
      // What an earlier process left behind goes; a link is removed and not followed.
      _ = unsafe unlink(beside)
      let file = try FileDescriptor(creating: beside, mode: mode)
      try willPerform(.write, path)
      try file.write(bytes)
      try willPerform(.synchronize, path)
      try file.synchronize()
      try willPerform(.rename, path)
      try FileDescriptor.rename(beside, to: path)
    } catch {
      // A half-written file takes space on a disk that may be full.
      _ = unsafe unlink(beside)
      throw error
    }
    try willPerform(.synchronizeFolder, path)
    try FileDescriptor.synchronizeFolder(of: path)
  }

  /// Removes a file, if it exists.
  package func remove(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try SystemError.check(.remove, path) { unsafe unlink(path) }
    } catch {
      if error.isNoSuchFile { return }
      throw error
    }
    try FileDescriptor.synchronizeFolder(of: path)
  }
}

/// Identifies the current version of a file: cheap to compare, and different after the file is replaced.
package struct FileStamp: Sendable, Equatable {
  private var device: UInt64 = 0
  private var number: UInt64 = 0
  private var size: Int64 = 0
  private var seconds: Int = 0
  private var nanoseconds: Int = 0

  /// A stamp that no file has.
  package static let never = FileStamp(size: -1)

  private init(size: Int64) { self.size = size }

  /// Creates the stamp of a file; a file that does not exist has a stamp too.
  package init(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let changed = status.st_ctimespec
    #else
      let changed = status.st_ctim
    #endif
    seconds = changed.tv_sec
    nanoseconds = changed.tv_nsec
  }
}
