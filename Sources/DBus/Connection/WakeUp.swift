// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus
internal import Glibc

/// A descriptor that other threads make readable to wake the one that polls it (`eventfd(2)`).
struct WakeUp: ~Copyable, Sendable {
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Wakes the thread, now or when it next polls.
  func signal() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Forgets that it was woken.
  func clear() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
