// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// The account of a single thread.
///
/// For the kernel each thread has a separate account. The C library's functions change it for the whole process, so
/// this calls the kernel.
package enum ThreadAccount {
  /// The account that owns nothing, on Debian and on most systems.
  package static let nobody = 65_534

  /// Changes the account of the calling thread, for good, if this process may do that.
  package static func change(to account: Int) {
    typealias Call = @convention(c) (Int, Int, Int, Int) -> Int
    guard let place = unsafe dlsym(nil, "syscall") else { return }
    let call = unsafe unsafeBitCast(place, to: Call.self)
    #if arch(x86_64)
      let number = 117
    #else
      let number = 147
    #endif
    _ = call(number, account, account, account)
  }
}
