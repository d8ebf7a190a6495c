// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Whether and how text is set off on a terminal.
package struct TextStyle: Sendable {
  /// Whether escape sequences are written.
  package let hasColor: Bool

  /// How wide lines may be.
  package let columns: Int

  /// Whether a name that would make a line wider is cut, with a mark.
  package let cutsNames: Bool

  package init(hasColor: Bool, columns: Int = 80, cutsNames: Bool = false) {
    self.hasColor = hasColor
    self.columns = columns
    self.cutsNames = cutsNames
  }

  /// Returns a name as it stands at the end of a line of which so many columns are used.
  package func name(_ name: String, after used: Int) -> String {
    cut(name, to: columns - used)
  }

  /// Returns a name within a number of columns, if names are cut.
  package func cut(_ name: String, to room: Int) -> String {
    let name = name.printable
    guard cutsNames, name.count > room, room > 1 else { return name }
    return "\(name.prefix(room - 1))~"
  }

  /// Text that stands back.
  package func dim(_ text: String) -> String { wrap(text, "2") }

  /// Text that stands out.
  package func bold(_ text: String) -> String { wrap(text, "1") }

  /// Text in the color of a proximity; the word states it as well, for readers who do not see the color.
  package func proximity(_ proximity: Proximity, _ text: String) -> String {
    switch proximity {
    case .immediate: wrap(text, "1;\(Self.good)")
    case .near: wrap(text, Self.nearby)
    case .far: wrap(text, Self.warning)
    case .unknown: wrap(text, "2")
    }
  }

  // Of the palette of 256 colors, readable on a light and on a dark background; the same as in the views.
  /// Green.
  package static let good = "38;5;65"
  /// Cyan.
  package static let nearby = "38;5;31"
  /// A dark orange: no yellow is readable on white.
  package static let warning = "38;5;166"
  /// Red.
  package static let bad = "38;5;196"

  /// Text between the escape sequences of some attributes and their end.
  package func wrap(_ text: String, _ code: String) -> String {
    hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
