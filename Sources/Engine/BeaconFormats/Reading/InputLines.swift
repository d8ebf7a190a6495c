// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The lines of a file or of standard input, one at a time.
package struct InputLines {
  /// A line without its end.
  package struct Line: Equatable, Sendable {
    /// The line's bytes, as far as ``InputLines/limit``.
    package let bytes: [UInt8]
    /// Whether the line continues beyond its bytes.
    package let isCut: Bool
  }

  /// The longest line that is kept: four times the longest HCI packet in hexadecimal with spaces, so that a file
  /// without a line end cannot fill the memory.
  package static let limit = 1 << 20

  private var source: any ByteSource
  private var buffer: [UInt8] = []
  /// The start of the next line.
  private var start = 0
  /// How far the line end was looked for.
  private var searched = 0
  private var isAtEnd = false
  private var isSkipping = false

  package init(_ source: any ByteSource) {
    self.source = source
  }

  /// Whether the next line is here, so that asking for it does not wait.
  package var hasLine: Bool { !isSkipping && buffer[start...].contains(0x0A) }

  /// Returns the next line, if any.
  package mutating func next() throws -> Line? {
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        let line = Line(bytes: Array(buffer[start..<end].prefix(Self.limit)), isCut: false)
        (start, searched) = (end + 1, end + 1)
        guard isSkipping else { return line }
        isSkipping = false
        continue
      }
      searched = buffer.count
      if !isSkipping, searched - start > Self.limit {
        isSkipping = true
        defer { start = searched }
        return Line(bytes: Array(buffer[start..<start + Self.limit]), isCut: true)
      }
      if isSkipping { start = searched }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return Line(bytes: Array(buffer[start...]), isCut: false)
      }
      buffer.removeFirst(start)
      (start, searched) = (0, searched - start)
      let count = buffer.count
      try source.read(upTo: 65_536, into: &buffer)
      isAtEnd = buffer.count == count
    }
  }
}
