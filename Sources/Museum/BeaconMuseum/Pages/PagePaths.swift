// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Pages

/// The paths of the pages and their resources, from the server's root.
public enum PagePaths {
  /// The visitor's page.
  public static let visitor = "/"
  /// The operator's page.
  public static let `operator` = "/operator"
  /// The page of the beacons that the guide receives.
  public static let nearby = "/nearby"
  /// The page of the pictures of signals.
  public static let signals = "/signals"
  /// The key of a beacon in a query.
  package static let beacon = "of"
  /// The style sheet of both pages.
  public static let style = "/page.css"
  /// The script of both pages.
  public static let script = "/page.js"
  /// The stream of the visitor's page.
  public static let visitorEvents = "/events/visitor"
  /// The stream of the operator's page.
  public static let operatorEvents = "/events/operator"
  /// The path to which the operator's page sends that the next visitor has the device.
  public static let nextVisitor = "/operator/next"
  /// The path to which the visitor's page sends an answer or a setting.
  public static let answer = "/answer"
  /// The folder of the plan's images and sounds.
  public static let mediaFolder = "/media/"
  /// The key of the language in a query.
  public static let language = "language"

  /// Returns the path of one of the plan's files.
  static func media(_ name: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var path = Array(mediaFolder.utf8)
    for byte in name.utf8 {
      let isPlain =
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      path += isPlain ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: path, as: UTF8.self)
  }

  /// Returns the path of the operator's page in a language.
  package static func `operator`(in language: String) -> String {
    "\(Self.operator)?\(Self.language)=\(language)"
  }

  /// Returns the path of the page of the beacons that the guide receives in a language.
  package static func nearby(in language: String) -> String {
    "\(nearby)?\(Self.language)=\(language)"
  }

  /// Returns the path of the page with the pictures of signals in a language.
  package static func signals(in language: String) -> String {
    "\(signals)?\(Self.language)=\(language)"
  }

  /// Returns the path of the stream of the operator's page in a language.
  static func operatorEvents(in language: String) -> String {
    "\(operatorEvents)?\(Self.language)=\(language)"
  }

  /// Returns the path of the visitor's page in a language, whose tag needs no escaping in a URL.
  static func visitor(in language: String) -> String { "\(visitor)?\(Self.language)=\(language)" }

  /// Returns the path of the stream of the visitor's page in a language.
  static func visitorEvents(in language: String) -> String {
    "\(visitorEvents)?\(Self.language)=\(language)"
  }
}

/// The script of both pages: it follows a stream of states, shows the latest, and shows when the stream is lost.
public enum PageScript {
  /// The script's source.
  public static let source = Texts.guideScript
}

/// The style of both pages, light or dark like the reader's system.
public enum PageStyle {
  /// The style sheet.
  public static let sheet = Styles.guide
}
