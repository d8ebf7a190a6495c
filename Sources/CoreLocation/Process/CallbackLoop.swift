// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch

/// Where a manager's callbacks run.
enum CallbackLoop {
  private static let marksMainQueue: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// The main actor on the main thread, which its run loop serves; the run loop of any other thread.
  ///
  /// A task that is not the main actor's has no run loop; its managers' callbacks run on the main actor.
  static func ofThisThread(_ note: (String) -> Void) -> any Actor {
    // Where a program's `main` is asynchronous, the main queue is served by threads that are not the main thread.
    if Thread.isMainThread || DispatchQueue.getSpecific(key: marksMainQueue) == true {
      return MainActor.shared
    }
    let isTask = unsafe withUnsafeCurrentTask { unsafe $0 != nil }
    guard !isTask else {
      note(
        "a manager was made in a task off the main actor, so its callbacks run on the main actor"
      )
      return MainActor.shared
    }
    return RunLoopActor(.current)
  }
}

/// The actor of a thread's run loop.
actor RunLoopActor {
  private nonisolated let executor: RunLoopExecutor

  init(_ loop: RunLoop) {
    executor = RunLoopExecutor(loop)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}

/// Runs jobs in a run loop, one in a turn.
private final class RunLoopExecutor: SerialExecutor, @unchecked Sendable {
  // A run loop takes timers from any thread, and is used for nothing else here.
  private let loop: RunLoop

  init(_ loop: RunLoop) {
    self.loop = loop
    // A run loop that has nothing to wait for does not run.
    loop.add(Timer(fire: .distantFuture, interval: 1e9, repeats: true) { _ in }, forMode: .default)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    // A timer wakes the run loop; a block that is only added does not.
    let timer = Timer(timeInterval: 0, repeats: false) { _ in
      unsafe job.runSynchronously(on: executor)
    }
    loop.add(timer, forMode: .default)
  }
}
