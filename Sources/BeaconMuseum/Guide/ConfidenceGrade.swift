// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How sure a guide is, in the four steps that a visitor is shown.
public enum ConfidenceGrade: Int, Sendable, CaseIterable, Comparable {
  /// Hardly more than a guess.
  case guess = 1
  /// More likely than not.
  case likely = 2
  /// Probable: three times of four or more.
  case probable = 3
  /// Almost certain: nine times of ten or more.
  case certain = 4

  /// Grades a probability, 0 to 1.
  public init(_ confidence: Double) {
    switch confidence {
    case 0.9...: self = .certain
    case 0.75...: self = .probable
    case 0.5...: self = .likely
    default: self = .guess
    }
  }

  /// Whether a grade is less sure than another.
  public static func < (lhs: ConfidenceGrade, rhs: ConfidenceGrade) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}
