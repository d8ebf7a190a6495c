// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Locks a file for as long as the object lives.
///
/// When the process ends for any reason, the system releases the lock.
package final class FileLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Returns: `nil` while another owner has the lock. In a folder that cannot be written nothing is locked, since it
  ///   can only be read.
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
