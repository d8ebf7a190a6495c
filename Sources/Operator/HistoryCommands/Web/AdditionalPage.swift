// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCommands
package import BeaconFormats
package import BeaconCore
internal import Beacons
package import Pages
internal import Synchronization
package import WebServer

/// A page that another module adds to `web`.
package struct AdditionalPage: Sendable {
  /// The options that choose it.
  let options: [any DeclaredOption]
  /// Reads its options; `nil` if the user does not want it.
  let choose: @Sendable (ParsedArguments, RunOptions, CommandIO) throws -> (any PageContent)?

  package init(
    options: [any DeclaredOption],
    choose:
      @escaping @Sendable (ParsedArguments, RunOptions, CommandIO) throws -> (any PageContent)?
  ) {
    (self.options, self.choose) = (options, choose)
  }
}

/// The content of a page: the run's thread feeds it, and the server's thread shows it and reads its forms.
package protocol PageContent: AnyObject, Sendable {
  /// The link to it.
  var tab: LivePage.Tab { get }
  /// Writes the parts of the page.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - token: The token that a form sends.
  func write(to page: inout LivePage, token: String)
  /// Answers a form that has the code.
  func answer(_ form: JSON5Value) -> WebResponse
  /// Adds inputs of the run, on the run's thread.
  func add(_ slice: ScanSlice, receivers: [String])
  /// Performs what forms asked for, on the run's thread.
  func perform(_ io: CommandIO)
}

/// Feeds the content of a page from a run.
final class PageFeed: RunParticipant {
  private let page: any PageContent
  private let io: CommandIO

  init(_ page: any PageContent, _ io: CommandIO) { (self.page, self.io) = (page, io) }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins: run.driver?.keepSlices()
    case .recorded(let slice): page.add(slice, receivers: run.receivers)
    case .willWait: page.perform(io)
    default: break
    }
  }
}

/// Reads the forms of pages: each has the token that only the page has, and the code that the command has printed.
final class PageForms: Sendable {
  /// The code that the command prints.
  let code: String
  /// The token of the page.
  let token: String
  private let clock: any PlaybackClock
  private let state: Mutex<(check: PageCode, isClosed: Bool)>

  init(_ check: PageCode, _ clock: any PlaybackClock) {
    (code, token, self.clock) = (check.code, check.token, clock)
    state = Mutex((check, false))
  }

  /// Refuses every further form: the run ends, and would not act on it.
  func close() { state.withLock { $0.isClosed = true } }

  /// Answers a request, on the server's thread; a form with token and code is answered by `answer`.
  func answer(_ request: WebRequest, _ answer: (JSON5Value) -> WebResponse) -> WebResponse {
    guard request.method == .post else { return .notFound }
    // A page of another origin cannot send this type without asking this server first, which never agrees.
    guard request.contentType == "application/json" else {
      return .refused(.wrongType, "send application/json")
    }
    // Under the lock: a form is accepted before the forms are closed, or not at all.
    return state.withLock { state in
      guard !state.isClosed else { return .refused(.conflict, "The run ends.") }
      switch state.check.check(request.content, from: request.peer, at: clock.elapsed) {
      case .accepted:
        guard let form = try? JSON5.parse(request.content) else { break }
        return answer(form)
      case .malformed: break
      case .wrongToken: return .refused(.forbidden, "Load the page again.")
      case .wrongCode: return .refused(.invalid, "This is not the code.")
      case .tooMany:
        return .refused(
          .tooMany,
          "This is not the code, and \(PageCode.attempts) before were wrong too. The command prints the right one."
        )
      }
      return Self.malformed
    }
  }

  static let malformed = WebResponse.refused(.malformed, "The page sends another form.")
}
