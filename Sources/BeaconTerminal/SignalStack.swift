// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A stack for the handlers of signals, so that one can run where a thread has used its own up.
///
/// Each thread has its own or none; without one, the kernel ends the process before any handler is asked.
package enum SignalStack {
  /// Many times what our handlers need, and the smallest stack that any processor's registers fit on.
  private static let byteCount = 64 * 1024

  /// Gives the calling thread one, unless it has one already, such as that of a debugger's runtime.
  ///
  /// It is never given back: a handler may run as long as the thread does.
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
