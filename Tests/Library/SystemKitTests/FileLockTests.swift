// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemKit
import Testing

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
}
