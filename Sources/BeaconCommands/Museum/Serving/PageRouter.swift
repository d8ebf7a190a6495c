// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconMuseum
internal import WebServer

/// Answers what browsers ask for; every page is made once.
struct PageRouter: Sendable {
  private let plan: Plan
  private let language: String
  private let visitors: [String: WebResponse]
  private let contents: [String: WebResponse]

  /// - Parameters:
  ///   - plan: The museum.
  ///   - language: The language of a reader who prefers none of the plan's.
  init(_ plan: Plan, language: String) {
    self.plan = plan
    self.language = language
    visitors = Dictionary(
      plan.languages.map { ($0, .html(VisitorPage(of: plan, in: $0).html)) },
      uniquingKeysWith: { first, _ in first }
    )
    contents = [
      PagePaths.operator: .html(OperatorPage(of: plan, in: language).html),
      PagePaths.style: .content(Array(PageStyle.sheet.utf8), type: "text/css; charset=utf-8"),
      PagePaths.script: .content(
        Array(PageScript.source.utf8),
        type: "text/javascript; charset=utf-8"
      ),
    ]
  }

  /// The topic of the operator's page.
  static let operatorTopic = "operator"

  /// The topic of the visitor's page in a language.
  static func visitorTopic(_ language: String) -> String { "visitor.\(language)" }

  /// Answers a request.
  func answer(_ request: WebRequest) -> WebResponse {
    switch request.path {
    case PagePaths.visitor: visitors[chosen(request)] ?? .notFound
    case PagePaths.visitorEvents: .events(topic: Self.visitorTopic(chosen(request)))
    case PagePaths.operatorEvents: .events(topic: Self.operatorTopic)
    case let path: contents[path] ?? .notFound
    }
  }

  private func chosen(_ request: WebRequest) -> String {
    PageLanguage.choose(
      of: plan,
      asked: request.query[PagePaths.language],
      preferred: request.languages,
      usual: language
    )
  }
}
