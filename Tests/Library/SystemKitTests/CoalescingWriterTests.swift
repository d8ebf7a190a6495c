// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Synchronization
import SystemKit
import Testing

@Suite struct CoalescingWriterTests {
  @Test func `while work is scheduled no more is, and each change is followed by work`() async {
    let writer = CoalescingWriter("test")
    let done = Mutex<[Int]>([])
    writer.wait {
      for number in 1...3 { writer.schedule { done.withLock { $0.append(number) } } }
    }
    #expect(await writer.perform { done.withLock { $0 } } == [1])
    writer.schedule { done.withLock { $0.append(4) } }
    writer.wait {}
    #expect(done.withLock { $0 } == [1, 4])
  }

  @Test func `delayed work is done once`() async {
    let writer = CoalescingWriter("test")
    let (ends, ended) = AsyncStream<Int>.makeStream()
    writer.schedule(after: .milliseconds(1)) { ended.yield(1) }
    writer.schedule { ended.yield(2) }
    #expect(await ends.first { _ in true } == 1)
    writer.schedule { ended.finish() }
    #expect(await ends.first { _ in true } == nil)
  }
}
