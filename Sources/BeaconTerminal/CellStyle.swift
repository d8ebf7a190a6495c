// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How a cell of a ``Screen`` looks beside its character.
package struct CellStyle: Sendable, Hashable {
  /// The eight colors that every terminal with colors has; which shade they are is the terminal's own matter.
  package enum Color: UInt8, Sendable, CaseIterable {
    case black, red, green, yellow, blue, magenta, cyan, white
  }

  /// The color of the character; `nil` is the terminal's own.
  package var color: Color?
  /// Whether it is bold.
  package var isBold: Bool
  /// Whether it is faint.
  package var isDim: Bool
  /// Whether the colors of character and ground are exchanged.
  package var isReversed: Bool

  /// Creates a style; nothing said is plain text.
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

  /// Text as the terminal shows it.
  package static let plain = CellStyle()
  /// Text that stands out.
  package static let bold = CellStyle(isBold: true)
  /// Text that stands back.
  package static let dim = CellStyle(isDim: true)
  /// What is chosen, and bars across the screen.
  package static let reversed = CellStyle(isReversed: true)

  /// Returns the escape sequence that sets this style, whatever was set before.
  ///
  /// - Parameter hasColor: Whether colors are wanted; bold, faint and reversed are no colors and stay.
  /// - Returns: The sequence.
  package func sequence(hasColor: Bool) -> String {
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    if hasColor, let color { codes += ";3\(color.rawValue)" }
    return "\u{1B}[\(codes)m"
  }
}
