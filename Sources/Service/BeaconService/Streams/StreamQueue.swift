// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How a line in a full stream is treated.
package enum StreamLine: Sendable, Equatable {
  /// A newer one of the same constraint takes its place.
  case tick(String)
  /// It is about a region's state, and kept like ``kept``.
  case region
  /// It is kept, up to a limit.
  case kept
}

extension StreamLine {
  fileprivate var isKept: Bool { if case .tick = self { false } else { true } }
}

/// The lines that wait for the reader of a stream.
///
/// A tick that waits is replaced by the next one of its constraint; everything else is kept up to a limit, and a reader
/// that is further behind loses the stream instead of a line.
package struct StreamQueue: Sendable {
  /// The most lines that are kept for a reader.
  package static let limit = 1024
  /// The most bytes that wait, whatever they are.
  package static let byteLimit = 1 << 20

  private struct Line: Sendable {
    var bytes: [UInt8]
    let kind: StreamLine
  }

  private var lines: [Line] = []
  /// How many bytes of the first line were written.
  private var written = 0
  private var bytes = 0
  private var kept = 0
  /// How many ticks were replaced before the reader got them, in all.
  package private(set) var replaced = 0

  /// Creates an empty queue.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { lines.isEmpty }

  /// Adds lines; returns false if the reader is too far behind.
  package mutating func put(_ new: [UInt8], _ kind: StreamLine) -> Bool {
    if case .tick = kind {
      // A begun line must be finished.
      let first = written > 0 ? 1 : 0
      if let index = lines.indices.dropFirst(first).first(where: { lines[$0].kind == kind }) {
        bytes += new.count - lines[index].bytes.count
        lines[index].bytes = new
        replaced += 1
        return !isFull
      }
    } else {
      kept += 1
    }
    lines.append(Line(bytes: new, kind: kind))
    bytes += new.count
    return !isFull
  }

  /// Whether the reader is too far behind.
  package var isFull: Bool { kept > Self.limit || bytes > Self.byteLimit }

  /// The bytes to write next.
  package var next: ArraySlice<UInt8> { lines.first?.bytes.dropFirst(written) ?? [] }

  /// Notes how many of the next bytes were written.
  package mutating func wrote(_ count: Int) {
    guard let first = lines.first else { return }
    written += count
    guard written >= first.bytes.count else { return }
    bytes -= first.bytes.count
    if first.kind.isKept { kept -= 1 }
    lines.removeFirst()
    written = 0
  }

  /// Drops ticks, and optionally the lines about regions, when their client may no longer get them.
  ///
  /// A begun line must be finished.
  package mutating func withdraw(regions: Bool) {
    let begun = written > 0 ? 1 : 0
    let rest = lines.dropFirst(begun).filter { $0.kind.isKept && !(regions && $0.kind == .region) }
    lines = lines.prefix(begun) + rest
    bytes = lines.reduce(0) { $0 + $1.bytes.count }
    kept = lines.count { $0.kind.isKept }
  }
}
