// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import Glibc

/// A program that calls others on a bus and reads no answer.
package final class DeafProgram: Sendable {
  private let socket: Int32

  /// Connects to a bus; the last thing that it reads is that the bus accepts it.
  package init(_ bus: PrivateBus) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let path = Array(bus.address.utf8.dropFirst("unix:path=".utf8.count))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      for (index, byte) in path.enumerated() { unsafe place[index] = byte }
    }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
    let account = "\(getuid())".utf8.map { String($0, radix: 16) }.joined()
    try write([0] + Array("AUTH EXTERNAL \(account)\r\n".utf8))
    try readLine()
    try write(Array("BEGIN\r\n".utf8))
    var hello = WireMessage(.call)
    (hello.path, hello.interface) = ("/org/freedesktop/DBus", "org.freedesktop.DBus")
    (hello.member, hello.destination) = ("Hello", "org.freedesktop.DBus")
    try write(hello.encoded())
  }

  deinit { _ = close(socket) }

  /// Calls a method this often, and reads nothing.
  package func call(_ message: WireMessage, times: Int) throws {
    var message = message
    for serial in 0..<times {
      message.serial = UInt32(serial + 2)
      try write(message.encoded())
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw POSIXError(.EPIPE) }
      rest = rest.dropFirst(count)
    }
  }

  private func readLine() throws {
    var byte: UInt8 = 0
    while byte != UInt8(ascii: "\n") {
      guard unsafe read(socket, &byte, 1) == 1 else { throw POSIXError(.EPIPE) }
    }
  }
}
