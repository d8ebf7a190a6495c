// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The cryptographic functions of `25519_ChaChaPoly_SHA256`, which a library has.
package protocol NoisePrimitives: Sendable {
  /// Returns the public key of a private one.
  func publicKey(of privateKey: [UInt8]) -> [UInt8]
  /// Returns the secret of two keys (X25519); `nil` if the public key is one without a secret.
  func secret(_ privateKey: [UInt8], _ publicKey: [UInt8]) -> [UInt8]?
  /// Returns the SHA-256 of some bytes.
  func hash(_ bytes: [UInt8]) -> [UInt8]
  /// Returns the HMAC-SHA-256 of some bytes with a key of 32 bytes.
  func authentication(of bytes: [UInt8], key: [UInt8]) -> [UInt8]
  /// Encrypts (ChaCha20-Poly1305): 16 bytes are added.
  func seal(_ bytes: ArraySlice<UInt8>, key: [UInt8], nonce: UInt64, with context: [UInt8])
    -> [UInt8]
  /// Decrypts; `nil` if the bytes were not encrypted with this key, number and context.
  func open(_ bytes: ArraySlice<UInt8>, key: [UInt8], nonce: UInt64, with context: [UInt8])
    -> [UInt8]?
}

/// One direction of an encrypted connection.
struct NoiseCipher: Sendable {
  /// How much longer encrypted bytes are.
  static let tag = 16

  private let key: [UInt8]
  private var nonce: UInt64 = 0

  init(key: [UInt8]) { self.key = key }

  mutating func seal(
    _ bytes: ArraySlice<UInt8>,
    with context: [UInt8] = [],
    _ primitives: any NoisePrimitives
  ) -> [UInt8] {
    defer { nonce &+= 1 }
    return primitives.seal(bytes, key: key, nonce: nonce, with: context)
  }

  mutating func open(
    _ bytes: ArraySlice<UInt8>,
    with context: [UInt8] = [],
    _ primitives: any NoisePrimitives
  ) -> [UInt8]? {
    guard bytes.count >= Self.tag,
      let opened = primitives.open(bytes, key: key, nonce: nonce, with: context)
    else { return nil }
    nonce &+= 1
    return opened
  }
}
