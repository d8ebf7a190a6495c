// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A host and a port as users write them: `HOST[:PORT]`, whose host can be `[ADDRESS]` of IPv6.
package struct NetworkPlace: Sendable, Equatable {
  /// The faults of the text.
  package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
    case noHost
    case wrongPort(String)

    package var description: String {
      switch self {
      case .noHost: "the address has no host"
      case .wrongPort(let text): "'\(text)' is not a port from 1 to 65535"
      }
    }
  }

  /// The host's name or address.
  package let host: String
  /// The port; `nil` for a text without a port.
  package let port: UInt16?

  /// Reads a place.
  package init(parsing place: Substring) throws(Fault) {
    var host = place
    var portText: Substring?
    if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
      // An address of IPv6 has colons itself.
      host = place[place.index(after: place.startIndex)..<end]
      let tail = place[place.index(after: end)...]
      portText = tail.isEmpty ? nil : tail.dropFirst(tail.hasPrefix(":") ? 1 : 0)
    } else if let colon = place.lastIndex(of: ":") {
      host = place[..<colon]
      portText = place[place.index(after: colon)...]
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x2F }) else {
      throw .noHost
    }
    self.host = String(host)
    guard let portText else {
      port = nil
      return
    }
    guard let port = UInt16(portText), port > 0, !portText.hasPrefix("+") else {
      throw .wrongPort(String(portText))
    }
    self.port = port
  }
}
