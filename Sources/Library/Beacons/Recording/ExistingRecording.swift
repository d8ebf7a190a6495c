// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import BeaconFormats

/// The existing file in the place of a recording that begins.
enum ExistingRecording {
  /// Nothing that could be lost: no file, an empty one, or no regular file.
  case none
  /// A recording that this program can have made.
  ///
  /// - Parameters:
  ///   - last: The time of its last line; `nil` if the format or the file does not tell.
  ///   - isWhole: Whether its last line is complete.
  case recording(last: Timestamp?, isWhole: Bool)
  /// The rest after a power cut of a file that was just created: zeros.
  case damaged
  /// Any other file.
  case foreign

  /// Enough for the longest line: a report with 1,650 bytes in hexadecimal, or a header with many receivers.
  private static let tailLength = 65_536
  /// Enough to recognize each format.
  private static let headLength = 4_096

  /// - Throws: `SystemError` if the file cannot be read: then its kind is not known.
  init(_ path: String, _ format: RecordingWriter.Format) throws(SystemError) {
    self = .none
    guard let status = FileStatus(path), status.isRegular, status.size > 0 else { return }
    let file = try FileDescriptor(reading: path)
    let head = try file.read(upTo: Self.headLength, at: 0)
    let tail = try file.read(upTo: Self.tailLength, at: max(0, status.size - Self.tailLength))
    if head.allSatisfy({ $0 == 0 }) {
      self = .damaged
    } else if format == .lines {
      guard head.starts(with: CaptureLineWriter.start.prefix(head.count)) else {
        self = .foreign
        return
      }
      self = .recording(last: Self.lastTime(in: tail), isWhole: tail.last == UInt8(ascii: "\n"))
    } else {
      let known = CaptureFormat.sniff(head.span)
      let expected: CaptureFormat = format == .pcap ? .pcap : .btsnoop
      self = known == expected ? .recording(last: nil, isWhole: true) : .foreign
    }
  }

  /// The time of the last line that has one.
  private static func lastTime(in tail: [UInt8]) -> Timestamp? {
    let key = Array(#""t":""#.utf8)
    for line in tail.split(separator: UInt8(ascii: "\n")).reversed() {
      // The time is the third key of a line.
      for start in line.indices.prefix(64) where line[start...].starts(with: key) {
        let text = line[(start + key.count)...].prefix { $0 != UInt8(ascii: "\"") }
        if let time = RFC3339.parse(String(decoding: text, as: UTF8.self)) { return time }
      }
    }
    return nil
  }
}
