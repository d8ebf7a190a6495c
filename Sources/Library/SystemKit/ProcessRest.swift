// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Waits until this process rests: no thread of it runs or is ready to run.
///
/// Then every task, block and thread has done all it could. Only a time, a user or another process can still make it
/// act. The system knows this exactly, even if a ready thread has to wait for a processor.
package final class ProcessRest: Sendable {
  /// The one observer of the process; it has a separate thread, so that no thread of the task pool counts as running.
  package static let shared = ProcessRest()

  /// How long the other threads may compute without a rest before the process counts as busy: more than a program
  /// computes between two events, and hardly noticeable.
  private static let patience = 0.2
  /// The same for a process that was busy the last time.
  private static let patienceWhenBusy = 0.002

  private let waiting: Mailbox<CheckedContinuation<Bool, Never>>?

  private init() {
    let waiting = try? Mailbox<CheckedContinuation<Bool, Never>>()
    guard let waiting, SystemThread({ Self.observe(for: waiting) }) != nil else {
      self.waiting = nil
      return
    }
    self.waiting = waiting
  }

  /// Waits until the process rests.
  ///
  /// - Returns: Whether it rests; not if other threads compute all the time, or if the system does not show its threads.
  package func begins() async -> Bool {
    guard let waiting else { return false }
    return await withCheckedContinuation { waiting.put($0) }
  }

  private static func observe(for waiting: Mailbox<CheckedContinuation<Bool, Never>>) {
    var threads = OtherThreads()
    var isBusy = false
    while true {
      var callers = waiting.wait(milliseconds: -1)
      guard !callers.isEmpty else { continue }
      let start = OtherThreads.computed
      let patience = isBusy ? patienceWhenBusy : patience
      var looks: UInt32 = 0
      while true {
        callers += waiting.take()
        let rests = threads.rest()
        isBusy = rests == nil || OtherThreads.computed - start > patience
        if rests == true || isBusy {
          if rests == true { isBusy = false }
          for caller in callers { caller.resume(returning: rests == true) }
          break
        }
        // A thread that has just ended its work needs a few microseconds to begin to wait.
        if looks < 4 { sched_yield() } else { usleep(min(20 * looks, 1000)) }
        looks += 1
      }
    }
  }
}

/// The other threads of this process, as `/proc` shows them.
private struct OtherThreads: ~Copyable {
  private struct Thread {
    /// The file with its state.
    let state: Int32
    /// The file with how often it ran; -1 if the system does not count that.
    let runs: Int32
  }

  private var threads: [Thread] = []
  /// How many threads the process had when they were listed.
  private var listed: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 96)

  deinit { Self.close(threads) }

  /// The seconds that other threads than the calling one have computed.
  static var computed: Double {
    seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID)
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Whether every other thread waits, and did not run while this was found out; `nil` if that is not known.
  mutating func rest() -> Bool? {
    guard let count = Self.count, list(count) else { return nil }
    guard let before = runs(), let waits = allWait(), waits, let after = runs() else {
      return false
    }
    return before == after
  }

  /// Whether every thread waits; `nil` if one has ended.
  private mutating func allWait() -> Bool? {
    for thread in threads {
      let count = read(thread.state)
      // The name of a thread may contain a parenthesis, nothing after it does.
      guard count > 0, let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")),
        end + 2 < count
      else {
        listed = 0
        return nil
      }
      let state = buffer[end + 2]
      if state == UInt8(ascii: "R") || state == UInt8(ascii: "D") { return false }
    }
    return true
  }

  /// How often each thread ran; `nil` if one has ended.
  private mutating func runs() -> [UInt8]? {
    var all: [UInt8] = []
    for thread in threads where thread.runs >= 0 {
      let count = read(thread.runs)
      guard count > 0 else {
        listed = 0
        return nil
      }
      all += buffer[..<count]
    }
    return all
  }

  private mutating func read(_ file: Int32) -> Int {
    unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe pread(file, bytes.baseAddress, bytes.count, 0)
    }
  }

  /// How many threads the process has.
  private static var count: UInt64? {
    var status = stat()
    return unsafe stat("/proc/self/task", &status) == 0 ? UInt64(status.st_nlink) : nil
  }

  /// Opens the files of the threads, if their number has changed or one has ended.
  private mutating func list(_ count: UInt64) -> Bool {
    guard count != listed else { return true }
    guard let own = ownNumber(), let names = try? Folder.names(in: "/proc/self/task") else {
      return false
    }
    Self.close(threads)
    threads = []
    listed = count
    for name in names where name != own {
      let state = Self.open("/proc/self/task/\(name)/stat")
      if state < 0 {
        listed = 0
        continue
      }
      let runs = Self.open("/proc/self/task/\(name)/schedstat")
      threads.append(Thread(state: state, runs: runs))
    }
    return true
  }

  /// The number of the calling thread.
  private mutating func ownNumber() -> String? {
    let file = Self.open("/proc/thread-self/stat")
    guard file >= 0 else { return nil }
    defer { Self.close([Thread(state: file, runs: -1)]) }
    let count = read(file)
    guard count > 0, let end = buffer[..<count].firstIndex(of: UInt8(ascii: " ")) else {
      return nil
    }
    return String(decoding: buffer[..<end], as: UTF8.self)
  }

  private static func open(_ path: String) -> Int32 {
    unsafe openFile(path, O_RDONLY | O_CLOEXEC, 0)
  }

  private static func close(_ threads: [Thread]) {
    for thread in threads {
      closeFile(thread.state)
      if thread.runs >= 0 { closeFile(thread.runs) }
    }
  }
}

// The type's own names hide those of the C library.
private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func closeFile(_ file: Int32) { _ = close(file) }
