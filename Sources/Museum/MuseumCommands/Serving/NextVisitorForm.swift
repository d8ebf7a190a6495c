// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import WebServer

/// Checks the form with which the operator's page gives a lent device to the next visitor.
///
/// It needs the token that only the page has, and the code that the command printed, so that whoever can open the page
/// cannot take the guide from its visitor.
struct NextVisitorCheck: Sendable {
  /// What becomes of a form.
  enum Verdict: Equatable {
    /// The next visitor has the device.
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

  /// The number of wrong codes after which none is compared for a while.
  static let attempts = 5
  /// How long no code is compared then: with five codes a minute, a million take months.
  static let pause = TimeSpan.seconds(60)
  /// The most bytes of a form; the page sends some 60.
  static let largest = 512

  /// The code that the command prints: six digits.
  let code: String
  /// The page's token: it shows that a script of this server's page has sent the form.
  let token: String
  private var wrong = 0
  private var closedUntil: TimeSpan?

  init(using random: inout some RandomNumberGenerator) {
    code = String(String(UInt32.random(in: 1_000_000..<2_000_000, using: &random)).dropFirst())
    token = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
  }

  /// Checks a form that arrives at a time, which counts from any fixed point.
  mutating func check(_ content: [UInt8], at now: TimeSpan) -> Verdict {
    guard let form = Self.texts(content) else { return .malformed }
    guard form.token == token else { return .wrongToken }
    if let until = closedUntil {
      guard now >= until else { return .tooMany }
      (closedUntil, wrong) = (nil, 0)
    }
    guard form.code == code else {
      wrong += 1
      if wrong >= Self.attempts { closedUntil = now + Self.pause }
      return .wrongCode
    }
    wrong = 0
    return .accepted
  }

  private static func texts(_ content: [UInt8]) -> (token: String, code: String)? {
    guard content.count <= largest, let form = try? JSON5.parse(content),
      case .string(let token) = form["token"]?.content,
      case .string(let code) = form["code"]?.content
    else { return nil }
    return (token, code)
  }
}

/// The form between the server's thread, which receives it, and the run's, which performs it.
final class NextVisitorForm: Sendable {
  private struct State {
    var check: NextVisitorCheck
    var now = TimeSpan.zero
    var isOpen = false
    var isAccepted = false
  }

  /// The code that the command prints.
  let code: String
  private let token: String
  private let state: Mutex<State>

  init(_ check: NextVisitorCheck) {
    (code, token) = (check.code, check.token)
    state = Mutex(State(check: check))
  }

  /// The token for the page; `nil` while there can be no next visitor.
  var offered: String? { state.withLock { $0.isOpen ? token : nil } }

  /// Notes the time, and whether there can be a next visitor now; the run calls it when it waits.
  func pass(to now: TimeSpan, isOpen: Bool) {
    state.withLock { ($0.now, $0.isOpen) = (now, isOpen) }
  }

  /// Returns whether a form was accepted since the last call.
  func drain() -> Bool {
    state.withLock { state in
      defer { state.isAccepted = false }
      return state.isAccepted
    }
  }

  /// Answers the form, on the server's thread.
  func answer(_ request: WebRequest) -> WebResponse {
    guard request.method == .post else { return .notFound }
    // A page of another origin cannot send this type without asking this server first, which never agrees.
    guard request.contentType == "application/json" else {
      return .refused(.wrongType, "send application/json")
    }
    return state.withLock { state in
      guard state.isOpen else { return .refused(.conflict, "there is no next visitor now") }
      switch state.check.check(request.content, at: state.now) {
      case .accepted:
        state.isAccepted = true
        return .content(Array("{}".utf8), type: "application/json")
      case .malformed: return .refused(.malformed, "this is not what the page sends")
      case .wrongToken: return .refused(.forbidden, "open the page again")
      case .wrongCode: return .refused(.invalid, "this is not the code")
      case .tooMany: return .refused(.tooMany, "too many wrong codes; try again in a minute")
      }
    }
  }
}
