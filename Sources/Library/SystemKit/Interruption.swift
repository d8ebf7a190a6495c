// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Records whether the program was asked to stop.
///
/// A signal handler may call only a few functions. So it only stores the signal's number here, and loops check it.
package enum Interruption {
  private static let signal = Atomic<Int32>(0)
  /// A number that is not a signal's: the user ended the run, which is not a failure.
  private static let ended = Int32.max
  /// Whether the process ends soon after a signal, whatever it does then.
  private static let limit = Atomic<Int32>(never)
  private static let (never, untilBegun, always) = (Int32(0), Int32(1), Int32(2))
  /// How often the timer came since the signal.
  private static let checks = Atomic<Int32>(0)
  /// Whether a part of the program noticed the signal, and so is ending the run.
  private static let isNoticed = Atomic<Bool>(false)
  /// How many files are just being completed.
  private static let completing = Atomic<Int32>(0)

  /// When the signal came, in nanoseconds of ``Uptime``; 0 before it.
  private static let time = Atomic<Int64>(0)
  /// How long everything together that a run waits for at its end may take after a signal.
  private static let rest = Duration.milliseconds(800)
  /// The time that each part of it has, even if the others took everything.
  private static let least = Duration.milliseconds(300)

  /// How often the timer comes after a signal, in microseconds.
  private static let interval: __suseconds_t = 100_000
  /// When the process ends if nothing in it noticed the signal, and if something did, both within a second.
  private static let longest = (unnoticed: Int32(8), noticed: Int32(9))

  /// The signals that end a run: from a user, from systemd, from the end of a session, from a limit of the system, from other
  /// programs.
  package static let ending: [Int32] = {
    let common = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU]
    #if canImport(Darwin)
      return common
    #else
      return common + [SIGIO, SIGPWR, SIGSTKFLT]
    #endif
  }()

  /// Starts to handle the signals that end a run; a second SIGINT or SIGTERM ends the process immediately.
  package static func install() {
    for number in ending {
      // `nohup` and the like ignore it on purpose.
      if number == SIGHUP, SignalHandler.isIgnored(number) { continue }
      let isFinal = number == SIGINT || number == SIGTERM
      let flags = isFinal ? Int32(truncatingIfNeeded: SA_RESETHAND) : 0
      SignalHandler.install(number, flags: flags, number == SIGALRM ? timePassed : handle)
    }
    // Writing to a closed pipe, or beyond the limit of a file's size, then returns an error instead of ending the process.
    for number in [SIGPIPE, SIGXFSZ] { ignore(number) }
    // The Swift runtime reports a crash for these if it finds its reporter, after which a process that only got the signal runs on.
    for number in [SIGQUIT, SIGABRT] where !SignalHandler.isIgnored(number) {
      SignalHandler.reset(number)
    }
  }

  /// Ends the process within a second of a signal, also if no loop checks it.
  ///
  /// - Parameter keeps: Whether the command keeps something from ``begin()`` on, which is not cut off then.
  package static func endWithinASecond(keeping keeps: Bool) {
    limit.store(keeps ? untilBegun : always, ordering: .relaxed)
    let earlier = signal.load(ordering: .relaxed)
    if earlier != 0 { note(earlier) }
  }

  /// Notes that the command has its source, and keeps something from now on.
  package static func begin() {
    _ = limit.compareExchange(expected: untilBegun, desired: never, ordering: .relaxed)
  }

  /// Lets a run that the user ended with Ctrl-C compute its result, whatever time that takes; the same signal again ends it.
  package static func keepResult() {
    guard cause == .interrupted, limit.load(ordering: .relaxed) != never else { return }
    setTimer(microseconds: 0)
    limit.store(never, ordering: .relaxed)
  }

  /// Completes a file that would be lost otherwise: until then the process does not end.
  static func completing<Result>(_ body: () throws -> Result) rethrows -> Result {
    completing.add(1, ordering: .relaxed)
    defer { completing.subtract(1, ordering: .relaxed) }
    return try body()
  }

  /// The reason why the program was asked to stop.
  package enum Cause: Sendable {
    /// SIGINT, or another signal from the keyboard.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated
    /// The user ended the run without a signal, for example with a key.
    case ended
  }

  /// The reason why the program was asked to stop; `nil` if it was not.
  package static var cause: Cause? {
    let number = signal.load(ordering: .relaxed)
    guard number != 0 else { return nil }
    isNoticed.store(true, ordering: .relaxed)
    return switch number {
    case ended: .ended
    case SIGINT, SIGQUIT: .interrupted
    default: .terminated
    }
  }

  /// Notes a signal that asks the program to stop; safe in a signal handler.
  package static func note(_ number: Int32) {
    _ = time.compareExchange(expected: 0, desired: Uptime.now.nanoseconds, ordering: .relaxed)
    signal.store(number, ordering: .relaxed)
    guard limit.load(ordering: .relaxed) != never, number != ended else { return }
    setTimer(microseconds: interval)
  }

  /// Starts the timer that ends the process, or stops it with 0.
  private static func setTimer(microseconds: __suseconds_t) {
    let time = timeval(tv_sec: 0, tv_usec: microseconds)
    var timer = itimerval(it_interval: time, it_value: time)
    #if canImport(Glibc)
      let kind = __itimer_which_t(ITIMER_REAL.rawValue)
    #else
      let kind = ITIMER_REAL
    #endif
    _ = unsafe setitimer(kind, &timer, nil)
  }

  /// The share of a part in the time that is left after the signal, now that it has to end.
  static func share(upTo most: Duration) -> Duration {
    let noted = time.load(ordering: .relaxed)
    guard noted != 0 else { return most }
    let passed = Duration.nanoseconds(Uptime.now.nanoseconds - noted)
    return min(most, max(rest - passed, least))
  }

  /// Notes that the user ended the run without a signal, for example with a key.
  package static func end() { note(ended) }

  /// Forgets that the user ended a run with a key, so that a program of several runs continues; a signal stays.
  package static func forgetEnd() {
    let change = signal.compareExchange(expected: ended, desired: 0, ordering: .relaxed)
    if change.exchanged { time.store(0, ordering: .relaxed) }
  }

  private static let handle: @convention(c) (Int32) -> Void = { number in
    let error = errno
    Interruption.note(number)
    errno = error
  }

  /// Ends the process if it does not end by itself.
  private static let timePassed: @convention(c) (Int32) -> Void = { number in
    let asked = Interruption.signal.load(ordering: .relaxed)
    guard asked != 0, Interruption.limit.load(ordering: .relaxed) != Interruption.never else {
      return Interruption.handle(number)
    }
    let count = Interruption.checks.add(1, ordering: .relaxed).newValue
    let isNoticed = Interruption.isNoticed.load(ordering: .relaxed)
    guard count >= (isNoticed ? longest.noticed : longest.unnoticed),
      Interruption.completing.load(ordering: .relaxed) == 0
    else { return }
    _exit(128 + (asked == SIGINT || asked == SIGQUIT ? SIGINT : SIGTERM))
  }
}

/// Outside of ``Interruption``, which has a different `signal`.
private func ignore(_ number: Int32) { _ = signal(number, SIG_IGN) }
