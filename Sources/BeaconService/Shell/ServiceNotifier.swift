// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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

  /// Sends lines such as `READY=1`; returns whether systemd took them.
  @discardableResult
  package func send(_ lines: String...) -> Bool {
    guard let path, path.utf8.count < 108 else { return false }
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    defer { _ = close(number) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // `@` stands for the zero byte of an abstract name.
    let name = path.utf8.enumerated().map { $0.offset == 0 && $0.element == 0x40 ? 0 : $0.element }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      for (index, byte) in name.enumerated() { unsafe place[index] = byte }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let text = Array(lines.joined(separator: "\n").utf8)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(
          number,
          text,
          text.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
          address,
          length
        )
      }
    }
    return sent == text.count
  }
}
