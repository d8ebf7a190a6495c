// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Synchronization
import SystemKit
import Testing

struct SystemThreadTests {
  @Test func `a thread runs to its end, joined or not`() throws {
    let count = Atomic(0)
    let pipe = try #require(WakePipe())
    for _ in 0..<100 {
      let joined = try #require(SystemThread { count.add(1, ordering: .relaxed) })
      joined.join()
      joined.join()
    }
    #expect(count.load(ordering: .relaxed) == 100)
    // Nobody keeps this one.
    _ = SystemThread { pipe.signal() }
    pipe.wait(milliseconds: -1)
  }

  @Test func `a pipe that was cleared wakes again, and tells the end`() throws {
    let (there, back) = (try #require(WakePipe()), try #require(WakePipe()))
    let thread = try #require(
      SystemThread {
        while !there.isStopped {
          there.wait(milliseconds: -1)
          back.signal()
        }
      }
    )
    for _ in 0..<100 {
      // More signals than the pipe holds are one.
      for _ in 0..<10 { there.signal() }
      back.wait(milliseconds: -1)
    }
    there.stop()
    thread.join()
    #expect(there.isStopped)
  }
}
