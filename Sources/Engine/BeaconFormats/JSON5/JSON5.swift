// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The JSON5 reader: configuration, plans, scenarios, manifests; plain JSON is a subset.
///
/// It accepts the whole grammar of JSON5 1.0.0 and reports every fault of a file at a time, each with line and column.
package enum JSON5 {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The file, in UTF-8, with or without a byte order mark.
  ///   - limits: How large the file may be.
  /// - Returns: The value in the file.
  /// - Throws: ``JSON5Faults`` with every fault found. Two entries of one object with the same key are a fault.
  package static func parse(
    _ bytes: [UInt8],
    limits: JSON5Limits = JSON5Limits()
  ) throws(JSON5Faults) -> JSON5Value {
    let faults = FaultCollector()
    let value = try parse(bytes, limits: limits, faults: faults)
    try faults.throwIfAny()
    return value
  }

  /// Reads a file for a reader that checks the content too, so that a duplicate key does not hide other faults.
  ///
  /// - Parameters:
  ///   - bytes: The file, in UTF-8, with or without a byte order mark.
  ///   - limits: How large the file may be.
  ///   - faults: Collects the faults that do not hide a part of the file.
  /// - Returns: The value in the file; of two entries with the same key, the first.
  /// - Throws: ``JSON5Faults`` with every syntax fault, if one of them hides a part of the file.
  package static func parse(
    _ bytes: [UInt8],
    limits: JSON5Limits = JSON5Limits(),
    faults: FaultCollector
  ) throws(JSON5Faults) -> JSON5Value {
    var parser = JSON5Parser(bytes, limits: limits)
    let value = try parser.parse()
    for fault in parser.faults { faults.add(fault.message, at: fault.position) }
    return value
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
