// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The lines of standard input as they are typed, read without waiting for them.
package struct LineInput {
  /// A line that is longer has no meaning; the rest is left out.
  private static let longestLine = 4_096

  private let file: Int32
  private var bytes: [UInt8] = []
  /// Whether the input has ended; lines that were read before are still returned.
  package private(set) var hasEnded = false

  /// - Parameter file: The descriptor, which is left open.
  package init(_ file: Int32 = STDIN_FILENO) { self.file = file }

  /// The next line without its end, if it is there; `nil` if it is not, or if the input has ended.
  package mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: 0x0A) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end].prefix(Self.longestLine), as: UTF8.self)
      }
      if hasEnded {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return String(decoding: bytes.prefix(Self.longestLine), as: UTF8.self)
      }
      guard fill() else { return nil }
    }
  }

  /// Reads the available bytes; returns whether anything changed.
  private mutating func fill() -> Bool {
    var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, 0) > 0 else { return false }
    var block = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe block.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    let error = errno
    if count > 0 {
      bytes += block.prefix(count)
      // An endless line is not kept.
      if bytes.count > 2 * Self.longestLine, !bytes.contains(0x0A) {
        bytes.removeSubrange(Self.longestLine...)
      }
      return true
    }
    if count == 0 || (error != EINTR && error != EAGAIN) {
      hasEnded = true
      return true
    }
    return false
  }
}
