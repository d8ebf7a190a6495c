// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import SystemKit

/// The code that a command prints, and that a page must send before it changes anything.
///
/// A form has the token that only the page has, and the code, so that whoever can open the page cannot change what it shows.
package struct PageCode: Sendable {
  /// What becomes of a form.
  package enum Verdict: Equatable {
    /// The code is right.
    case accepted
    /// It is not the page's form.
    case malformed
    /// It does not come from a page of this run.
    case wrongToken
    /// The code is wrong.
    case wrongCode
    /// Too many codes were wrong.
    case tooMany
  }

  /// The number of wrong codes of one peer in a while after which the answer is that they are too many.
  package static let attempts = 5
  /// For how long wrong codes are counted.
  static let pause = TimeSpan.seconds(60)
  /// The most peers whose wrong codes are counted.
  private static let peers = 256
  /// The characters of a code, without those that look like others.
  private static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  /// How many characters a code has.
  ///
  /// With 40 bits, guessing ten thousand a second takes more than a year. So the right code counts, however many wrong ones
  /// came before it.
  private static let length = 8
  /// The most bytes of a form; the page sends some 60.
  package static let largest = 512

  /// The code that the command prints, such as `7KQM-2XVA`.
  package let code: String
  /// The secret of an address that the command prints, of 128 bits; for some forms it counts as the code does.
  package let key: String
  /// The page's token: it shows that a script of this server's page has sent the form.
  package let token: String
  /// The wrong codes of each peer, and until when they count.
  private var wrong: [SocketPeer: (count: Int, until: TimeSpan)] = [:]

  package init(using random: inout some RandomNumberGenerator) {
    let letters = (0..<Self.length).map { _ in
      Self.characters[Int.random(in: 0..<Self.characters.count, using: &random)]
    }
    code = String(letters.prefix(Self.length / 2)) + "-" + String(letters.suffix(Self.length / 2))
    key = String(UInt128.random(in: .min ... .max, using: &random), radix: 36)
    token = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
  }

  /// Checks a form that arrives from a peer at a time, which counts from any fixed point.
  ///
  /// - Parameters:
  ///   - content: The form.
  ///   - peer: The peer.
  ///   - now: The time.
  ///   - acceptsKey: Whether ``key`` counts as the code does.
  /// - Returns: The verdict.
  package mutating func check(
    _ content: [UInt8],
    from peer: SocketPeer,
    at now: TimeSpan,
    acceptsKey: Bool = false
  ) -> Verdict {
    guard let form = Self.texts(content) else { return .malformed }
    guard form.token == token else { return .wrongToken }
    let hasKey = acceptsKey && Self.isSame(Array(form.code.utf8), Array(key.utf8))
    guard hasKey || Self.isSame(Self.plain(form.code), Self.plain(code)) else {
      return count(peer, at: now) > Self.attempts ? .tooMany : .wrongCode
    }
    wrong[peer] = nil
    return .accepted
  }

  /// Counts a wrong code, and returns how many the peer has sent.
  private mutating func count(_ peer: SocketPeer, at now: TimeSpan) -> Int {
    wrong = wrong.filter { $0.value.until > now }
    guard wrong[peer] != nil || wrong.count < Self.peers else { return 1 }
    wrong[peer, default: (0, now + Self.pause)].count += 1
    return wrong[peer]?.count ?? 1
  }

  /// A code as a user may type it, in small letters or with other dashes.
  private static func plain(_ code: String) -> [UInt8] {
    let digits: [Character: Character] = ["O": "0", "I": "1", "L": "1"]
    return code.uppercased().filter { $0.isLetter || $0.isNumber }
      .flatMap { Array(String(digits[$0] ?? $0).utf8) }
  }

  /// Compares all bytes, so that the time does not depend on how many of them are right.
  private static func isSame(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count && zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func texts(_ content: [UInt8]) -> (token: String, code: String)? {
    guard content.count <= largest, let form = try? JSON5.parse(content),
      case .string(let token) = form["token"]?.content,
      case .string(let code) = form["code"]?.content
    else { return nil }
    return (token, code)
  }
}
