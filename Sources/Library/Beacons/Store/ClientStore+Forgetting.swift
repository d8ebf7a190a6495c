// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

extension ClientStore {
  /// Removes everything that the store has of a client: grants, regions and records, files set aside, what an
  /// interrupted write left, the locks and the folder, and with it the name.
  ///
  /// - Returns: The files that were removed, in order; none of an unknown client.
  /// - Throws: ``StoreError`` while a program runs as the client or if a newer version wrote a file, and nothing is
  ///   removed; `SystemError` when a file cannot be removed.
  package func forget(_ client: String) throws -> [String] {
    let folder = folder(of: client)
    guard FileStatus(folder) != nil else { return [] }
    guard let lease = try lease(of: client) else {
      let isAll = try FileLock.isHeld(pathOfLease)
      let holder = FileLock.holder(of: isAll ? pathOfLease : folder + "/lease")
      throw StoreError.inUse(client: client, holder: holder)
    }
    return try withExtendedLifetime(lease) {
      try withLock(of: client) {
        // A folder is another client's with a longer name, or was set aside and is not the client's.
        let removed = try Folder.names(in: folder).sorted().filter { !Self.locks.contains($0) }
          .map { "\(folder)/\($0)" }
          .filter { !StoreFile(path: $0, files: files).isFolder }
        for path in removed {
          if case .newer(let version) = StoreFile(path: path, files: files).read() {
            throw StoreError.newerVersion(path: path, version: version)
          }
        }
        for path in removed { try files.remove(path) }
        // The locks go last; whoever waits for one of them finds that its file is gone, and begins again.
        for lock in Self.locks { try files.remove("\(folder)/\(lock)") }
        removeEmptyFolders(from: folder)
        return removed
      }
    }
  }

  /// The files of a client's folder that only name its user.
  private static let locks = ["lease", "lock"]

  private static func contents(of folder: String) -> [String] {
    ((try? Folder.names(in: folder)) ?? []).sorted()
  }

  /// Removes a client's folder, and those above it that only its long name needed.
  private func removeEmptyFolders(from folder: String) {
    var folder = folder
    while folder.hasPrefix("\(directory)/clients/"), Self.contents(of: folder).isEmpty {
      guard (try? Folder.remove(folder)) != nil else { return }
      folder = String(folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex))
    }
  }
}
