// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The processor time and memory that a run used.
package struct ResourceUse: Sendable {
  /// Processor time in seconds, including the time in the kernel.
  package let cpu: Double
  /// The largest resident size in bytes.
  package let peakMemory: Int

  /// Measures the process's use so far.
  package static var now: ResourceUse {
    var usage = rusage()
    #if canImport(Glibc)
      _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      _ = unsafe getrusage(RUSAGE_SELF, &usage)
    #endif
    let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return ResourceUse(
      cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakMemory: usage.ru_maxrss * memoryUnit
    )
  }

  /// The bytes in a unit of the system's report: Linux counts in KiB.
  private static var memoryUnit: Int {
    #if canImport(Darwin)
      1
    #else
      1024
    #endif
  }
}
