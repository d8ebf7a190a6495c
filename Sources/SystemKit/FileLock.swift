// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Keeps others from a file for as long as it lives; the system gives it free when the process ends, however it does.
package final class FileLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Returns: `nil` while another has it. A directory that cannot be written locks nothing: what is read there can
  ///   be read by many.
  package init?(_ path: String) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      _ = close(descriptor)
      return nil
    }
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }
}
