// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Recognizes a format without a magic number by the consistency of its first records.
enum RecordChain {
  /// The bytes at an offset.
  enum Step {
    /// A plausible record; the next is at the offset.
    case next(Int)
    /// Too few bytes to decide.
    case cut
    /// Not a record.
    case broken
  }

  /// How many records must be plausible.
  ///
  /// A single one may be plausible by chance. With three, each fixes about twenty bits at an offset that the previous
  /// one determined.
  private static let wantedCount = 3

  /// Whether the first records, or as many as there are, are plausible, and at least one is.
  ///
  /// - Parameters:
  ///   - block: The bytes.
  ///   - beyond: An offset from which on the records must be plausible, none of them missing; `nil` at the start of a file.
  ///     Those that have one there after others are the present capture's.
  ///   - step: Returns the step at an offset.
  /// - Returns: Whether they are.
  static func holds(
    _ block: borrowing Span<UInt8>,
    beyond: Int? = nil,
    step: (borrowing Span<UInt8>, Int) -> Step
  ) -> Bool {
    var (offset, found) = (0, 0)
    while found < wantedCount {
      guard offset < block.count else { return beyond == nil && found > 0 }
      if offset == beyond, offset > 0 { return false }
      switch step(block, offset) {
      case .next(let next):
        if offset >= beyond ?? 0 { found += 1 }
        offset = next
      case .cut: return beyond == nil && found > 0
      case .broken: return false
      }
    }
    return true
  }
}
