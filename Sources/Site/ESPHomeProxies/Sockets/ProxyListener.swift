// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// A listening TCP socket.
final class ProxyListener: Sendable {
  /// The result of accepting a connection.
  enum Accepted {
    case connection(ProxySocket, from: String)
    /// None waits.
    case none
    /// The system has no room for another one.
    case noRoom
  }

  /// How many connections may wait until they are accepted, which takes a millisecond.
  private static let backlog: Int32 = 1024
  /// The bytes that the system keeps for a client: seconds, and not the megabytes it would keep for one that never reads.
  private static let sendBuffer: Int32 = 65_536

  let descriptor: Int32
  /// The port that it is bound to.
  let port: UInt16

  /// Listens on an address.
  ///
  /// - Parameters:
  ///   - host: The address, or a name of this machine; `nil` for every address.
  ///   - port: The port; 0 for any free one.
  /// - Throws: `SystemError`.
  init(_ host: String?, _ port: UInt16) throws(SystemError) {
    let name = "a port for \(host ?? "every address"):\(port)"
    // Every address of both kinds, or those of IPv4 if the system has no IPv6.
    var number = EADDRNOTAVAIL
    for place in host.map({ [$0] }) ?? ["::", "0.0.0.0"] {
      switch Self.listen(place, port) {
      case .success(let descriptor):
        self.descriptor = descriptor
        self.port = Self.boundPort(descriptor)
        return
      case .failure(let error): number = error.number
      }
    }
    throw SystemError(number, .open, name)
  }

  deinit { _ = close(descriptor) }

  private struct Failure: Error { let number: Int32 }

  private static func listen(_ host: String, _ port: UInt16) -> Result<Int32, Failure> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0, let info = unsafe list else {
      return .failure(Failure(number: EADDRNOTAVAIL))
    }
    defer { unsafe freeaddrinfo(list) }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(info.pointee.ai_family, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return .failure(Failure(number: errno)) }
    let size = socklen_t(MemoryLayout<Int32>.size)
    var (isOn, isOff): (Int32, Int32) = (1, 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, size)
    _ = unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOff, size)
    guard unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
      Glibc.listen(descriptor, backlog) == 0
    else {
      let number = errno
      _ = close(descriptor)
      return .failure(Failure(number: number))
    }
    return .success(descriptor)
  }

  private static func boundPort(_ descriptor: Int32) -> UInt16 {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(descriptor, $0, &size)
      }
    }
    // The port is at the same place in an address of IPv4.
    return UInt16(bigEndian: address.sin6_port)
  }

  /// Accepts a connection that waits.
  func accept() -> Accepted {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var name = [CChar](repeating: 0, count: 64)
    let connection = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        let connection = unsafe Glibc.accept(descriptor, generic, &size)
        let number = errno
        _ = unsafe getnameinfo(generic, size, &name, 64, nil, 0, NI_NUMERICHOST)
        errno = number
        return connection
      }
    }
    guard connection >= 0 else {
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .noRoom
      default: return .none
      }
    }
    let text = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
    let mapped = "::ffff:"
    let shown = text.hasPrefix(mapped) ? String(text.dropFirst(mapped.count)) : text
    return .connection(ProxySocket(connection, sendBuffer: Self.sendBuffer), from: shown)
  }
}
