// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// The processor time and memory that a run used.
package struct ResourceUse: Sendable {
  /// Processor time in seconds, including the time in the kernel.
  package let cpu: Double
  /// The largest resident size in bytes.
  package let peakMemory: Int

  /// Measures the process's use so far.
  package static var now: ResourceUse {
    var usage = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return ResourceUse(
      cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakMemory: usage.ru_maxrss * 1024
    )
  }
}
