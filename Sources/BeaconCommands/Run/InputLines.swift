// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import Beacons

/// The lines of a file or of standard input, one at a time.
package struct InputLines {
  private let source: FileByteSource
  private var pending: [UInt8] = []
  private var offset = 0
  private var isAtEnd = false

  package init(_ source: FileByteSource) {
    self.source = source
  }

  /// Returns the next line without its end; `nil` when there is none.
  package mutating func next() throws -> String? {
    while true {
      if let end = pending[offset...].firstIndex(of: 0x0A) {
        defer { offset = end + 1 }
        return String(decoding: pending[offset..<end], as: UTF8.self)
      }
      if isAtEnd {
        guard offset < pending.count else { return nil }
        defer { offset = pending.count }
        return String(decoding: pending[offset...], as: UTF8.self)
      }
      pending.removeFirst(offset)
      offset = 0
      let more = try source.read(upTo: 65_536)
      isAtEnd = more.isEmpty
      pending += more
    }
  }
}
