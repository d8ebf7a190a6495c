// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Converts between manufacturer data by company and the AD structures of a payload.
///
/// Over D-Bus, BlueZ provides only `company: data` pairs. A report made from them contains one structure of type 0xFF
/// per company, the smallest company first, so that the same pairs always give the same payload.
enum ManufacturerStructures {
  /// The AD type of manufacturer specific data (Core Specification Supplement, part A, 1.4).
  static let type: UInt8 = 0xFF
  /// The most data bytes in one structure, besides its type and company.
  static let longestData = 252

  /// Appends the structure of a company's data, which must have at most ``longestData`` bytes.
  static func append(company: UInt16, data: some Collection<UInt8>, to payload: inout [UInt8]) {
    payload.append(UInt8(truncatingIfNeeded: data.count + 3))
    payload.append(type)
    payload.append(UInt8(truncatingIfNeeded: company))
    payload.append(UInt8(truncatingIfNeeded: company >> 8))
    payload.append(contentsOf: data)
  }

  /// Returns the companies of a rebuilt payload with the ranges of their data.
  ///
  /// - Returns: The companies; `nil` when the payload is not exactly what ``append(company:data:to:)`` makes of
  ///   ascending companies, so that pairs cannot represent it.
  static func companies(
    of payload: ArraySlice<UInt8>
  ) -> [(company: UInt16, data: Range<Int>)]? {
    var companies: [(company: UInt16, data: Range<Int>)] = []
    var offset = payload.startIndex
    while offset < payload.endIndex {
      let next = offset + 1 + Int(payload[offset])
      guard next <= payload.endIndex, next - offset >= 4, payload[offset + 1] == type else {
        return nil
      }
      let company = UInt16(payload[offset + 2]) | UInt16(payload[offset + 3]) << 8
      if let last = companies.last, last.company >= company { return nil }
      companies.append((company: company, data: offset + 4..<next))
      offset = next
    }
    return companies
  }
}
