// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Glibc

/// A connection to a server on this machine that sends and receives plain bytes, as a browser or an attacker would.
final class WebClient {
  private let descriptor: Int32
  private(set) var received: [UInt8] = []

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: The server's port.
  ///   - host: The last number of the address 127.0.0.x from which this client comes; `nil` for any.
  ///   - interface: The only interface that it uses; `nil` for any.
  init?(port: UInt16, from host: UInt8? = nil, on interface: String? = nil) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Whoever waits for longer waits for nothing.
    var patience = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &patience,
      socklen_t(MemoryLayout<timeval>.size)
    )
    if let interface {
      setsockopt(
        descriptor,
        SOL_SOCKET,
        SO_BINDTODEVICE,
        interface,
        socklen_t(interface.utf8.count)
      )
    }
    if let host {
      var own = sockaddr_in()
      own.sin_family = sa_family_t(AF_INET)
      own.sin_addr.s_addr = (UInt32(0x7F00_0000) + UInt32(host)).bigEndian
      _ = withUnsafePointer(to: &own) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { return nil }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Receives until a text was received, or the connection ends; returns whether the text was received.
  @discardableResult
  func receive(until wanted: String) -> Bool {
    let wanted = Array(wanted.utf8)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var searched = 0
    while !received[searched...].contains(wanted) {
      // The searched part is not searched again, so that a long answer takes no longer.
      searched = max(0, received.count - wanted.count)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      received += buffer[..<count]
    }
    return true
  }

  /// Returns whether something can be received, or is within so many milliseconds.
  func hasReceived(within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
  }

  /// Forgets the reports.
  func forget() { received.removeAll(keepingCapacity: true) }

  /// Receives until the end of the connection.
  func receiveAll() { receive(until: "\u{0}never") }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// Asks for a path and returns all of the answer.
  static func get(
    _ path: String,
    port: UInt16,
    from host: UInt8? = nil,
    method: String = "GET",
    fields: String = ""
  ) -> String {
    guard let client = WebClient(port: port, from: host) else { return "" }
    let host = fields.contains("Host:") ? "" : "Host: localhost:\(port)\r\n"
    client.send("\(method) \(path) HTTP/1.1\r\n\(host)Connection: close\r\n\(fields)\r\n")
    client.receiveAll()
    return client.text
  }

  /// Begins to read a topic.
  static func follow(_ path: String, port: UInt16, from host: UInt8? = nil) -> WebClient? {
    let client = WebClient(port: port, from: host)
    client?.send("GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
    return client
  }

  deinit { close(descriptor) }
}
