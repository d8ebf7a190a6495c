// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// Writes notes to systemd's journal with their fields, in the journal's own protocol.
package struct JournalWriter: Sendable {
  /// The journal's socket.
  package static let standardPath = "/run/systemd/journal/socket"

  private let path: String

  /// Creates a writer; `nil` where standard error is not the journal's.
  ///
  /// - Parameters:
  ///   - environment: The variables that systemd sets.
  ///   - path: The journal's socket.
  package init?(environment: [String: String], path: String = standardPath) {
    // Whoever redirects standard error wants to read it there.
    guard let stream = environment["JOURNAL_STREAM"], let own = Self.identity(of: STDERR_FILENO),
      stream == own
    else { return nil }
    self.init(path: path)
  }

  /// Creates a writer to a socket.
  package init(path: String) {
    self.path = path
  }

  /// The device and the number of an open file, as `JOURNAL_STREAM` has them.
  private static func identity(of descriptor: Int32) -> String? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// The fields of a note, as one datagram.
  package static func datagram(_ note: ServiceNote) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ key: String, _ value: String) {
      let text = Array(value.utf8)
      // A value of several lines has its length in front, so that no text can add fields.
      if text.contains(0x0A) {
        bytes += Array("\(key)\n".utf8)
        var length = UInt64(text.count)
        for _ in 0..<8 {
          bytes.append(UInt8(truncatingIfNeeded: length))
          length >>= 8
        }
        bytes += text + [0x0A]
      } else {
        bytes += Array("\(key)=".utf8) + text + [0x0A]
      }
    }
    add("MESSAGE", note.text)
    add("PRIORITY", "\(note.kind.level.rawValue)")
    add("MESSAGE_ID", note.kind.messageID)
    add("SYSLOG_IDENTIFIER", "beacond")
    add("BEACONS_EVENT", note.kind.rawValue)
    if let client = note.client { add("BEACONS_CLIENT", client) }
    return bytes
  }

  /// Writes a note; returns false if the journal did not take it.
  package func write(_ note: ServiceNote) -> Bool {
    UnixDatagram.send(Self.datagram(note), to: path)
  }
}
