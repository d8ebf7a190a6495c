// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a connection to a broker could not be encrypted.
package enum EncryptionFault: Sendable, Hashable {
  /// The broker's certificate has expired, by the clock of this machine.
  case expired
  /// The broker's certificate is not valid yet, by the clock of this machine.
  case notYetValid
  /// The broker's certificate is that of another host.
  case otherName
  /// No authority that is trusted here signed the broker's certificate.
  case unknownAuthority
  /// The broker's certificate signed itself, or its chain ends in one that did, without trust here.
  case ownAuthority
  /// The broker's certificate was issued for another purpose than a server.
  case otherPurpose
  /// A certificate of a host, not of an authority, signed the broker's certificate.
  case signedByNoAuthority
  /// A key or a signature of the broker's chain is too weak for this machine.
  case weak
  /// The broker's certificate is revoked.
  case revoked
  /// The broker's certificate is not valid for a further reason, in the words of the library.
  case notValid(String)
  /// The other end speaks only versions of TLS that this machine does not.
  case otherVersion
  /// The other end speaks no TLS.
  case noTLS
  /// The broker wants a certificate of this client, or another one.
  case wantsCertificate
  /// Our certificate has expired or is revoked, as the broker states.
  case ownExpired
  /// Our key and our certificate do not belong together.
  case otherKey
  /// A file of certificates cannot be read.
  case unreadableFile
  /// Another reason, in the words of the library; empty if it is not known.
  case other(String)

  /// Reads the verdict on the broker's certificate, as OpenSSL numbers it; `nil` if that is not the fault.
  ///
  /// - Parameters:
  ///   - verdict: A code of `X509_V_ERR_…`.
  ///   - words: The words of the library.
  package init?(verdict: Int, words: String) {
    switch verdict {
    case 0: return nil
    case 9: self = .notYetValid
    case 10: self = .expired
    // For a certificate that signs itself, alone or at the end of a chain.
    case 18, 19: self = .ownAuthority
    // For an issuer that is missing, and for a chain that ends too early.
    case 2, 20, 21, 27: self = .unknownAuthority
    case 62, 64: self = .otherName
    case 26, 39: self = .otherPurpose
    // 24 before OpenSSL 3.0, 79 since.
    case 24, 25, 32, 37, 79...82: self = .signedByNoAuthority
    case 66...68, 76: self = .weak
    case 23: self = .revoked
    default: self = .notValid(words)
    }
  }

  /// Reads the last error of OpenSSL, without its numbers.
  package init(words: String) {
    switch words {
    case _
    where words.hasSuffix("alert certificate expired")
      || words.hasSuffix("alert certificate revoked"):
      self = .ownExpired
    case "key values mismatch": self = .otherKey
    case "ee key too small", "ca key too small", "ca md too weak", "dh key too small": self = .weak
    case _ where words.hasSuffix("alert protocol version"): self = .otherVersion
    case "unsupported protocol", "no protocols available": self = .otherVersion
    case _ where words.hasSuffix("alert unsupported certificate"): self = .wantsCertificate
    case _ where words.hasSuffix("certificate required") || words.hasSuffix("bad certificate"):
      self = .wantsCertificate
    case _ where words.hasSuffix("alert unknown ca") || words.hasSuffix("certificate unknown"):
      self = .wantsCertificate
    case "wrong version number", "unexpected eof while reading", "http request",
      "packet length too long",
      "unknown protocol":
      self = .noTLS
    default: self = .other(words)
    }
  }
}
