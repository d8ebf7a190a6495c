// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import Synchronization

/// A program that runs with the test until it is stopped.
///
/// It does not use Foundation's `Process`, which waits by spinning without a run loop.
package final class DaemonProcess: Sendable {
  private let identifier: Mutex<pid_t?>

  /// Starts a program and waits until it has written something.
  package init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Self.error(errno) }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
    unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map {
      unsafe strdup($0)
    }
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    unsafe words.append(nil)
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, program, &actions, nil, words, environ)
    close(ends[1])
    guard status == 0 else { throw Self.error(status) }
    var byte: UInt8 = 0
    _ = unsafe read(ends[0], &byte, 1)
    identifier = Mutex(child)
  }

  /// Its number; `nil` when it was ended.
  package var number: Int32? { identifier.withLock(\.self) }

  /// Ends the program and waits until it has ended.
  package func stop() {
    let child = identifier.withLock { child in
      defer { child = nil }
      return child
    }
    guard let child else { return }
    // These signals must not be blocked: a program inherits the signal mask of the thread that starts it, and this
    // thread blocks all.
    kill(child, SIGKILL)
    _ = waitpid(child, nil, 0)
  }

  private static func error(_ number: Int32) -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
  }
}
