// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Dispatch
import Foundation
import Synchronization
import SystemKit
import Testing

/// A run has a thread of its own: it neither needs a thread of the task pool nor keeps one.
@Suite(.serialized, .timeLimit(.minutes(1))) struct RunThreadTests {
  private static let processors = ProcessInfo.processInfo.activeProcessorCount

  /// A run over a source that is an actor, and how many deliveries it made.
  private static func listen() -> Int? {
    RunThread.run {
      var count = 0
      let watcher = TestParticipant(prepare: { LiveEqualsReplayTests.prepare(&$0) }) {
        count += $0.count
      }
      var run = Runner(
        LiveEqualsReplayTests.RandomRadio(seed: 1),
        EngineSetup(RunOptions(), nil),
        participants: [watcher]
      )
      _ = try? await run.run()
      return count
    }
  }

  @Test func `a run goes on while every thread of the task pool is blocked`() async {
    let gate = DispatchSemaphore(value: 0)
    let count: Int? = await withCheckedContinuation { done in
      Thread.detachNewThread {
        let begun = DispatchSemaphore(value: 0)
        for _ in 0..<Self.processors {
          Task.detached {
            begun.signal()
            Self.block(on: gate)
          }
        }
        for _ in 0..<Self.processors { begun.wait() }
        let count = Self.listen()
        for _ in 0..<Self.processors { gate.signal() }
        done.resume(returning: count)
      }
    }
    #expect(count ?? 0 > 100)
  }

  /// For a higher priority libdispatch asks the system, which an account other than root may not have.
  @Test func `a run asks for no priority, whoever begins it`() async {
    let priority = await Task.detached(priority: .high) {
      RunThread.run { (Task.currentPriority, await Task { Task.currentPriority }.value) }
    }.value
    #expect(priority?.0 == .medium)
    #expect(priority?.1 == .medium)
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }

  private static func block(on gate: DispatchSemaphore) { gate.wait() }

  @Test func `reads that wait for a pipe leave the task pool free`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let path = "/proc/self/fd/\(ends[0])"
    let isOver = Flag()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.processors {
        group.addTask {
          await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
              _ = RunThread.run {
                var bytes: [UInt8] = []
                let file = try? FileDescriptor(reading: path)
                _ = try? file?.read(upTo: 1, into: &bytes) { isOver.isSet }
              }
              done.resume()
            }
          }
        }
      }
      // As many tasks as there are threads, while every read waits.
      let sum = await withTaskGroup(of: Int.self) { tasks in
        for number in 1...Self.processors { tasks.addTask { number } }
        return await tasks.reduce(0, +)
      }
      #expect(sum == Self.processors * (Self.processors + 1) / 2)
      isOver.set()
      await group.waitForAll()
    }
    for end in ends { close(end) }
  }

  @Test func `all steps of a run are on the thread that began it`() {
    let isSame = RunThread.run {
      let thread = pthread_self()
      let source: any ScanSource = LiveEqualsReplayTests.RandomRadio(seed: 1)
      for _ in 0..<100 { _ = try? await source.next(until: nil) }
      try? await Task.sleep(for: .milliseconds(1))
      return pthread_self() == thread
    }
    #expect(isSame == true)
  }
}
