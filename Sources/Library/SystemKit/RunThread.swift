// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A thread that runs one asynchronous function from its beginning to its end.
///
/// The task pool has one thread for each processor, so a read of a pipe or a wait for a disk in one of its tasks can
/// stop every other task. A function that runs here may block: it blocks only this thread. The thread is the one that
/// calls ``run(_:)``; the whole function runs on it, except if it asks for another executor.
@safe package final class RunThread: TaskExecutor, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // `jobs` and `hasEnded` are read and written only while `mutex` is held, which makes the class Sendable.
  private var jobs: [UnownedJob] = []
  private var hasEnded = false

  private init() {
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe changed.initialize(to: pthread_cond_t())
    _ = unsafe pthread_mutex_init(mutex, nil)
    _ = unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    _ = unsafe pthread_cond_destroy(changed)
    _ = unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs an asynchronous function on the calling thread.
  ///
  /// The thread waits while the function waits.
  ///
  /// Call it at the start of a program or of a thread, never from the task pool.
  ///
  /// - Parameter work: What to run.
  /// - Returns: Its result.
  package static func run<Result>(
    _ work: @escaping () async -> Result
  ) -> Result? {
    let thread = RunThread()
    let call = Call(work)
    // Not the first thread's priority, which tasks of the pool would inherit: libdispatch asks the system for a higher one for
    // its threads then, and writes into the system's log that an account other than root may not have it.
    Task(executorPreference: thread, priority: .medium) {
      call.result = await call.work()
      thread.end()
    }
    thread.runJobs()
    return call.result
  }

  /// A function and its result.
  ///
  /// Only the calling thread uses them, since the task has no other executor.
  private final class Call<Result>: @unchecked Sendable {
    let work: () async -> Result
    var result: Result?

    init(_ work: @escaping () async -> Result) {
      self.work = work
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    withLock { jobs.append(job) }
  }

  private func end() {
    withLock { hasEnded = true }
  }

  private func withLock(_ change: () -> Void) {
    _ = unsafe pthread_mutex_lock(mutex)
    change()
    _ = unsafe pthread_cond_signal(changed)
    _ = unsafe pthread_mutex_unlock(mutex)
  }

  private func runJobs() {
    while let ready = nextJobs() {
      for job in ready { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// Waits for jobs; `nil` when the function has ended without further jobs.
  private func nextJobs() -> [UnownedJob]? {
    _ = unsafe pthread_mutex_lock(mutex)
    defer { _ = unsafe pthread_mutex_unlock(mutex) }
    while jobs.isEmpty, !hasEnded { _ = unsafe pthread_cond_wait(changed, mutex) }
    defer { jobs.removeAll() }
    return jobs.isEmpty ? nil : jobs
  }
}
