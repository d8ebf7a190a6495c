// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The handshake `Noise_NNpsk0_25519_ChaChaPoly_SHA256`: one message from the client, one back.
///
/// The names of the functions are those of the Noise specification, revision 34.
struct NoiseHandshake: Sendable {
  /// The keys of the two directions.
  typealias Ciphers = (fromClient: NoiseCipher, fromServer: NoiseCipher)

  /// The length of keys, public and private ones and secrets.
  static let keyLength = APIKey.length
  static let messageLength = keyLength + NoiseCipher.tag
  private static let name = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"

  private let primitives: any NoisePrimitives
  private let privateKey: [UInt8]
  private var chainingKey: [UInt8]
  private var hash: [UInt8]
  private var cipher = NoiseCipher(key: [])

  /// - Parameters:
  ///   - key: The secret that both ends know.
  ///   - privateKey: Random bytes, only for this handshake.
  ///   - prologue: The bytes that both ends have sent before.
  ///   - primitives: The cryptographic functions.
  init(
    key: [UInt8],
    privateKey: [UInt8],
    prologue: [UInt8],
    _ primitives: any NoisePrimitives
  ) {
    self.primitives = primitives
    self.privateKey = privateKey
    hash = primitives.hash(Array(Self.name.utf8))
    chainingKey = hash
    mixHash(prologue)
    let (next, mixed, key) = derive(key)
    chainingKey = next
    mixHash(mixed)
    cipher = NoiseCipher(key: key)
  }

  // MARK: Messages

  /// Writes the client's message.
  mutating func writeFirst() -> [UInt8] {
    let publicKey = primitives.publicKey(of: privateKey)
    mixPublicKey(publicKey)
    return publicKey + seal()
  }

  /// Reads the client's message and writes the answer; `nil` if the two ends have different keys.
  mutating func answer(_ message: ArraySlice<UInt8>) -> (message: [UInt8], Ciphers)? {
    guard let other = read(message, beforeTag: { $0.mixPublicKey($1) }) else { return nil }
    let publicKey = primitives.publicKey(of: privateKey)
    mixPublicKey(publicKey)
    guard mixSecret(other) else { return nil }
    let answer = publicKey + seal()
    return (answer, split())
  }

  /// Reads the server's answer; `nil` if the two ends have different keys.
  mutating func finish(_ answer: ArraySlice<UInt8>) -> Ciphers? {
    var hasSecret = false
    let other = read(answer) { handshake, other in
      handshake.mixPublicKey(other)
      hasSecret = handshake.mixSecret(other)
    }
    return other != nil && hasSecret ? split() : nil
  }

  private mutating func read(
    _ message: ArraySlice<UInt8>,
    beforeTag mix: (inout NoiseHandshake, [UInt8]) -> Void
  ) -> [UInt8]? {
    guard message.count == Self.messageLength else { return nil }
    let other = Array(message.prefix(Self.keyLength))
    mix(&self, other)
    let sealed = message.dropFirst(Self.keyLength)
    guard let opened = cipher.open(sealed, with: hash, primitives), opened.isEmpty else {
      return nil
    }
    mixHash(Array(sealed))
    return other
  }

  // MARK: State

  private mutating func mixHash(_ bytes: [UInt8]) { hash = primitives.hash(hash + bytes) }

  private mutating func mixKey(_ bytes: [UInt8]) {
    let (next, key, _) = derive(bytes)
    chainingKey = next
    cipher = NoiseCipher(key: key)
  }

  private mutating func mixPublicKey(_ key: [UInt8]) {
    mixHash(key)
    mixKey(key)
  }

  private mutating func mixSecret(_ other: [UInt8]) -> Bool {
    guard let secret = primitives.secret(privateKey, other) else { return false }
    mixKey(secret)
    return true
  }

  private mutating func seal() -> [UInt8] {
    let sealed = cipher.seal([], with: hash, primitives)
    mixHash(sealed)
    return sealed
  }

  private func split() -> Ciphers {
    let (client, server, _) = derive([])
    return (NoiseCipher(key: client), NoiseCipher(key: server))
  }

  private func derive(_ bytes: [UInt8]) -> ([UInt8], [UInt8], [UInt8]) {
    let key = primitives.authentication(of: bytes, key: chainingKey)
    let first = primitives.authentication(of: [1], key: key)
    let second = primitives.authentication(of: first + [2], key: key)
    return (first, second, primitives.authentication(of: second + [3], key: key))
  }
}
