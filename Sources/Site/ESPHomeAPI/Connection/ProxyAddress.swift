// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconGateway

/// The address of a Bluetooth proxy: `esphome://HOST[:PORT]`.
package struct ProxyAddress: Sendable, Hashable {
  private static let scheme = "esphome://"
  /// The port of ESPHome's native API.
  package static let usualPort: UInt16 = 6053

  package let host: String
  package let port: UInt16

  /// Whether a text is meant as an address of a proxy.
  package static func isAddress(_ text: String) -> Bool { text.hasPrefix(scheme) }

  /// Reads an address; a missing port is the usual one.
  ///
  /// - Throws: `NetworkPlace.Fault`.
  package init(parsing text: String) throws(NetworkPlace.Fault) {
    let rest = text.dropFirst(Self.isAddress(text) ? Self.scheme.count : 0)
    let place = try NetworkPlace(parsing: rest.hasSuffix("/") ? rest.dropLast() : rest)
    (host, port) = (place.host, place.port ?? Self.usualPort)
  }

  /// The proxy's name as a receiver: the host, with its port if that is another than the usual one.
  package var name: String {
    let shown = host.contains(":") ? "[\(host)]" : host
    return port == Self.usualPort ? shown : "\(shown):\(port)"
  }
}
