// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How large a JSON5 file may be.
package struct JSON5Limits: Sendable {
  /// The most bytes read; 16 MiB, a hundred times a large museum plan.
  package var bytes: Int
  /// The deepest nesting; a plan needs 8, and 64 levels of recursion fit any thread's stack many times over.
  package var depth: Int
  /// The most values; a million takes about 100 MB.
  package var values: Int
  /// The most faults reported; a user does not fix more than 100 at a time, and a file that is not JSON5 at all has thousands.
  package var faults: Int
  /// Whether numbers must be those of JSON, such as in the lines of a recording.
  package var plainNumbers: Bool

  /// Creates limits.
  package init(
    bytes: Int = 16 << 20,
    depth: Int = 64,
    values: Int = 1_000_000,
    faults: Int = 100,
    plainNumbers: Bool = false
  ) {
    self.bytes = bytes
    self.depth = depth
    self.values = values
    self.faults = faults
    self.plainNumbers = plainNumbers
  }
}
