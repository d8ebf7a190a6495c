// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The style of a cell of a ``Screen``: its color, and whether it is bold, faint or reversed.
package struct CellStyle: Sendable, Hashable {
  /// Colors that are readable on a light and on a dark background: their contrast is at least 3 to 1.
  ///
  /// The raw value is the number in the palette of 256 colors. Themes change the first 16 of it and make, for example, yellow
  /// unreadable on white; the others have the same shade everywhere.
  package enum Color: UInt8, Sendable, CaseIterable {
    case cyan = 31
    case green = 65
    case yellow = 166
    case red = 196
    /// Contents that are not of use any more.
    case gray = 244
  }

  /// The color of the character; `nil` is the terminal's own.
  package var color: Color?
  /// Whether it is bold.
  package var isBold: Bool
  /// Whether it is faint.
  package var isDim: Bool
  /// Whether the colors of the character and the background are exchanged.
  package var isReversed: Bool

  /// Creates a style; the default is plain text.
  package init(
    _ color: Color? = nil,
    isBold: Bool = false,
    isDim: Bool = false,
    isReversed: Bool = false
  ) {
    self.color = color
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
  }

  /// The terminal's default text.
  package static let plain = CellStyle()
  /// Emphasized text.
  package static let bold = CellStyle(isBold: true)
  /// Less important text.
  package static let dim = CellStyle(isDim: true)
  /// The selected item, and bars across the screen.
  package static let reversed = CellStyle(isReversed: true)

  /// Returns the escape sequence that sets this style, whatever was set before.
  ///
  /// - Parameter hasColor: Whether to write colors; bold, faint and reversed are kept in any case.
  /// - Returns: The escape sequence.
  package func sequence(hasColor: Bool) -> String {
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    if hasColor, let color { codes += ";38;5;\(color.rawValue)" }
    return "\u{1B}[\(codes)m"
  }
}
