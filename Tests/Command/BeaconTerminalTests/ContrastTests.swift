// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import Glibc
import Testing

/// The colors on the backgrounds of common terminals and themes, by the formula of WCAG 2.1.
struct ContrastTests {
  /// Backgrounds, with their terminals.
  static let backgrounds: [(name: String, rgb: UInt32)] = [
    ("xterm, dark; Linux console", 0x000000), ("xterm, light", 0xFFFFFF),
    ("GNOME, dark", 0x1E1E1E), ("GNOME, light", 0xFAFAFA), ("Ubuntu", 0x300A24),
    ("Tango, light", 0xEEEEEC), ("Konsole, Breeze", 0x232627),
    ("Solarized, dark", 0x002B36), ("Solarized, light", 0xFDF6E3),
    ("Gruvbox, dark", 0x282828), ("Gruvbox, light", 0xFBF1C7),
    ("Dracula", 0x282A36), ("One Dark", 0x282C34), ("Nord", 0x2E3440), ("Monokai", 0x272822),
    ("Windows Terminal", 0x0C0C0C), ("Raspberry Pi OS", 0x300A24),
  ]

  private static func luminance(_ rgb: UInt32) -> Double {
    func linear(_ shift: UInt32) -> Double {
      let value = Double(rgb >> shift & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
  }

  private static func contrast(_ first: UInt32, _ second: UInt32) -> Double {
    let (one, other) = (luminance(first), luminance(second))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }

  /// The shade of a number of the palette, which is a cube of colors and then grays.
  private static func shade(_ number: UInt8) -> UInt32 {
    func step(_ level: UInt32) -> UInt32 { level == 0 ? 0 : 55 + 40 * level }
    if number >= 232 {
      let gray = 8 + 10 * UInt32(number - 232)
      return gray << 16 | gray << 8 | gray
    }
    let place = UInt32(number) - 16
    return step(place / 36) << 16 | step(place / 6 % 6) << 8 | step(place % 6)
  }

  @Test func `the formula and the palette are those of the standards`() {
    #expect(Self.contrast(0x000000, 0xFFFFFF) == 21)
    #expect(Self.contrast(0x777777, 0xFFFFFF) > 4.47 && Self.contrast(0x777777, 0xFFFFFF) < 4.49)
    #expect(Self.shade(16) == 0 && Self.shade(231) == 0xFFFFFF && Self.shade(208) == 0xFF8700)
    // The colors before: xterm's own cyan and yellow on white.
    #expect(Self.contrast(0x00CDCD, 0xFFFFFF) < 3 && Self.contrast(0xCDCD00, 0xFFFFFF) < 3)
  }

  @Test(arguments: CellStyle.Color.allCases)
  func `every color is readable on light and dark backgrounds`(_ color: CellStyle.Color) {
    for background in Self.backgrounds {
      let contrast = Self.contrast(Self.shade(color.rawValue), background.rgb)
      #expect(contrast >= 3, "\(color) on \(background.name): \(contrast)")
    }
  }
}
