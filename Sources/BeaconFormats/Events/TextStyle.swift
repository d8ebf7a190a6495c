// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Whether and how text is set off on a terminal.
package struct TextStyle: Sendable {
  /// Whether escape sequences are written.
  package let hasColor: Bool

  /// How wide lines may be.
  package let columns: Int

  package init(hasColor: Bool, columns: Int = 80) {
    self.hasColor = hasColor
    self.columns = columns
  }

  /// Text that stands back.
  package func dim(_ text: String) -> String { wrap(text, "2") }

  /// Text that stands out.
  package func bold(_ text: String) -> String { wrap(text, "1") }

  /// Text in the color of a proximity; the word says it too, for those who do not see the color.
  package func proximity(_ proximity: Proximity, _ text: String) -> String {
    switch proximity {
    case .immediate: wrap(text, "1;32")
    case .near: wrap(text, "32")
    case .far: wrap(text, "33")
    case .unknown: wrap(text, "2")
    }
  }

  /// Text between the escape sequences of some attributes and their end.
  package func wrap(_ text: String, _ code: String) -> String {
    hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
