// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import Synchronization
internal import WebServer

/// The form with which the operator's page gives a lent device to the next visitor: between the server's thread, which
/// receives it, and the run's, which performs it.
final class NextVisitorForm: Sendable {
  private struct State {
    var check: PageCode
    var now = TimeSpan.zero
    var isOpen = false
    var isAccepted = false
  }

  /// The code that the command prints.
  let code: String
  private let token: String
  private let state: Mutex<State>

  init(_ check: PageCode) {
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
      switch state.check.check(request.content, from: request.address, at: state.now) {
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
