// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import BeaconCommands
internal import Synchronization
internal import WebServer

/// Takes the names that a page gives to beacons, if the page sends the code that the command has printed.
///
/// The server's thread receives a form, and the run's thread writes the name.
final class NamingForm: Sendable {
  /// A name that a beacon gets, or loses.
  struct Wish: Equatable {
    let identity: BeaconIdentity
    /// The name; `nil` to remove it.
    let name: String?
  }

  private struct State {
    var check: PageCode
    var wishes: [Wish] = []
  }

  /// The path to which the page sends a name.
  static let path = "/name"
  /// The most names that wait to be written.
  private static let mostWaiting = 16

  /// The code that the command prints.
  let code: String
  /// The token of the page.
  let token: String
  private let clock: any PlaybackClock
  private let state: Mutex<State>

  init(_ check: PageCode, _ clock: any PlaybackClock) {
    (code, token) = (check.code, check.token)
    self.clock = clock
    state = Mutex(State(check: check))
  }

  /// Returns the names that were sent since the last call.
  func drain() -> [Wish] {
    state.withLock { state in
      defer { state.wishes = [] }
      return state.wishes
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
      switch state.check.check(request.content, from: request.peer, at: clock.elapsed) {
      case .accepted: break
      case .malformed: return .refused(.malformed, "The page sends another form.")
      case .wrongToken: return .refused(.forbidden, "Load the page again.")
      case .wrongCode: return .refused(.invalid, "This is not the code.")
      case .tooMany:
        return .refused(
          .tooMany,
          "This is not the code, and \(PageCode.attempts) before were wrong too. The command prints the right one."
        )
      }
      guard let wish = Self.wish(request.content) else {
        return .refused(.malformed, "The page sends another form.")
      }
      if let name = wish.name, let fault = NameBook.fault(of: name) {
        return .refused(.malformed, "No name was kept: \(fault).")
      }
      guard state.wishes.count < Self.mostWaiting else {
        return .refused(.conflict, "Too many names wait; try again.")
      }
      state.wishes.append(wish)
      return .content(Array("{}".utf8), type: "application/json")
    }
  }

  private static func wish(_ content: [UInt8]) -> Wish? {
    guard let form = try? JSON5.parse(content), case .string(let beacon) = form["beacon"]?.content,
      case .minor(let identity)? = try? IdentityConstraint(parsing: beacon)
    else { return nil }
    if case .bool(true)? = form["remove"]?.content { return Wish(identity: identity, name: nil) }
    guard case .string(let name) = form["name"]?.content else { return nil }
    return Wish(identity: identity, name: name)
  }
}
