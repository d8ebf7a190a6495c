// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconGateway
internal import Glibc

/// An unencrypted connection to a broker, whose bytes are checked before the library reads them.
///
/// The library keeps its descriptor, which becomes one end of a pair of sockets; bytes go from the connection to the other end
/// and back. No call waits.
final class CheckedSocket {
  /// How much is read at a time.
  private static let chunk = 65_536

  /// The connection.
  let descriptor: Int32
  /// The end of the pair that the library does not have.
  private let end: Int32
  private let library: Int32
  private var check: PacketCheck
  private var space = [UInt8](repeating: 0, count: chunk)
  /// The bytes that wait for the broker.
  private var unsent: [UInt8] = []
  /// The bytes that wait for the library.
  private var unread: [UInt8] = []
  /// Whether the broker sends nothing more.
  private var isAtEnd = false
  /// The system's error that ended the connection; 0 for none.
  private(set) var error: Int32 = 0

  /// Takes over the library's connection; `nil` if the system has no descriptor left.
  init?(_ library: Int32, _ check: PacketCheck) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard
      unsafe socketpair(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0
    else { return nil }
    descriptor = fcntl(library, F_DUPFD_CLOEXEC, 0)
    end = ends[1]
    self.library = library
    self.check = check
    let isTaken = descriptor >= 0 && dup2(ends[0], library) >= 0
    _ = close(ends[0])
    guard !isTaken else {
      _ = fcntl(library, F_SETFD, FD_CLOEXEC)
      return
    }
    if descriptor >= 0 { _ = close(descriptor) }
    _ = close(end)
    return nil
  }

  deinit {
    _ = close(descriptor)
    _ = close(end)
  }

  /// Whether bytes wait for the broker.
  var wantsToWrite: Bool { !unsent.isEmpty }

  /// Whether bytes wait for the library.
  var hasUnread: Bool {
    guard unread.isEmpty else { return true }
    var count: Int32 = 0
    return unsafe ioctl(library, UInt(FIONREAD), &count) == 0 && count > 0
  }

  /// Whether the broker sent valid packets only.
  var isValid: Bool { check.isValid }

  /// Reads the bytes that have arrived, up to a limit.
  ///
  /// - Returns: The topics of messages that are too long.
  func receive() -> [String] {
    let count = unsafe Glibc.recv(descriptor, &space, space.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      let passed = check.add(space[..<count])
      unread += passed.bytes
      return passed.tooLong
    }
    if count < 0 {
      if errno == EAGAIN || errno == EINTR { return [] }
      // A broker that was killed ends a connection so as well.
      if errno != ECONNRESET { error = errno }
    }
    unread += check.end()
    isAtEnd = true
    return []
  }

  /// Gives the library as much as it can take now.
  func handOver() {
    if !unread.isEmpty {
      let count = unsafe Glibc.send(end, unread, unread.count, Int32(MSG_NOSIGNAL))
      if count > 0 { unread.removeFirst(count) }
    }
    if isAtEnd, unread.isEmpty { _ = shutdown(end, Int32(SHUT_WR)) }
  }

  /// Sends the broker the library's bytes, as many as it can take now.
  func forward() {
    while true {
      if unsent.isEmpty {
        let count = unsafe Glibc.recv(end, &space, space.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return }
        unsent = Array(space[..<count])
      }
      let count = unsafe Glibc.send(
        descriptor,
        unsent,
        unsent.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
      )
      guard count > 0 else { return }
      unsent.removeFirst(count)
    }
  }
}
