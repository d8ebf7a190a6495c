// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Gathers the faults that readers of one file find, so that all are told at once.
///
/// A class, since the readers of nested values share it; it stays in the function that reads the file.
package final class FaultCollector {
  /// The faults so far, in the order they were found.
  package private(set) var faults: [JSON5Fault] = []

  /// Creates a collector of nothing.
  package init() {}

  /// Adds a fault.
  package func tell(_ message: String, at position: TextPosition) {
    faults.append(JSON5Fault(message, at: position))
  }

  /// Throws all faults found, if there are any.
  package func throwIfAny() throws(JSON5Faults) {
    if !faults.isEmpty { throw JSON5Faults(faults) }
  }
}
