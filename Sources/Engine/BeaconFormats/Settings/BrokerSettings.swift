// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How a program logs in to a broker: an entry of `brokers` in a configuration file.
///
/// A password is never in the configuration itself, only the name of its file.
package struct BrokerSettings: Sendable, Equatable, FormedObject {
  /// The account.
  package var user: String?
  /// The file whose first line is the password.
  package var passwordFile: String?
  /// The file of the authorities whose certificates are trusted; `nil` for the system's.
  package var authorities: String?
  /// The file of the certificate that is shown to the broker.
  package var certificate: String?
  /// The file of that certificate's private key.
  package var key: String?

  /// Creates settings without an account.
  package init() {}

  package static var blank: BrokerSettings { BrokerSettings() }

  package mutating func form(_ form: inout Form) {
    form("user", &user)
    form("passwordFile", &passwordFile)
    form("ca", &authorities)
    form("certificate", &certificate)
    form("key", &key)
    if (certificate == nil) != (key == nil) {
      form.addFault("'certificate' and 'key' belong together")
    }
  }
}

/// How a program connects to a Bluetooth proxy: an entry of `proxies` in a configuration file.
package struct ProxySettings: Sendable, Equatable, FormedObject {
  /// The file whose first line is the key, in Base64.
  package var keyFile: String?

  package init() {}

  package static var blank: ProxySettings { ProxySettings() }

  package mutating func form(_ form: inout Form) { form("keyFile", &keyFile) }
}
