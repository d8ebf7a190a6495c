// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc

  /// A listening TCP socket that knows the peers that connect.
  ///
  /// It is polled and never waited for.
  package final class ListeningSocket: Sendable {
    /// The result of accepting a connection.
    package enum Accepted {
      /// A connection, its peer, and the address of that.
      case connection(Int32, of: SocketPeer, address: String)
      /// None waits.
      case none
      /// The system has no room for another one.
      case noRoom
    }

    /// How many connections may wait until they are accepted, which takes a millisecond.
    ///
    /// A connection beyond them is tried again by its system after one second, and then after three.
    private static let backlog: Int32 = 1024

    /// The socket.
    package let descriptor: Int32
    /// The port that it is bound to.
    package let port: UInt16
    /// `nil` if each address counts as a peer, also one of this machine.
    private let owners: ConnectionOwners?

    /// Listens on an address.
    ///
    /// - Parameters:
    ///   - host: The address, or a name of this machine; `nil` for every address.
    ///   - port: The port; 0 for any free one.
    ///   - countsAccounts: Whether a peer on this machine is its account.
    /// - Throws: ``SystemError``.
    package init(_ host: String?, _ port: UInt16, countsAccounts: Bool = true) throws(SystemError) {
      let name = "a port for \(host ?? "every address"):\(port)"
      // Every address of both kinds, or those of IPv4 if the system has no IPv6.
      var number = EADDRNOTAVAIL
      for place in host.map({ [$0] }) ?? ["::", "0.0.0.0"] {
        switch Self.listen(place, port) {
        case .success(let descriptor):
          self.descriptor = descriptor
          self.port = Self.address(descriptor)?.port ?? port
          owners = countsAccounts ? ConnectionOwners() : nil
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
      guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0, let info = unsafe list
      else { return .failure(Failure(number: EADDRNOTAVAIL)) }
      defer { unsafe freeaddrinfo(list) }
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = unsafe socket(
        info.pointee.ai_family,
        kind | Int32(SOCK_NONBLOCK.rawValue),
        0
      )
      guard descriptor >= 0 else { return .failure(Failure(number: errno)) }
      // So that the port of a server that has just ended can be used again.
      set(SO_REUSEADDR, SOL_SOCKET, to: 1, on: descriptor)
      set(IPV6_V6ONLY, Int32(IPPROTO_IPV6), to: 0, on: descriptor)
      guard unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
        Glibc.listen(descriptor, backlog) == 0
      else {
        let number = errno
        _ = close(descriptor)
        return .failure(Failure(number: number))
      }
      return .success(descriptor)
    }

    /// The address of this end of a socket.
    private static func address(_ descriptor: Int32) -> SocketAddress? {
      var storage = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(descriptor, $0, &size)
        }
      }
      return status == 0 ? SocketAddress(storage) : nil
    }

    /// Accepts a connection that waits.
    ///
    /// - Parameters:
    ///   - sendBuffer: The bytes that the system keeps for the other end, and not the megabytes it would keep for one that
    ///     never reads.
    ///   - patience: How long the other end may acknowledge nothing of the sent bytes; `nil` for a quarter of an hour.
    /// - Returns: The connection, or why it failed.
    package func accept(sendBuffer: Int32, patience: Duration? = nil) -> Accepted {
      guard FileDescriptor.hasRoom(leaving: FileDescriptor.leastFree) else { return .noRoom }
      var storage = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let connection = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
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
      // Bytes leave immediately, and not with later ones.
      Self.set(TCP_NODELAY, Int32(IPPROTO_TCP), to: 1, on: connection)
      Self.set(SO_SNDBUF, SOL_SOCKET, to: sendBuffer, on: connection)
      if let patience {
        let milliseconds = Int32(clamping: Int64((patience / .milliseconds(1)).rounded(.up)))
        Self.set(TCP_USER_TIMEOUT, Int32(IPPROTO_TCP), to: milliseconds, on: connection)
      }
      let other = SocketAddress(storage)
      let peer = Self.address(connection).flatMap { owners?.peer(other, of: $0) }
      return .connection(connection, of: peer ?? .address(other.text), address: other.text)
    }

    /// Sets an option; a refusal costs speed or memory and nothing else.
    private static func set(_ option: Int32, _ level: Int32, to value: Int32, on descriptor: Int32)
    {
      var value = value
      _ = unsafe setsockopt(
        descriptor,
        level,
        option,
        &value,
        socklen_t(MemoryLayout<Int32>.size)
      )
    }
  }
#endif
