// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Synchronization
internal import WebServer

/// The changes that pages may make: the operator's page gives a lent device to the next visitor, and the visitor's page answers
/// questions and changes settings.
///
/// It is between the server's thread, which receives the forms, and the run's, which performs their actions.
final class GuideForms: Sendable {
  private struct State {
    var check: PageCode
    var now = TimeSpan.zero
    var isOpen = false
    /// Whether the run ends, so that no action is accepted.
    var isEnding = false
    var choices: [VisitorChoice] = []
    var accepted: [UserAction] = []
  }

  /// The most actions that wait for the run: what hands can press before it wakes.
  private static let mostAccepted = 8

  /// The code that the command prints.
  let code: String
  /// The secret of the visitor's printed address.
  let key: String
  private let token: String
  private let state: Mutex<State>

  init(_ check: PageCode) {
    (code, key, token) = (check.code, check.key, check.token)
    state = Mutex(State(check: check))
  }

  /// The token for the operator's page; `nil` while there can be no next visitor.
  var offered: String? { state.withLock { $0.isOpen ? token : nil } }

  /// Returns the token for the visitor's page, and notes its choices.
  func offer(_ choices: [VisitorChoice]) -> String {
    state.withLock { $0.choices = choices }
    return token
  }

  /// Notes the time, and whether there can be a next visitor now; the run calls it when it waits.
  func pass(to now: TimeSpan, isOpen: Bool) {
    state.withLock { ($0.now, $0.isOpen) = (now, isOpen) }
  }

  /// Returns the actions that were accepted since the last call.
  ///
  /// - Parameter isLast: Whether the run ends: a page that is answered later learns that nothing was done.
  /// - Returns: The actions, in order.
  func drain(isLast: Bool = false) -> [UserAction] {
    state.withLock { state in
      state.isEnding = state.isEnding || isLast
      defer { state.accepted = [] }
      return state.accepted
    }
  }

  /// Answers a form, on the server's thread.
  func answer(_ request: WebRequest) -> WebResponse {
    guard request.method == .post else { return .notFound }
    // A page of another origin cannot send this type without asking this server first, which never agrees.
    guard request.contentType == "application/json" else {
      return .refused(.wrongType, "send application/json")
    }
    let isVisitors = request.path == PagePaths.answer
    return state.withLock { state in
      guard !state.isEnding else { return .refused(.conflict, "the guide ends") }
      guard isVisitors ? !state.choices.isEmpty : state.isOpen else {
        return .refused(
          .conflict,
          isVisitors ? "nothing is asked now" : "there is no next visitor now"
        )
      }
      let verdict = state.check.check(
        request.content,
        from: request.peer,
        at: state.now,
        acceptsKey: isVisitors
      )
      switch verdict {
      case .accepted:
        guard let action = isVisitors ? Self.action(request.content, state) : .nextVisitor,
          state.accepted.count < Self.mostAccepted
        else { return .refused(.conflict, "this is not offered now") }
        state.accepted.append(action)
        return .content(Array("{}".utf8), type: "application/json")
      case .malformed: return .refused(.malformed, "the page does not send this")
      case .wrongToken: return .refused(.forbidden, "open the page again")
      case .wrongCode: return .refused(.invalid, "this is not the code")
      case .tooMany:
        return .refused(.tooMany, "too many wrong codes; the command has printed the right one")
      }
    }
  }

  /// Returns the action of the visitor's form, if it is offered.
  private static func action(_ content: [UInt8], _ state: State) -> UserAction? {
    guard let form = try? JSON5.parse(content), case .string(let name) = form["choice"]?.content,
      let choice = state.choices.first(where: { $0.name == name })
    else { return nil }
    guard case .bool(let isPrecise) = form["precise"]?.content else { return choice.action }
    return choice.action(isPrecise: isPrecise)
  }
}
