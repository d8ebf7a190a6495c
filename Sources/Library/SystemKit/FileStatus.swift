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
  let number: UInt64

  fileprivate init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// The number, size and times of a file, to the nanosecond, without its device.
private struct FileVersion: Sendable, Equatable {
  private let number: UInt64
  private let size: Int
  /// The seconds and nanoseconds of the last write and of the last change.
  private let times: [Int]

  init(_ found: stat) {
    #if canImport(Darwin)
      let (written, changed) = (found.st_mtimespec, found.st_ctimespec)
    #else
      let (written, changed) = (found.st_mtim, found.st_ctim)
    #endif
    number = UInt64(found.st_ino)
    size = Int(found.st_size)
    times = [written.tv_sec, written.tv_nsec, changed.tv_sec, changed.tv_nsec]
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
  /// Whether it is a device such as a terminal or `/dev/null`.
  let isDevice: Bool
  /// Whether it is a symbolic link.
  let isLink: Bool
  /// Whether it is a disk, or a part of one: the output there replaces the file system on it.
  package let isDisk: Bool
  /// The account that owns it, and its group.
  package let owner: UInt32
  private let group: UInt32
  /// Its permissions.
  package let mode: UInt32
  /// How many names it has.
  package let links: Int
  /// What tells the file from others on whatever device it is seen.
  private let version: FileVersion

  /// The status of the file at a path, after following links, if any.
  package init?(_ path: String) {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  /// The status of the link at a path, or of whatever else has the name.
  package init?(withoutFollowing path: String) {
    var found = stat()
    guard unsafe lstat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  /// Whether nothing has the name, not even a link that leads nowhere.
  package static func isMissing(_ path: String) -> Bool {
    var found = stat()
    return unsafe lstat(path, &found) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }

  init(_ found: stat) {
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: found.st_dev),
      number: UInt64(found.st_ino)
    )
    isRegular = found.st_mode & S_IFMT == S_IFREG
    isFolder = found.st_mode & S_IFMT == S_IFDIR
    isDisk = found.st_mode & S_IFMT == S_IFBLK
    isDevice = found.st_mode & S_IFMT == S_IFCHR
    isLink = found.st_mode & S_IFMT == S_IFLNK
    size = isRegular ? Int(found.st_size) : 0
    (owner, group) = (found.st_uid, found.st_gid)
    mode = UInt32(found.st_mode & 0o7777)
    links = Int(found.st_nlink)
    version = FileVersion(found)
  }

  /// Whether it is the file of another status.
  ///
  /// A file system that lies over another one shows its files with their numbers and times as those of another device.
  func isSame(as other: FileStatus) -> Bool {
    identity == other.identity || isRegular && other.isRegular && version == other.version
  }

  /// Whether an account other than this one and root owns it, and so may read and change it at any time.
  package var isForeign: Bool { owner != 0 && owner != geteuid() }

  /// Why another account than this one and root may write it, as the end of a sentence; `nil` if none may.
  ///
  /// A group with the owner's number is the owner's own on most systems.
  package var distrust: String? {
    if isForeign { return "belongs to another account (\(owner)); 'chown' it, and examine it" }
    let isShared = isFolder && mode & 0o1000 != 0
    guard mode & 0o002 != 0 || mode & 0o020 != 0 && group != owner, !isShared else { return nil }
    return "can be written by other accounts; 'chmod go-w' it, and examine it"
  }

  /// Whether not every account may read it; true for a pipe, whose writer is not known.
  var isPrivate: Bool { isRegular ? mode & 0o044 != 0o044 : !isFolder }

  /// Whether a new file can replace it.
  ///
  /// If the file had another name, that name would keep the old content.
  package var isReplaceable: Bool { isRegular && links == 1 }
}

/// Which inputs of a run not every account may read.
struct PrivateInputs {
  /// Whether the permissions of an input itself leave an account out.
  private var hasPrivateFile = false
  /// The folders around inputs that not every account may enter.
  private var folders: Set<String> = []

  /// Adds an input.
  mutating func add(_ status: FileStatus, at place: String) {
    if status.isFolder {
      for name in (try? Folder.names(in: place)) ?? [] {
        let file = place + "/" + name
        if let status = FileStatus(file), status.isRegular { add(status, at: file) }
      }
    }
    if status.isPrivate || ExtendedAttributes.hasAccessList(place) { hasPrivateFile = true }
    guard status.isRegular else { return }
    var rest = place[...]
    while let slash = rest.lastIndex(of: "/"), slash > rest.startIndex {
      rest = rest[..<slash]
      let folder = String(rest)
      if let mode = FileStatus(folder)?.mode, mode & 0o001 == 0 { folders.insert(folder) }
    }
  }

  /// Whether a new file at a place is for its owner alone: the folder that hides an input may hide it as well.
  func hide(_ place: String) -> Bool {
    hasPrivateFile || folders.contains { !place.hasPrefix($0 + "/") }
  }
}
