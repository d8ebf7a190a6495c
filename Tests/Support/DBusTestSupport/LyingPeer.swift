// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import Glibc

/// The bus's end of the socket, simulated by the test: it accepts a connection like a bus, then sends whatever the test
/// gives it.
package final class LyingPeer: Sendable {
  package let address: String
  private let path: String
  private let listener: Int32

  package init() throws {
    path = "/tmp/beacons-peer-\(UUID().uuidString.prefix(13))"
    address = "unix:path=\(path)"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { place in
      for (index, byte) in path.utf8.enumerated() { unsafe place[index] = byte }
    }
    let status = unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard listener >= 0, status == 0, listen(listener, 8) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  deinit {
    close(listener)
    unsafe unlink(path)
  }

  /// Waits for one program and greets it.
  package func accept() -> Connection? {
    let socket = Glibc.accept(listener, nil, nil)
    guard socket >= 0 else { return nil }
    let connection = Connection(socket)
    return connection.greet() ? connection : nil
  }

  /// One program's connection.
  package final class Connection: Sendable {
    private let socket: Int32

    init(_ socket: Int32) {
      self.socket = socket
    }

    deinit { close(socket) }

    /// Sends bytes; returns false if the other end is closed.
    package func send(_ bytes: [UInt8]) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe Glibc.send(
            socket,
            $0.baseAddress?.advanced(by: sent),
            bytes.count - sent,
            Int32(MSG_NOSIGNAL)
          )
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// Ends sending, and waits until the other end is closed.
    ///
    /// Closing with unread data here would discard data that the other end has not read yet.
    package func finish() {
      shutdown(socket, Int32(SHUT_WR))
      while !receive().isEmpty {}
    }

    /// Waits until the other end has sent a text; returns false if it is closed.
    package func awaits(_ text: String) -> Bool {
      var seen: [UInt8] = []
      while !seen.contains(subsequence: text) {
        let more = receive()
        if more.isEmpty { return false }
        seen += more
      }
      return true
    }

    private func receive() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(socket, &bytes, bytes.count, 0)
      return Array(bytes.prefix(max(0, count)))
    }

    /// Lets any program in ("Authentication Protocol"), and answers its `Hello` and the calls that come with it.
    func greet() -> Bool {
      var text: [UInt8] = []
      while !text.contains(subsequence: "BEGIN\r\n") {
        let more = receive()
        if more.isEmpty { return false }
        text += more
        if more.contains(subsequence: "AUTH ") {
          guard send(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8)) else { return false }
        } else if more.contains(subsequence: "NEGOTIATE_UNIX_FD") {
          guard send(Array("ERROR\r\n".utf8)) else { return false }
        }
      }
      // libdbus numbers its messages from 1, and our greeting is the first.
      var hello = WireMessage(.answer)
      hello.answering = 1
      hello.sender = "org.freedesktop.DBus"
      hello.signature = "s"
      var body = WireWriter()
      body.text(":1.1")
      hello.body = body.bytes
      return send(hello.encoded())
    }
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard count >= wanted.count else { return false }
    return indices.dropLast(wanted.count - 1).contains { start in
      self[start..<start + wanted.count].elementsEqual(wanted)
    }
  }
}
