// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The JSON5 reader: configuration, plans, scenarios, manifests; plain JSON is a subset.
///
/// It reads the whole grammar of JSON5 1.0.0 and tells every fault of a file at once, each with its line and column.
package enum JSON5 {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The file, in UTF-8, with or without a byte order mark.
  ///   - limits: How much it may ask for.
  /// - Returns: The value the file holds.
  /// - Throws: ``JSON5Faults`` with every fault found. Two entries of one object with the same key are a fault.
  package static func parse(
    _ bytes: [UInt8],
    limits: JSON5Limits = JSON5Limits()
  ) throws(JSON5Faults) -> JSON5Value {
    var parser = JSON5Parser(bytes, limits: limits)
    return try parser.parse()
  }

  /// Reads a text.
  ///
  /// - Throws: ``JSON5Faults`` with every fault found.
  package static func parse(
    _ text: String,
    limits: JSON5Limits = JSON5Limits()
  ) throws(JSON5Faults) -> JSON5Value {
    try parse(Array(text.utf8), limits: limits)
  }
}
