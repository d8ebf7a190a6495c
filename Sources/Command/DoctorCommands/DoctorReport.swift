// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Beacons

/// A file to send to those who can help: the machine, the diagnosis for a person and as JSON, and no address.
package enum DoctorReport {
  /// Writes a report.
  ///
  /// - Parameters:
  ///   - examination: The examined facts.
  ///   - machine: The machine's description, a name and a text each.
  /// - Returns: The report, in which each address of a device or an adapter is a number.
  package static func text(
    _ examination: Examination,
    machine: [(name: String, text: String)]
  ) -> [UInt8] {
    // Names are the user's own, and help only the user.
    var examination = examination
    examination.names = NameBook()
    let diagnosis = Diagnosis(examination)
    var text = "A report of beaconctl doctor. Addresses of devices are replaced by numbers.\n\n"
    for (name, fact) in [("beaconctl", Library.version)] + machine {
      text += Column.left(name, 12) + fact + "\n"
    }
    text += "\n"
    text += String(
      decoding: DiagnosisText.table(diagnosis, style: TextStyle(hasColor: false)),
      as: UTF8.self
    )
    text += "\n" + String(decoding: DiagnosisText.json(diagnosis, examination), as: UTF8.self)
    return withoutAddresses(Array(text.utf8))
  }

  /// The bytes of a written address: six pairs of digits with a mark between two.
  private static let addressCount = 17

  /// Replaces every device address, `AA:BB:CC:DD:EE:FF` or `AA_BB_CC_DD_EE_FF`, by `address-N`: one address, one number.
  package static func withoutAddresses(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var known: [[UInt8]] = []
    var index = 0
    while index < text.count {
      guard isAddress(text, at: index) else {
        result.append(text[index])
        index += 1
        continue
      }
      let digits = text[index..<index + addressCount].filter(isDigit).map { $0 | 0x20 }
      let number = known.firstIndex(of: digits) ?? known.count
      if number == known.count { known.append(digits) }
      result += Array("address-\(number + 1)".utf8)
      index += addressCount
    }
    return result
  }

  private static func isAddress(_ text: [UInt8], at start: Int) -> Bool {
    guard start + addressCount <= text.count, start == 0 || !isDigit(text[start - 1]) else {
      return false
    }
    let mark = text[start + 2]
    guard mark == UInt8(ascii: ":") || mark == UInt8(ascii: "_") else { return false }
    return (0..<addressCount).allSatisfy { offset in
      offset % 3 == 2 ? text[start + offset] == mark : isDigit(text[start + offset])
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
