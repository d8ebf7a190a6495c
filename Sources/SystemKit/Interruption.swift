// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import Synchronization

/// Whether the user asked to stop.
///
/// A signal handler may do next to nothing; it leaves the signal's number here, and loops look.
package enum Interruption {
  private static let signal = Atomic<Int32>(0)
  /// The number of no signal: the user ended the run, which is no failure.
  private static let ended = Int32.max

  /// Takes note of SIGINT and SIGTERM from now on; a second one ends the process at once.
  package static func install() {
    for number in [SIGINT, SIGTERM] {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = handle
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      _ = unsafe sigaction(number, &action, nil)
    }
    // Whoever started this process may have left them blocked, as a worker thread of libdispatch does.
    var wanted = sigset_t()
    _ = unsafe sigemptyset(&wanted)
    for number in [SIGINT, SIGTERM] { _ = unsafe sigaddset(&wanted, number) }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    // A closed pipe is an answer to a write, not the end of the process.
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
  }

  /// What asked the program to stop.
  package enum Cause: Sendable {
    /// SIGINT or another signal of the keyboard.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated
    /// The user ended the run, as with a key.
    case ended
  }

  /// What asked the program to stop; `nil` while nothing did.
  package static var cause: Cause? {
    switch signal.load(ordering: .relaxed) {
    case 0: nil
    case ended: .ended
    case SIGTERM, SIGHUP: .terminated
    default: .interrupted
    }
  }

  /// Takes note of a signal that asked to stop; safe in a signal handler.
  package static func note(_ number: Int32) {
    signal.store(number, ordering: .relaxed)
  }

  /// Takes note that the user ended the run in another way than by a signal, as with a key.
  package static func end() {
    signal.store(ended, ordering: .relaxed)
  }

  private static let handle: @convention(c) (Int32) -> Void = { number in
    Interruption.signal.store(number, ordering: .relaxed)
  }
}
