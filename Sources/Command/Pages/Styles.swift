// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The style sheet of each page, light or dark like the reader's system.
///
/// A style sheet is made of the files in `Texts`.
package enum Styles {
  /// The number of different room colors.
  package static let roomColors = 8

  /// The style sheet of the museum's pages for the visitor and for the operator.
  package static let guide = lines(
    Texts.colorsStyle,
    Texts.guideStyle,
    Texts.drawingStyle,
    Texts.tabsStyle,
    Texts.guideControlsStyle,
    printColors
  )

  /// The style sheet of the page on which a plan is drawn.
  package static let editor = lines(Texts.colorsStyle, Texts.editorStyle)

  /// The style sheet of the labels of exhibits, which are printed.
  package static let labels = lines(Texts.colorsStyle, Texts.labelsStyle, printColors)

  /// The style sheet of the report of visits, for a screen and for printing.
  package static let report = lines(
    Texts.colorsStyle,
    Texts.reportStyle,
    printColors,
    "@media print{",
    Texts.printStyle,
    "}"
  )

  /// Paper is light.
  private static let printColors =
    "@media print{:root{color-scheme:light;\(lightColors);--page:#fff}}"

  /// The style sheet of the page with everything nearby.
  package static let status =
    lines(
      Texts.colorsStyle,
      Texts.drawingStyle,
      Texts.floorsStyle,
      Texts.plotStyle,
      Texts.tabsStyle,
      Texts.statusStyle,
      Texts.nearbyStyle,
      Texts.surveyStyle
    ) + "\n"

  /// The colors of the light style, which also are those of print: those of the first rule of their file.
  private static var lightColors: Substring {
    Texts.colorsStyle.drop { $0 != ";" }.dropFirst().prefix { $0 != "}" }
  }

  private static func lines(_ parts: String...) -> String { parts.joined(separator: "\n") }
}
