// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import DBus
internal import Glibc

/// Tells systemd how the service is (`sd_notify(3)`); does nothing outside of a unit.
package struct ServiceNotifier: Sendable {
  private let path: String?
  /// How often the watchdog must be fed, in seconds; `nil` without one.
  package let watchdogInterval: Double?

  /// Creates a notifier from the variables that systemd sets.
  package init(environment: [String: String]) {
    path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let time = isOurs ? environment["WATCHDOG_USEC"].flatMap { Double($0) } : nil
    watchdogInterval = time.flatMap { $0 > 0 ? $0 / 1_000_000 : nil }
  }

  /// Reports that the configuration is read again; `READY=1` ends it.
  package func reloading() {
    let now = Uptime.monotonicMicroseconds
    send("RELOADING=1", "MONOTONIC_USEC=\(now)", "STATUS=reading the configuration again")
  }

  /// Sends lines such as `READY=1`; returns whether systemd took them.
  @discardableResult
  package func send(_ lines: String...) -> Bool {
    guard let path else { return false }
    return UnixDatagram.send(Array(lines.joined(separator: "\n").utf8), to: path)
  }
}

/// Sends datagrams to sockets of this machine; never waits.
enum UnixDatagram {
  /// Sends bytes to a socket by its path, where `@` stands for the zero byte of an abstract name.
  ///
  /// - Returns: Whether the other side took them.
  static func send(_ bytes: [UInt8], to path: String) -> Bool {
    guard path.utf8.count < 108 else { return false }
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    defer { _ = close(number) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = path.utf8.enumerated().map { $0.offset == 0 && $0.element == 0x40 ? 0 : $0.element }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      for (index, byte) in name.enumerated() { unsafe place[index] = byte }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(
          number,
          bytes,
          bytes.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
          address,
          length
        )
      }
    }
    return sent == bytes.count
  }
}
