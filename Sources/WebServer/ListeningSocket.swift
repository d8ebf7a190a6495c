// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD
internal import Glibc

/// A listening TCP socket, bound here rather than by the library so that a port in use has its own error.
struct ListeningSocket {
  /// The socket, which the library will own.
  let descriptor: Int32
  /// The port that it is bound to.
  let port: UInt16

  init(port: UInt16, isPublic: Bool) throws(WebServerError) {
    let descriptor = Glibc.socket(
      AF_INET,
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
      0
    )
    let error = errno
    guard descriptor >= 0 else { throw Self.failure(error, port) }
    var yes: Int32 = 1
    // So that the port of a server that has just ended can be used again.
    unsafe setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_REUSEADDR,
      &yes,
      socklen_t(MemoryLayout<Int32>.size)
    )
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    // 127.0.0.1, or every interface.
    address.sin_addr.s_addr = isPublic ? 0 : UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var code: Int32 = 0
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        if unsafe bind(descriptor, generic, size) != 0 || listen(descriptor, 32) != 0
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

  private static func failure(_ code: Int32, _ port: UInt16) -> WebServerError {
    switch code {
    case EADDRINUSE: .portInUse(port)
    case EACCES: .notPermitted(port)
    default: unsafe .failed(String(cString: strerror(code)))
    }
  }
}
