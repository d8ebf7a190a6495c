// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A listening TCP socket.
struct ListeningSocket {
  /// The socket.
  let descriptor: Int32
  /// The port that it is bound to.
  let port: UInt16

  /// How many connections may wait until they are accepted, which takes a millisecond.
  ///
  /// A connection beyond them is tried again by its system after one second, and then after three.
  private static let backlog: Int32 = 1024
  /// The bytes that the system keeps for a reader: a page, and not the megabytes it would keep for one that never reads.
  private static let sendBuffer: Int32 = 32_768

  init(port: UInt16, isPublic: Bool) throws(WebServerError) {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_INET, kind, 0)
    let error = errno
    guard descriptor >= 0 else { throw Self.failure(error, port) }
    // So that the port of a server that has just ended can be used again.
    SocketOption.set(SO_REUSEADDR, SOL_SOCKET, to: 1, on: descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    // 127.0.0.1, or every interface.
    address.sin_addr.s_addr = isPublic ? 0 : UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var code: Int32 = 0
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        if unsafe bind(descriptor, generic, size) != 0 || listen(descriptor, Self.backlog) != 0
          || getsockname(descriptor, generic, &size) != 0
        {
          code = errno
        }
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw Self.failure(code, port)
    }
    self.descriptor = descriptor
    self.port = UInt16(bigEndian: address.sin_port)
  }

  /// The result of accepting a connection.
  enum Accepted {
    /// A connection, and the address of the other end.
    case connection(Int32, from: UInt32)
    /// None waits.
    case none
    /// The system has no room for another one.
    case noRoom
  }

  /// Accepts a connection that waits.
  ///
  /// - Parameter patience: How long the other end may acknowledge nothing of the sent bytes. Without a limit the system
  ///   tries for a quarter of an hour.
  /// - Returns: The connection, or why it failed.
  func accept(patience: Duration) -> Accepted {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connection = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.accept(descriptor, $0, &size)
      }
    }
    guard connection >= 0 else {
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .noRoom
      default: return .none
      }
    }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    // An event is sent immediately, and not with the next one.
    SocketOption.set(TCP_NODELAY, Int32(IPPROTO_TCP), to: 1, on: connection)
    SocketOption.set(SO_SNDBUF, SOL_SOCKET, to: Self.sendBuffer, on: connection)
    let milliseconds = Int32(clamping: Int64((patience / .milliseconds(1)).rounded(.up)))
    SocketOption.set(TCP_USER_TIMEOUT, Int32(IPPROTO_TCP), to: milliseconds, on: connection)
    return .connection(connection, from: UInt32(bigEndian: address.sin_addr.s_addr))
  }

  private static func failure(_ code: Int32, _ port: UInt16) -> WebServerError {
    switch code {
    case EADDRINUSE: .portInUse(port)
    case EACCES: .notPermitted(port)
    default: unsafe .failed(String(cString: strerror(code)))
    }
  }
}

private enum SocketOption {
  /// Sets an option; a refusal costs speed or memory and nothing else.
  static func set(_ option: Int32, _ level: Int32, to value: Int32, on descriptor: Int32) {
    var value = value
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe setsockopt(descriptor, level, option, &value, size)
  }
}
