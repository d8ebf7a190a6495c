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

  /// Returns whether the system knows a time zone as `TZ` names it: a file of its data, or a rule such as `CET-1CEST`.
  ///
  /// It takes UTC for any other one, without a word.
  package static func isZone(_ name: String) -> Bool {
    let name = name.first == ":" ? name.dropFirst() : name[...]
    if name.isEmpty { return true }
    let isPath = name.first == "/"
    let data = "/usr/share/zoneinfo"
    // If the data lies elsewhere, nothing is known.
    guard FileStatus(data)?.isFolder ?? false else { return true }
    let path = isPath ? String(name) : "\(data)/\(name)"
    if FileStatus(path)?.isRegular ?? false { return true }
    let abbreviation =
      name.first == "<"
      ? name.prefix { $0 != ">" }.dropFirst() : name.prefix { $0.isASCII && $0.isLetter }
    let rest = name.dropFirst(abbreviation.count + (name.first == "<" ? 2 : 0))
    guard abbreviation.count >= 3, let first = rest.first else { return false }
    let offset = first == "+" || first == "-" ? rest.dropFirst() : rest
    return offset.first.map { $0.isASCII && $0.isNumber } ?? false
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
