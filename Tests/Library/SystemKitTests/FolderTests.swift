// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import SystemKit
import Testing

@Suite struct FolderTests {
  private let root = NSTemporaryDirectory() + "folder-\(UUID().uuidString)"

  @Test func `folders are made with those above them, whatever the mask`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Folder.make(root + "/a/b")
    #expect(FileStatus(root)?.mode == 0o700 && FileStatus(root + "/a/b")?.mode == 0o700)
    try Folder.make(root + "/a/c/", mode: 0o777)
    #expect(FileStatus(root + "/a/c")?.mode == 0o777)
    // What is there keeps its permissions.
    try Folder.make(root + "/a", mode: 0o777)
    #expect(FileStatus(root + "/a")?.mode == 0o700)
    #expect(try Folder.names(in: root + "/a").sorted() == ["b", "c"])
    #expect(throws: SystemError.self) { try Folder.remove(root + "/a") }
    try Folder.remove(root + "/a/b")
    #expect(try Folder.names(in: root + "/a") == ["c"])
  }

  @Test func `a name that is a file is an error with its reason`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Folder.make(root)
    try Data().write(to: URL(fileURLWithPath: root + "/file"))
    #expect(throws: SystemError.self) { try Folder.make(root + "/file/below") }
    #expect(throws: SystemError(ENOTDIR, .open, root + "/file")) {
      try Folder.names(in: root + "/file")
    }
    #expect(throws: SystemError(ENOENT, .open, root + "/none")) {
      try Folder.names(in: root + "/none")
    }
  }
}
