// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

/// The characters used to draw boxes, bars and charts.
package struct Glyphs: Sendable, Equatable {
  /// The corners of a box: upper left, upper right, lower left, lower right.
  package var corners: [Character]
  /// A line from left to right, and one from top to bottom.
  package var horizontal: Character
  package var vertical: Character
  /// The levels of a sparkline, the lowest first; never empty.
  package var levels: [Character]
  /// The characters for the last, partly filled cell of a bar, from the least filled to the full cell; never empty.
  package var parts: [Character]
  /// The character for the unfilled part of a bar.
  package var rest: Character

  /// For terminals that show Unicode.
  package static let unicode = Glyphs(
    corners: ["┌", "┐", "└", "┘"],
    horizontal: "─",
    vertical: "│",
    levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    parts: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
    rest: "·"
  )

  /// For terminals that show only ASCII.
  package static let ascii = Glyphs(
    corners: ["+", "+", "+", "+"],
    horizontal: "-",
    vertical: "|",
    levels: ["_", ".", ",", "-", "~", "=", "*", "#"],
    parts: ["#"],
    rest: "."
  )

  /// Returns the glyphs that a terminal with the environment's locale can show.
  ///
  /// - Parameter environment: The environment variables. The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set
  ///   decides.
  /// - Returns: Unicode if the locale names UTF-8, otherwise ASCII.
  package static func glyphs(of environment: [String: String]) -> Glyphs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    guard let name = locale?.lowercased() else { return .ascii }
    return name.includes("utf-8") || name.includes("utf8") ? .unicode : .ascii
  }
}
