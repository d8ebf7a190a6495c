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

  /// Starts to handle SIGINT and SIGTERM; a second one ends the process immediately.
  package static func install() {
    for number in [SIGINT, SIGTERM] {
      SignalHandler.install(number, flags: Int32(truncatingIfNeeded: SA_RESETHAND), handle)
    }
    // Writing to a closed pipe then returns an error instead of ending the process.
    ignoreClosedPipes()
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
    switch signal.load(ordering: .relaxed) {
    case 0: nil
    case ended: .ended
    case SIGTERM, SIGHUP: .terminated
    default: .interrupted
    }
  }

  /// Notes a signal that asks the program to stop; safe in a signal handler.
  package static func note(_ number: Int32) {
    signal.store(number, ordering: .relaxed)
  }

  /// Notes that the user ended the run without a signal, for example with a key.
  package static func end() {
    signal.store(ended, ordering: .relaxed)
  }

  private static let handle: @convention(c) (Int32) -> Void = { number in
    Interruption.signal.store(number, ordering: .relaxed)
  }
}

/// Outside of ``Interruption``, which has a different `signal`.
private func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }
