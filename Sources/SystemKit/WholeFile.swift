// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Reads and replaces small files as a whole: configurations, plans, scenarios, states.
package enum WholeFile {
  /// Sixteen mebibytes: far more than anyone writes by hand.
  ///
  /// So a wrong path cannot fill the memory.
  package static let limit = 16 << 20

  /// Returns a file's bytes, up to ``limit``; `-` is standard input.
  package static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let file = try FileDescriptor(reading: path)
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let more = try file.read(upTo: 65_536)
      if more.isEmpty { break }
      bytes += more
    }
    return bytes
  }

  /// Replaces a file's bytes: writes a new file beside it and renames that, so that nobody ever reads a half-written
  /// file.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let beside = path + ".new"
    let file = try FileDescriptor(writing: beside)
    try file.write(bytes)
    try file.synchronize()
    try SystemError.check(.rename, beside) { unsafe rename(beside, path) }
  }
}
