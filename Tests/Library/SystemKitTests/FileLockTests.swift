// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import SystemKit

@Suite struct FileLockTests {
  /// A descriptor that is closed twice is another file's by then, if another thread has opened one.
  @Test func `a lock that another owner has closes no file of another thread`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID())").path
    defer { unlink(path) }
    let lock = try #require(try FileLock(path))
    let hasEnded = Atomic(false)
    let lost = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      if thread == 0 {
        for _ in 0..<30_000 where (try? FileLock(path)) != nil { lost.withLock { $0 += 1 } }
        hasEnded.store(true, ordering: .releasing)
      } else {
        // Two threads, so that a number is soon used again.
        while !hasEnded.load(ordering: .acquiring) {
          let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
          if close(file) != 0 { lost.withLock { $0 += 1 } }
        }
      }
    }
    #expect(lost.withLock { $0 } == 0)
    withExtendedLifetime(lock) {}
  }

  @Test func `a file that no lock wrote is refused and stays`() throws {
    let folder = try Folder.makeTemporary(named: "beacons-lock", in: nil)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (path, input) = (folder + "/lock", folder + "/in")
    // Mine by its form, but it has another name as well.
    try Data("1\n".utf8).write(to: URL(filePath: input))
    #expect(link(input, path) == 0)
    #expect(throws: OutputRefusal.isNotOwn(path: path)) { try FileLock(path) }
    #expect(try WholeFile.read(input) == Array("1\n".utf8))
    for text in ["mine", "1 thing\n", "{}", "1234567890123"] {
      unlink(path)
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(throws: OutputRefusal.isNotOwn(path: path)) { try FileLock(path) }
      #expect(try WholeFile.read(path) == Array(text.utf8))
    }
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: OutputRefusal.isNotOwn(path: path)) { try FileLock(path) }
    // One of a process that was killed, of an earlier version, or of a machine that lost its power.
    for text in ["", "4194304\n", "\0\0\0\0\0"] {
      unlink(path)
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(try FileLock(path) != nil)
      #expect(try WholeFile.read(path) == Array("\(getpid())\n".utf8))
    }
    // Our own names too.
    try Data("mine".utf8).write(to: URL(filePath: folder + "/.beacons.lock"))
    #expect(throws: OutputRefusal.isNotOwn(path: folder + "/.beacons.lock")) {
      try OutputFiles().edit(folder + "/new") { _ in [1] }
    }
    guard geteuid() == 0 else { return }
    // Another account's serves, and stays.
    #expect(chown(path, 65_534, 65_534) == 0 && chmod(path, 0o644) == 0)
    try Data("7\n".utf8).write(to: URL(filePath: path))
    #expect(try FileLock(path) != nil)
    #expect(try WholeFile.read(path) == Array("7\n".utf8) && FileStatus(path)?.mode == 0o644)
  }

  /// Two accounts that may write in one folder: only the first may open its lock.
  @Test(arguments: [0o770, 0o1777] as [mode_t])
  func `a lock that another account has counts if it may change the files`(_ mode: mode_t) throws {
    let folder = try Folder.makeTemporary(named: "beacons-lock", in: nil)
    defer { rmdir(folder) }
    chmod(folder, mode)
    let path = folder + "/.beacons.lock"
    #expect(!FileLock.isOfAnother(path))
    var lock = try FileLock(path)
    #expect(lock != nil)
    #expect(FileLock.isOfAnother(path) == (mode & 0o1000 == 0))
    lock = nil
    // It stays after a process that was killed.
    #expect(!FileLock.isOfAnother(path))
    unlink(path)
  }
}
