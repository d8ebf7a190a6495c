// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The device and inode numbers of a file.
///
/// If they are equal for two names, both name the same file.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  fileprivate init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// The status of a file.
package struct FileStatus: Sendable {
  /// The file's identity.
  package let identity: FileIdentity
  /// Its size in bytes; 0 for anything but a regular file.
  package let size: Int
  /// Whether it is a regular file, not a folder, pipe, terminal or device.
  package let isRegular: Bool
  /// Whether it is a folder.
  package let isFolder: Bool
  /// Whether it is a disk, or a part of one: the output there replaces the file system on it.
  package let isDisk: Bool
  /// The account that owns it.
  package let owner: UInt32
  /// Its permissions.
  package let mode: UInt32
  /// How many names it has.
  package let links: Int

  /// The status of the file at a path, after following links, if any.
  package init?(_ path: String) {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  init(_ found: stat) {
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: found.st_dev),
      number: UInt64(found.st_ino)
    )
    isRegular = found.st_mode & S_IFMT == S_IFREG
    isFolder = found.st_mode & S_IFMT == S_IFDIR
    isDisk = found.st_mode & S_IFMT == S_IFBLK
    size = isRegular ? Int(found.st_size) : 0
    owner = found.st_uid
    mode = UInt32(found.st_mode & 0o7777)
    links = Int(found.st_nlink)
  }

  /// Whether not every account may read it; true for a pipe, whose writer is not known.
  var isPrivate: Bool { isRegular ? mode & 0o044 != 0o044 : !isFolder }

  /// Whether a new file can replace it.
  ///
  /// If the file had another name, that name would keep the old content.
  var isReplaceable: Bool { isRegular && links == 1 }
}
