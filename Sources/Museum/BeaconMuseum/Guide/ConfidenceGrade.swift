// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The confidence of a guide, in the four steps shown to a visitor.
public enum ConfidenceGrade: Int, Sendable, CaseIterable, Comparable {
  /// Hardly more than a guess.
  case guess = 1
  /// More likely than not.
  case likely = 2
  /// Probable: right at least three times in four.
  case probable = 3
  /// Almost certain: right at least nine times in ten.
  case certain = 4

  /// Creates the grade of a probability from 0 to 1.
  public init(_ confidence: Double) {
    switch confidence {
    case 0.9...: self = .certain
    case 0.75...: self = .probable
    case 0.5...: self = .likely
    default: self = .guess
    }
  }

  /// Returns whether a grade has less confidence than another.
  public static func < (lhs: ConfidenceGrade, rhs: ConfidenceGrade) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}
