// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The machine's wall clock, which users and time servers set.
package enum WallTime {
  /// The current time in microseconds since 1970 UTC.
  package static var microseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
  }

  /// Returns by how many seconds local time is ahead of UTC at a time in seconds since 1970 UTC; 0 if it is not known.
  package static func utcOffset(at seconds: Int64) -> Int64 {
    var seconds = time_t(seconds)
    var local = unsafe tm()
    // The machine's time zone may have changed since the last call.
    tzset()
    guard unsafe localtime_r(&seconds, &local) != nil else { return 0 }
    return Int64(unsafe local.tm_gmtoff)
  }
}
