// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The address of a broker: `mqtt[s]://HOST[:PORT][/SITE]`.
package struct BrokerAddress: Sendable, Equatable, CustomStringConvertible {
  /// The faults of the text of an address.
  package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
    case noScheme
    case hasAccount
    case noHost
    case wrongPort(String)
    case wrongSite(String)

    package var description: String {
      switch self {
      case .noScheme: "an address of a broker starts with mqtt:// or mqtts://"
      case .hasAccount:
        "an address of a broker has no account in it; 'brokers' of the configuration names it"
      case .noHost: "the address of the broker has no host"
      case .wrongPort(let text): "'\(text)' is not a port from 1 to 65535"
      case .wrongSite(let text):
        "'\(text)' is not the name of a site; write up to 64 letters, digits, '-', '_' and '.'"
      }
    }
  }

  /// The host's name or address.
  package let host: String
  /// The port.
  package let port: UInt16
  /// Whether the connection is encrypted.
  package let isEncrypted: Bool
  /// The site; `nil` if the text names none.
  package let site: TopicName?

  /// Whether a text is meant as an address of a broker.
  package static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("mqtt://") || text.hasPrefix("mqtts://")
  }

  /// Reads an address.
  package init(parsing text: String) throws(Fault) {
    guard Self.isAddress(text) else { throw .noScheme }
    isEncrypted = text.hasPrefix("mqtts")
    let rest = text.dropFirst(isEncrypted ? 8 : 7)
    let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0]
    guard !place.contains("@") else { throw .hasAccount }
    let named: NetworkPlace
    do throws(NetworkPlace.Fault) {
      named = try NetworkPlace(parsing: place)
    } catch {
      switch error {
      case .noHost: throw .noHost
      case .wrongPort(let text): throw .wrongPort(text)
      }
    }
    host = named.host
    port = named.port ?? (isEncrypted ? 8883 : 1883)
    guard parts.count > 1, !parts[1].isEmpty else {
      site = nil
      return
    }
    guard let site = TopicName(parts[1]) else { throw .wrongSite(String(parts[1])) }
    self.site = site
  }

  package var description: String {
    let shown = host.contains(":") ? "[\(host)]" : host
    return "\(isEncrypted ? "mqtts" : "mqtt")://\(shown):\(port)"
  }
}
