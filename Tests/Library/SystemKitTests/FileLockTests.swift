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
    let lock = try #require(FileLock(path))
    let hasEnded = Atomic(false)
    let lost = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      if thread == 0 {
        for _ in 0..<30_000 where FileLock(path) != nil { lost.withLock { $0 += 1 } }
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

  /// Two accounts that may write in one folder: only the first may open its lock.
  @Test(arguments: [0o770, 0o1777] as [mode_t])
  func `a lock that another account has counts if it may change the files`(_ mode: mode_t) throws {
    let folder = try Folder.makeTemporary(named: "beacons-lock", in: nil)
    defer { rmdir(folder) }
    chmod(folder, mode)
    let path = folder + "/.beacons.lock"
    #expect(!FileLock.isOfAnother(path))
    var lock = FileLock(path)
    #expect(lock != nil)
    #expect(FileLock.isOfAnother(path) == (mode & 0o1000 == 0))
    lock = nil
    // It stays after a process that was killed.
    #expect(!FileLock.isOfAnother(path))
    unlink(path)
  }
}
