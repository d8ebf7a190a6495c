// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The paths of the pages and their resources, from the server's root.
public enum PagePaths {
  /// The visitor's page.
  public static let visitor = "/"
  /// The operator's page.
  public static let `operator` = "/operator"
  /// The style sheet of both pages.
  public static let style = "/page.css"
  /// The script of both pages.
  public static let script = "/page.js"
  /// The stream of the visitor's page.
  public static let visitorEvents = "/events/visitor"
  /// The stream of the operator's page.
  public static let operatorEvents = "/events/operator"
  /// The key of the language in a query.
  public static let language = "language"

  /// Returns the path of the visitor's page in a language, whose tag needs no escaping in a URL.
  static func visitor(in language: String) -> String { "\(visitor)?\(Self.language)=\(language)" }

  /// Returns the path of the stream of the visitor's page in a language.
  static func visitorEvents(in language: String) -> String {
    "\(visitorEvents)?\(Self.language)=\(language)"
  }
}
