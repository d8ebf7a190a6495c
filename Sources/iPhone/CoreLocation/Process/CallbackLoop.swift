// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

/// Chooses the actor on which a manager's callbacks run.
enum CallbackLoop {
  private static let marksMainQueue: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Returns the main actor on the main thread, and an actor on the run loop of any other thread.
  ///
  /// A task outside the main actor has no run loop, so callbacks of its managers run on the main actor.
  static func ofThisThread(_ note: (String) -> Void) -> any Actor {
    // If a program's `main` is asynchronous, threads other than the main thread run the main queue.
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

/// An actor whose jobs run on a thread's run loop.
actor RunLoopActor {
  private nonisolated let executor: RunLoopExecutor

  init(_ loop: RunLoop) {
    executor = RunLoopExecutor(loop)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}

/// Runs jobs on a run loop, in the order in which they arrive.
private final class RunLoopExecutor: SerialExecutor, @unchecked Sendable {
  // The timer's date may be set from any thread, and nothing else of the timer is used.
  private let jobs = LoopJobs()
  // The timer wakes the run loop, which adding a block does not. It also gives the run loop something to wait for,
  // without which the loop does not run. One timer is used for all jobs, since Foundation of Swift 6.3 leaks some 300
  // bytes for each timer that has fired.
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

/// The jobs that wait for a run loop's next turn.
private final class LoopJobs: Sendable {
  private let waiting = Mutex<[@Sendable () -> Void]>([])

  /// Adds a job.
  ///
  /// - Returns: Whether it is the first waiting job.
  func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    waiting.withLock { waiting in
      waiting.append(job)
      return waiting.count == 1
    }
  }

  /// Runs the waiting jobs, but not those that are added by them.
  func run() {
    let jobs = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for job in jobs { job() }
  }
}
