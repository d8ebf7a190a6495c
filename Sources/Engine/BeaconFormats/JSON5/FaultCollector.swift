// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Collects the faults that the readers of one file find, so that a user sees all of them together.
///
/// A class, because the readers of nested values share it. It does not leave the function that reads the file.
package final class FaultCollector {
  /// The faults so far, in the order they were found.
  package private(set) var faults: [JSON5Fault] = []

  /// Whether unknown keys, empty texts and numbers out of bounds are faults, as in a file that a user wrote.
  package let isStrict: Bool

  /// Creates an empty collector.
  package init(isStrict: Bool = true) { self.isStrict = isStrict }

  /// Adds a fault.
  package func add(_ reason: any Sendable & CustomStringConvertible, at position: TextPosition) {
    faults.append(JSON5Fault(reason, at: position))
  }

  /// Throws all faults found, if there are any.
  package func throwIfAny() throws(JSON5Faults) {
    if !faults.isEmpty { throw JSON5Faults(faults) }
  }
}
