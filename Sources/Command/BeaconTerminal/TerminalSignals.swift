// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import Glibc
internal import Synchronization

/// Handles the signals that matter while the process has taken over the terminal.
///
/// A signal handler may call only a few functions. If the signal can wait, the handler writes a byte into a pipe, and
/// the thread that draws reads it. So the terminal is never restored in the middle of drawing. For a second signal that
/// asks to end, and for every crash, the handler itself restores the terminal, and the signal then has its former
/// effect.
enum TerminalSignals {
  /// The notices that a handler writes into the pipe.
  enum Notice: UInt8 {
    case wake, resized, suspend, resumed, stop
  }

  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let noticed = [SIGWINCH, SIGTSTP, SIGCONT]
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]
  private static var all: [Int32] { ending + noticed + crashes }

  private static let readEnd = Atomic<Int32>(-1)
  private static let writeEnd = Atomic<Int32>(-1)
  private static let hasEnded = Atomic<Bool>(false)
  /// The former handlers of the signals, by signal number.
  ///
  /// The values are addresses of memory that is never freed.
  private static let before = Atomic<UInt>(0)

  /// The descriptor from which notices can be read.
  static var descriptor: Int32 { readEnd.load(ordering: .acquiring) }

  /// Starts to handle the signals.
  static func install(input: Int32, output: Int32) throws(SystemError) {
    try TerminalRescue.remember(input: input, output: output)
    if descriptor < 0 {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { throw SystemError(errno, .make, "a pipe") }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      readEnd.store(ends[0], ordering: .releasing)
      writeEnd.store(ends[1], ordering: .releasing)
    }
    let place = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    unsafe place.initialize(repeating: sigaction(), count: 65)
    before.store(UInt(bitPattern: place), ordering: .releasing)
    hasEnded.store(false, ordering: .releasing)
    var wanted = sigset_t()
    _ = unsafe sigemptyset(&wanted)
    for number in all {
      var action = sigaction()
      if crashes.contains(number) {
        unsafe action.__sigaction_handler.sa_sigaction = crashed
        action.sa_flags = SA_SIGINFO | Int32(SA_ONSTACK)
      } else {
        // System calls are not restarted: code that waits for a pipe must check whether it should end.
        unsafe action.__sigaction_handler.sa_handler = arrived
      }
      _ = unsafe sigaction(number, &action, place + Int(number))
      _ = unsafe sigaddset(&wanted, number)
    }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
  }

  /// Restores the former handlers; if a signal already asked to end, another one then ends the process immediately.
  static func uninstall() {
    for number in all {
      if ending.contains(number), hasEnded.load(ordering: .acquiring) {
        _ = signal(number, SIG_DFL)
      } else {
        reinstate(number)
      }
    }
  }

  /// Writes a notice into the pipe; safe in a signal handler.
  static func post(_ notice: Notice) {
    var byte = notice.rawValue
    // If the pipe is full, the reader wakes anyway.
    _ = unsafe Glibc.write(writeEnd.load(ordering: .acquiring), &byte, 1)
  }

  /// Returns the notices since the last call, each at most once.
  static func drain() -> [Notice] {
    var notices: [Notice] = []
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return notices }
      for notice in bytes.prefix(count).compactMap(Notice.init) where !notices.contains(notice) {
        notices.append(notice)
      }
    }
  }

  /// Stops the process, as `^Z` does by default; returns when the process continues.
  static func stopProcess() {
    _ = signal(SIGTSTP, SIG_DFL)
    // The signal may be blocked on this thread, so it is unblocked. Raised on this thread, it stops the process before
    // the call returns.
    var wanted = sigset_t()
    _ = unsafe sigemptyset(&wanted)
    _ = unsafe sigaddset(&wanted, SIGTSTP)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    _ = raise(SIGTSTP)
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = arrived
    _ = unsafe sigaction(SIGTSTP, &action, nil)
  }

  private static func reinstate(_ number: Int32) {
    let place = unsafe UnsafeMutablePointer<sigaction>(
      bitPattern: before.load(ordering: .acquiring)
    )
    guard let place = unsafe place else { return }
    _ = unsafe sigaction(number, place + Int(number), nil)
  }

  private static let arrived: @convention(c) (Int32) -> Void = { number in
    let error = errno
    switch number {
    case SIGWINCH: post(.resized)
    case SIGTSTP: post(.suspend)
    case SIGCONT: post(.resumed)
    default:
      if hasEnded.exchange(true, ordering: .acquiringAndReleasing) {
        TerminalRescue.restoreForGood()
        _ = signal(number, SIG_DFL)
        _ = raise(number)
      } else {
        Interruption.note(number)
        post(.stop)
      }
    }
    errno = error
  }

  /// A processor fault occurs again when the handler returns; a signal that was sent has to be sent again.
  private static let crashed:
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
      number,
      _,
      _ in
      TerminalRescue.restoreForGood()
      reinstate(number)
      _ = raise(number)
    }
}
