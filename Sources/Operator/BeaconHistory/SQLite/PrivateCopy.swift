// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// A copy of another account's database, in a folder that only this account can use.
///
/// Who owns a file can cut it at any time. SQLite maps its index of the log into memory, and a mapped file that becomes shorter
/// ends the process.
final class PrivateCopy {
  /// The copy.
  let path: String
  private let folder: String

  /// How often a file that changes while it is copied is copied again.
  private static let tries = 10
  private static let piece = 1 << 20

  /// - Throws: ``HistoryError`` if the file cannot be read, or changes all the time.
  init(of original: String) throws(HistoryError) {
    do throws(SystemError) {
      folder = try Folder.makeTemporary(named: "beacons-history", in: nil)
    } catch {
      throw .failed(path: original, "\(error)")
    }
    path = folder + "/history.db"
    for _ in 0..<Self.tries {
      let before = Self.stamps(of: original)
      Self.remove(path)
      do throws(SystemError) {
        for ending in ["", "-wal"] where !FileStatus.isMissing(original + ending) {
          try Self.copy(original + ending, to: path + ending)
        }
      } catch {
        throw error.isNotPermitted
          ? .notPermitted(path: original) : .failed(path: original, "\(error)")
      }
      if Self.stamps(of: original) == before { return }
    }
    throw .failed(
      path: original,
      "another account (\(FileStatus(original)?.owner ?? 0)) changes it all the time"
    )
  }

  deinit {
    Self.remove(path)
    try? Folder.remove(folder)
  }

  /// Removes the names of the copy; an open database still has it.
  private static func remove(_ path: String) {
    for ending in ["", "-wal", "-shm"] { _ = unsafe unlink(path + ending) }
  }

  private static func stamps(of original: String) -> [FileStamp] {
    ["", "-wal"].map { FileStamp(original + $0) }
  }

  private static func copy(_ original: String, to path: String) throws(SystemError) {
    guard FileStatus(original)?.isRegular ?? false else {
      throw SystemError(EINVAL, .read, original)
    }
    let from = try FileDescriptor(reading: original)
    let to = try FileDescriptor(creating: path, mode: 0o600)
    while true {
      let bytes = try from.read(upTo: piece)
      if bytes.isEmpty { return }
      try to.write(bytes)
    }
  }
}
