// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which inputs of a run not every account may read.
struct PrivateInputs {
  /// Whether the permissions of an input itself leave an account out.
  private var hasPrivateFile = false
  /// The folders around inputs that not every account may enter.
  private var folders: Set<String> = []

  /// Adds an input.
  mutating func add(_ status: FileStatus, at place: String) {
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
