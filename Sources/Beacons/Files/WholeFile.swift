// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads small files at once: configurations, plans, scenarios.
package enum WholeFile {
  /// Sixteen mebibytes: far more than anybody writes by hand, so that a wrong path cannot fill the memory.
  package static let limit = 16 << 20

  /// Returns a file's bytes, as far as ``limit``; `-` is standard input.
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
}
