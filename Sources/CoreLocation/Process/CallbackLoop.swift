// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

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

/// Runs jobs in a run loop, in the order in which they come.
private final class RunLoopExecutor: SerialExecutor, @unchecked Sendable {
  // The timer's date may be set from any thread, and is all of it that is used.
  private let jobs = LoopJobs()
  // It wakes the run loop, which a block that is only added does not, and gives it something to wait for, without which it
  // does not run. One serves all jobs: Foundation of Swift 6.3 keeps some 300 bytes of each timer that has fired.
  private let timer: Timer

  init(_ loop: RunLoop) {
    timer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [jobs] _ in jobs.run() }
    loop.add(timer, forMode: .default)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    if jobs.add({ unsafe job.runSynchronously(on: executor) }) { timer.fireDate = Date() }
  }
}

/// What waits for a run loop's next turn.
private final class LoopJobs: Sendable {
  private let waiting = Mutex<[@Sendable () -> Void]>([])

  /// Adds a job.
  ///
  /// - Returns: Whether it is the first that waits.
  func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    waiting.withLock { waiting in
      waiting.append(job)
      return waiting.count == 1
    }
  }

  /// Runs what waits, and nothing that is added meanwhile.
  func run() {
    let jobs = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for job in jobs { job() }
  }
}
