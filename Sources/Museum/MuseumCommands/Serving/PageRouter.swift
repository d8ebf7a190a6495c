// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import BeaconMuseum
internal import Pages
internal import SystemKit
internal import WebServer

/// Answers the requests of browsers.
///
/// Every page is made only once.
struct PageRouter: Sendable {
  private let plan: Plan
  private let language: String
  private let visitors: [String: WebResponse]
  private let operators: [String: WebResponse]
  private let contents: [String: WebResponse]
  private let media: PlanFolder
  private let forms: GuideForms
  private let nearby: NearbyBoard
  private let zone: LocalZone
  /// An identifier that differs for another plan or another version of the program.
  let edition: String

  /// - Parameters:
  ///   - plan: The museum.
  ///   - language: The language of a reader who prefers none of the plan's.
  ///   - media: The plan's images and sounds.
  ///   - forms: The changes that pages may make.
  ///   - nearby: The beacons that the guide receives.
  ///   - zone: The zone of the clock.
  init(
    _ plan: Plan,
    language: String,
    media: PlanFolder,
    forms: GuideForms,
    nearby: NearbyBoard = NearbyBoard(),
    zone: LocalZone = .utc
  ) {
    self.zone = zone
    self.plan = plan
    self.language = language
    self.media = media
    self.forms = forms
    self.nearby = nearby
    let pages = plan.languages.map { ($0, VisitorPage(of: plan, in: $0).html) }
    let operatorPages = plan.languages.map { ($0, OperatorPage(of: plan, in: $0).html) }
    visitors = Dictionary(
      pages.map { ($0, .html($1)) },
      uniquingKeysWith: { first, _ in first }
    )
    operators = Dictionary(
      operatorPages.map { ($0, .html($1)) },
      uniquingKeysWith: { first, _ in first }
    )
    edition = Self.edition(
      of: (pages + operatorPages).map(\.1) + [PageStyle.sheet, PageScript.source]
    )
    contents = [
      PagePaths.style: .content(Array(PageStyle.sheet.utf8), type: "text/css; charset=utf-8"),
      PagePaths.script: .content(
        Array(PageScript.source.utf8),
        type: "text/javascript; charset=utf-8"
      ),
      LivePage.stylePath: .content(Array(Styles.status.utf8), type: "text/css; charset=utf-8"),
      LivePage.scriptPath: .content(
        Array(Texts.statusScript.utf8),
        type: "text/javascript; charset=utf-8"
      ),
    ]
  }

  /// A checksum of texts.
  static func edition(of texts: [String]) -> String {
    Checksum.text(texts.lazy.flatMap(\.utf8))
  }

  /// The topic of the operator's page in a language.
  static func operatorTopic(_ language: String) -> String { "operator.\(language)" }

  /// The topic of the visitor's page in a language.
  static func visitorTopic(_ language: String) -> String { "visitor.\(language)" }

  /// Answers a request.
  func answer(_ request: WebRequest) -> WebResponse {
    if [PagePaths.nextVisitor, PagePaths.answer].contains(request.path) {
      return forms.answer(request)
    }
    // Nothing else can be changed.
    guard request.method == .get else { return .notFound }
    return switch request.path {
    case PagePaths.visitor: visitors[chosen(request)] ?? .notFound
    case PagePaths.visitorEvents: .events(topic: Self.visitorTopic(chosen(request)))
    case PagePaths.operator: operators[chosen(request)] ?? .notFound
    case PagePaths.nearby: .html(nearby.html(of: plan, in: chosen(request)))
    case PagePaths.signals:
      .html(
        nearby.signals(of: plan, in: chosen(request), request.query[PagePaths.beacon], zone)
      )
    case PagePaths.operatorEvents: .events(topic: Self.operatorTopic(chosen(request)))
    case let path where path.hasPrefix(PagePaths.mediaFolder):
      media.answer(String(path.dropFirst(PagePaths.mediaFolder.count)))
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
