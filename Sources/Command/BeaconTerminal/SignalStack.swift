// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A separate stack for signal handlers, so that they can run even if a thread's own stack has overflowed.
///
/// Each thread has its own signal stack or none. Without one, after a stack overflow the kernel ends the process before
/// any handler runs.
package enum SignalStack {
  /// Many times what our handlers need, and enough for the saved registers of any processor.
  private static let byteCount = 64 * 1024

  /// Gives the calling thread a signal stack, unless it already has one, for example from a sanitizer's runtime.
  ///
  /// It is never freed, since a handler may run as long as the thread does.
  package static func provide() {
    var current = unsafe stack_t()
    guard unsafe sigaltstack(nil, &current) == 0,
      unsafe current.ss_flags & Int32(SS_DISABLE) != 0
    else { return }
    let place = unsafe mmap(
      nil,
      byteCount,
      PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS,
      -1,
      0
    )
    guard unsafe place != MAP_FAILED else { return }
    var wanted = unsafe stack_t()
    unsafe wanted.ss_sp = place
    unsafe wanted.ss_size = byteCount
    _ = unsafe sigaltstack(&wanted, nil)
  }
}
