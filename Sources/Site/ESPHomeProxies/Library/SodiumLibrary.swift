// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CSodium
internal import ESPHomeAPI
internal import SystemKit

/// The C library, loaded when the first encrypted connection is made and kept loaded from then on.
@safe
package struct SodiumLibrary: NoisePrimitives, @unchecked Sendable {
  /// This machine does not have the library.
  package struct Missing: Error, CustomStringConvertible {
    package var description: String { "libsodium.so.23 is missing (Debian: libsodium23)" }
  }

  private static let hashLength = 32

  // Addresses of functions, which never change.
  private let functions: csodium_functions

  private static let loaded: SodiumLibrary? = {
    var functions = csodium_functions()
    guard unsafe csodium_load(&functions) else { return nil }
    return SodiumLibrary(functions: functions)
  }()

  /// Returns the library.
  package static func load() throws(Missing) -> SodiumLibrary {
    guard let loaded else { throw Missing() }
    return loaded
  }

  /// Returns random bytes: a new private key.
  package func newPrivateKey() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: APIKey.length)
    unsafe functions.randombytes_buf_(&bytes, bytes.count)
    return bytes
  }

  /// Returns a number that is always the same for a name on a machine, and tells no program the machine's identifier.
  ///
  /// `machine-id(5)` forbids to show the identifier, or what anyone who knows the name could compute from it and try out: it
  /// is the key of a hash. Without the library the number depends on the name only.
  package static func number(of name: String, onMachine identifier: [UInt8]) -> UInt64 {
    let key = Array(identifier.prefix(hashLength))
    guard let loaded, key.count == hashLength, key.allSatisfy({ $0 > 0x20 }) else {
      return Checksum.of(name.utf8)
    }
    let hash = loaded.authentication(of: Array(purpose.utf8) + Array(name.utf8), key: key)
    return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Tells this use of the identifier from every other one.
  private static let purpose = "io.github.swift_beacons proxy address "

  package func publicKey(of privateKey: [UInt8]) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: APIKey.length)
    guard privateKey.count == APIKey.length else { return key }
    _ = unsafe functions.crypto_scalarmult_base_(&key, privateKey)
    return key
  }

  package func secret(_ privateKey: [UInt8], _ publicKey: [UInt8]) -> [UInt8]? {
    guard privateKey.count == APIKey.length, publicKey.count == APIKey.length else { return nil }
    var secret = [UInt8](repeating: 0, count: APIKey.length)
    return unsafe functions.crypto_scalarmult_(&secret, privateKey, publicKey) == 0 ? secret : nil
  }

  package func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.hashLength)
    _ = unsafe functions.crypto_hash_sha256_(&hash, bytes, UInt64(bytes.count))
    return hash
  }

  package func authentication(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Self.hashLength)
    guard key.count == Self.hashLength else { return code }
    _ = unsafe functions.crypto_auth_hmacsha256_(&code, bytes, UInt64(bytes.count), key)
    return code
  }

  package func seal(
    _ bytes: ArraySlice<UInt8>,
    key: [UInt8],
    nonce: UInt64,
    with context: [UInt8]
  ) -> [UInt8] {
    guard key.count == APIKey.length else { return [] }
    var sealed = [UInt8](repeating: 0, count: bytes.count + 16)
    var count: UInt64 = 0
    _ = unsafe functions.crypto_aead_chacha20poly1305_ietf_encrypt_(
      &sealed,
      &count,
      Array(bytes),
      UInt64(bytes.count),
      context,
      UInt64(context.count),
      nil,
      Self.bytes(of: nonce),
      key
    )
    return sealed
  }

  package func open(
    _ bytes: ArraySlice<UInt8>,
    key: [UInt8],
    nonce: UInt64,
    with context: [UInt8]
  ) -> [UInt8]? {
    guard key.count == APIKey.length, bytes.count >= 16 else { return nil }
    var opened = [UInt8](repeating: 0, count: bytes.count - 16)
    var count: UInt64 = 0
    let code = unsafe functions.crypto_aead_chacha20poly1305_ietf_decrypt_(
      &opened,
      &count,
      nil,
      Array(bytes),
      UInt64(bytes.count),
      context,
      UInt64(context.count),
      Self.bytes(of: nonce),
      key
    )
    return code == 0 ? opened : nil
  }

  /// Noise's form of a number: four zeros, then the number, its lowest byte first.
  private static func bytes(of nonce: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: nonce >> (8 * $0)) }
  }
}
