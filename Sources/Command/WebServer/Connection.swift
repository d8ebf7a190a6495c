// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// A regular file, and not a link to one, that is sent, piece by piece, so that it takes no memory while a reader receives nothing.
struct ServedFile: Sendable {
  private let path: String
  private let identity: FileIdentity
  let size: Int
  private var sent = 0

  /// How many bytes are read at a time.
  private static let piece = 262_144

  /// - Returns: `nil` if there is no such regular file.
  init?(_ path: String) {
    guard let status = FileStatus(withoutFollowing: path), status.isRegular else { return nil }
    (self.path, identity, size) = (path, status.identity, status.size)
  }

  /// Whether all of it was read.
  var isComplete: Bool { sent == size }

  /// Reads the next bytes; `nil` if the file is not the same any more.
  mutating func next() -> [UInt8]? {
    guard let file = try? FileDescriptor(reading: path), file.status?.identity == identity,
      let bytes = try? file.read(upTo: min(Self.piece, size - sent), at: sent), !bytes.isEmpty
    else { return nil }
    sent += bytes.count
    return bytes
  }
}

/// One connection of a server: its socket, the reports and the bytes to send.
///
/// Only the server's thread uses it.
struct Connection {
  /// The result of a read or a write.
  enum Transfer: Equatable {
    /// Some bytes were transferred; there may be more.
    case moved
    /// No byte can be transferred now.
    case blocked
    /// The other end is closed, or there was an error.
    case ended
  }

  let descriptor: Int32
  var reader: RequestReader
  /// The stream of events that is sent on it.
  var stream: EventStream?
  /// Whether it ends with the current answer.
  var closes = false
  /// The bytes to send, in order.
  private var pieces: [[UInt8]] = []
  /// The file that is sent after them.
  private var file: ServedFile?
  /// How many bytes of the first piece were sent.
  private var sent = 0

  /// The most bytes of a piece that is made of two: copying costs less than sending twice.
  private static let joined = 65_536

  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - largestContent: The most bytes of a request's content.
  init(_ descriptor: Int32, largestContent: Int) {
    self.descriptor = descriptor
    reader = RequestReader(largestContent: largestContent)
  }

  /// Whether something is to be sent.
  var mustSend: Bool { !pieces.isEmpty || file != nil }

  /// How many bytes wait in the memory.
  var waiting: Int { pieces.reduce(-sent) { $0 + $1.count } }

  /// Adds a file to send.
  mutating func add(_ file: ServedFile) { self.file = file.isComplete ? nil : file }

  /// Adds bytes to send.
  mutating func add(_ first: [UInt8], _ second: [UInt8] = []) {
    if first.count + second.count <= Self.joined {
      pieces.append(first + second)
    } else {
      pieces += [first, second]
    }
  }

  /// Sends as much as is possible without waiting.
  mutating func send() -> Transfer {
    var result = Transfer.blocked
    while mustSend {
      if pieces.isEmpty {
        guard let bytes = file?.next() else { return .ended }
        pieces = [bytes]
        if file?.isComplete ?? true { file = nil }
      }
      let piece = pieces[0]
      let count = unsafe piece.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else {
        switch errno {
        case EINTR: continue
        case EAGAIN: return result
        default: return .ended
        }
      }
      result = .moved
      sent += count
      if sent == piece.count {
        pieces.removeFirst()
        sent = 0
      }
    }
    return result
  }

  /// Receives as much as the reader has room for.
  mutating func receive(with buffer: inout [UInt8]) -> Transfer {
    let count = Self.read(descriptor, &buffer, upTo: min(buffer.count, reader.room))
    if count > 0 { reader.append(buffer[..<count]) }
    return Self.transfer(count)
  }

  /// Receives bytes and drops them.
  func discard(with buffer: inout [UInt8]) -> Transfer {
    Self.transfer(Self.read(descriptor, &buffer, upTo: buffer.count))
  }

  private static func read(_ descriptor: Int32, _ buffer: inout [UInt8], upTo most: Int) -> Int {
    while true {
      let count = unsafe recv(descriptor, &buffer, most, 0)
      if count >= 0 || errno != EINTR { return count < 0 && errno == EAGAIN ? -1 : max(count, 0) }
    }
  }

  private static func transfer(_ count: Int) -> Transfer {
    count > 0 ? .moved : count < 0 ? .blocked : .ended
  }
}
