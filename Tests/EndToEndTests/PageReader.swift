// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Glibc

/// A connection to a server on this machine that asks for a stream of events, and reads it or does not.
final class PageReader {
  private let descriptor: Int32
  /// The bytes read and not forgotten.
  private(set) var text = ""
  /// How many bytes were read.
  private(set) var count = 0

  /// Connects and asks.
  ///
  /// - Parameters:
  ///   - path: What for.
  ///   - port: The server's.
  ///   - isSmall: Whether the kernel is to keep little for it: else it takes megabytes on behalf of one who never reads.
  init?(_ path: String, port: UInt16, isSmall: Bool = false) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let size = socklen_t(MemoryLayout<Int32>.size)
    if isSmall {
      var (buffer, segment): (Int32, Int32) = (2048, 256)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, size)
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, size)
    }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, length)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { return nil }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
    _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  deinit { close(descriptor) }

  /// Reads until the bytes read since it was last forgotten holds a text; then that is forgotten.
  ///
  /// - Returns: Whether it came within so many seconds, and before the end of the stream.
  func read(until wanted: String, within seconds: Int) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !text.contains(wanted) {
      guard ContinuousClock.now < end, readSome() != .ended else { return false }
    }
    text = ""
    return true
  }

  /// Reads until nothing came for a second.
  func readWhatIsThere() {
    while readSome() == .some {}
  }

  private enum Reading { case some, nothing, ended }

  private func readSome() -> Reading {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let received = recv(descriptor, &buffer, buffer.count, 0)
    guard received > 0 else {
      return received < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .ended
    }
    text += String(decoding: buffer[..<received], as: UTF8.self)
    count += received
    return .some
  }
}
