// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

/// The service's knowledge about a program's origin.
package enum CallerOrigin: Sendable, Equatable {
  /// A system unit, which root defined, and the unit's own account: only root can run a program so.
  case unit(String)
  /// A program of an account, of which nothing more is certain.
  case account(String)

  /// The longest label in bytes.
  package static let longestLabel = 64

  /// Returns the name under which a client's grants are kept.
  ///
  /// - Parameter label: The name that a program of an account gives itself. It sorts the account's programs and proves nothing,
  ///   so that a unit's is ignored.
  /// - Returns: The key; `nil` if the label is empty, over-long or has other bytes than letters, digits, `.`, `-`, `_`.
  package func key(label: String) -> String? {
    switch self {
    case .unit(let name): return "unit:\(name)"
    case .account(let name):
      guard Self.isLabel(label) else { return nil }
      return "user:\(name)/\(label)"
    }
  }

  /// Whether a text is a key that a client can have: `unit:NAME.service` or `user:ACCOUNT/LABEL`.
  package static func isKey(_ text: String) -> Bool {
    if text.hasPrefix("unit:") { return isUnit(text.dropFirst(5)) }
    guard text.hasPrefix("user:"), let slash = text.firstIndex(of: "/") else { return false }
    let account = text[..<slash].dropFirst(5)
    return !account.isEmpty && account.utf8.allSatisfy { $0 > 0x20 }
      && isLabel(String(text[slash...].dropFirst()))
  }

  private static func isUnit(_ name: Substring) -> Bool {
    name.hasSuffix(".service") && (9...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
  }

  /// Whether the service knows which program it is.
  package var isVerified: Bool { if case .unit = self { true } else { false } }

  private static func isLabel(_ text: String) -> Bool {
    (1...longestLabel).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  /// The object of a unit on the bus of its manager, which writes other bytes than letters and digits as `_` and their
  /// code.
  package static func path(ofUnit name: String) -> String {
    let text = name.utf8.enumerated().map { index, byte in
      switch byte {
      case 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(byte))
      case 0x30...0x39 where index > 0: String(UnicodeScalar(byte))
      default: "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return "/org/freedesktop/systemd1/unit/" + text.joined()
  }

  /// Returns the system unit in a `/proc/PID/cgroup`.
  ///
  /// systemd places each service in a group of its name. Below `user.slice` the groups are made by the account's own
  /// manager, which names them as the account likes; a scope is made by whoever asked for it.
  ///
  /// - Returns: The name, such as `guide.service`; `nil` for a program of an account.
  package static func unit(inCgroup text: String) -> String? {
    let lines = text.split(separator: "\n")
    // The unified hierarchy, else systemd's own.
    guard
      let line = lines.first(where: { $0.hasPrefix("0::/") })
        ?? lines.first(where: { $0.includes(":name=systemd:/") }),
      let start = line.firstIndex(of: "/")
    else { return nil }
    let parts = line[start...].split(separator: "/")
    guard let first = parts.first, first.hasSuffix(".slice"), first != "user.slice" else {
      return nil
    }
    // Groups below the service's are its own matter.
    guard let name = parts.first(where: { !$0.hasSuffix(".slice") }), isUnit(name) else {
      return nil
    }
    return String(name)
  }
}
