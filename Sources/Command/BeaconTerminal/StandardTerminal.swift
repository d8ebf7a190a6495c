// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// The terminal on which the process was started, if there is one.
package final class StandardTerminal: UserTerminal {
  private var former: termios?
  package private(set) var hasEnded = false

  /// Uses standard input; `nil` if it or standard error is not a terminal, since the user would not see the question.
  package init?() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
  }

  deinit { receiveKeys(false) }

  package func receiveKeys(_ isWanted: Bool) {
    if let settings = former {
      guard !isWanted else { return }
      var settings = settings
      _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
      former = nil
    } else if isWanted {
      var settings = termios()
      guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
      former = settings
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
  }

  package func key(within patience: Duration) -> UInt8? {
    guard !hasEnded else { return nil }
    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, patience.pollMilliseconds) > 0 else { return nil }
    var byte: UInt8 = 0
    let count = unsafe read(STDIN_FILENO, &byte, 1)
    let error = errno
    if count == 0 || (count < 0 && error != EINTR) { hasEnded = true }
    return count == 1 ? byte : nil
  }
}
