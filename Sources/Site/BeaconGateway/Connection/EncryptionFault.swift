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
  /// The other end speaks no TLS.
  case noTLS
  /// The broker wants a certificate of this client, or another one.
  case wantsCertificate
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
    // The first is for an issuer that is missing, the others are for certificates that sign themselves and for a chain
    // that ends too early.
    case 2, 18, 19, 20, 21, 27: self = .unknownAuthority
    case 62, 64: self = .otherName
    default: self = .other(words)
    }
  }

  /// Reads the last error of OpenSSL, without its numbers.
  package init(words: String) {
    switch words {
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
