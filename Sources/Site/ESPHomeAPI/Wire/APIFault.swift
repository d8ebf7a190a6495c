// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// Why a connection of the native API cannot be used.
package enum APIFault: Error, Sendable, Equatable {
  /// The other end wants encryption, and no key is known.
  case encryptionRequired
  /// The other end sends without encryption although a key is known.
  case plaintext
  /// The two ends have different keys.
  case wrongKey
  /// The handshake failed for another reason: the other end's words, made printable.
  case handshake(String)
  /// Bytes that are not of this protocol.
  case malformed
  /// A frame that is longer than this end receives.
  case tooLong
  /// A message that does not decrypt: changed on its way, lost or repeated.
  case notAuthentic
  /// Not a Bluetooth proxy, or a device that only sends advertisements in the form that ended in 2025.
  case noProxy
  /// The device wants a password, which this form of the API no longer has.
  case wantsPassword
  /// The other end answers nothing.
  case silent
  /// The other end ended the connection.
  case ended

  /// Whether trying again without a change of the configuration is of no use.
  package var isPermanent: Bool {
    switch self {
    case .encryptionRequired, .plaintext, .wrongKey, .noProxy, .wantsPassword: true
    default: false
    }
  }

  /// Returns text of another program for a sentence, up to a length: invisible characters are written out.
  static func printable(_ bytes: some Sequence<UInt8>, atMost limit: Int = 64) -> String {
    // A scalar has four bytes at most: the cut is after the limit.
    String(decoding: Array(bytes.prefix(4 * limit)), as: UTF8.self).printable(upTo: limit)
  }
}
