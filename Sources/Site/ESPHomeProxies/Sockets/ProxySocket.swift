// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import ESPHomeAPI
internal import Glibc
internal import SystemKit

/// Why a proxy cannot be used.
package enum ProxyFault: Error, Sendable, Equatable {
  case unknownHost
  /// The system's words.
  case unreachable(String)
  case api(APIFault)

  /// Whether trying again without a change of the configuration is of no use.
  package var isPermanent: Bool {
    if case .api(let fault) = self { fault.isPermanent } else { false }
  }
}

/// A connected TCP socket, which is polled and never waited for.
final class ProxySocket {
  /// The result of reading.
  enum Reading {
    case bytes([UInt8])
    /// Nothing is there yet.
    case nothing
    /// The other end has closed the connection.
    case end
  }

  static let usualChunk = 65_536

  let descriptor: Int32
  private var unsent: [UInt8] = []
  private var space: [UInt8]

  /// Takes over a connected socket that nothing waits for.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - sendBuffer: The bytes that the system keeps for the other end; `nil` for as many as it wants to.
  ///   - chunk: How much is read at a time.
  init(_ descriptor: Int32, sendBuffer: Int32? = nil, chunk: Int = usualChunk) {
    self.descriptor = descriptor
    space = [UInt8](repeating: 0, count: chunk)
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
    guard var sendBuffer else { return }
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &sendBuffer, size)
  }

  deinit { _ = close(descriptor) }

  /// How many bytes wait for the other end.
  var waiting: Int { unsent.count }

  /// Reads the bytes that have arrived, up to a limit.
  func read() -> Reading {
    let count = unsafe Glibc.read(descriptor, &space, space.count)
    if count > 0 { return .bytes(Array(space[..<count])) }
    if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
    return .end
  }

  /// Sends bytes, now or when the other end can receive them; returns false if it has closed the connection.
  func send(_ bytes: [UInt8]) -> Bool {
    unsent += bytes
    guard !unsent.isEmpty else { return true }
    let count = unsafe Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_NOSIGNAL))
    if count > 0 { unsent.removeFirst(count) }
    return count >= 0 || errno == EAGAIN || errno == EINTR
  }

  /// What to poll for; from an end for which too much waits nothing is read.
  func polled(reads: Bool = true) -> pollfd {
    let events = (reads ? Int16(POLLIN) : 0) | (unsent.isEmpty ? 0 : Int16(POLLOUT))
    return pollfd(fd: descriptor, events: events, revents: 0)
  }

  // MARK: Connecting

  /// How long one address of a host may take to answer, in milliseconds.
  private static let patience: Int32 = 5000

  /// Connects to a host; the calling thread waits.
  static func connect(to host: String, _ port: UInt16) -> Result<Int32, ProxyFault> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else {
      return .failure(.unknownHost)
    }
    defer { unsafe freeaddrinfo(list) }
    var error = EHOSTUNREACH
    var next = unsafe list
    while let info = unsafe next {
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = unsafe socket(
        info.pointee.ai_family,
        kind | Int32(SOCK_NONBLOCK.rawValue),
        0
      )
      if descriptor >= 0 {
        let code = unsafe Glibc.connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen)
        error = code == 0 ? 0 : errno == EINPROGRESS ? waitForConnection(descriptor) : errno
        if error == 0 { return .success(descriptor) }
        _ = close(descriptor)
      }
      unsafe next = info.pointee.ai_next
    }
    return .failure(.unreachable(unsafe String(cString: strerror(error))))
  }

  private static func waitForConnection(_ descriptor: Int32) -> Int32 {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&polled, 1, patience) > 0 else { return ETIMEDOUT }
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
    return error
  }
}
