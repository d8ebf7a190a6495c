// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What came of a scenario.
public struct ScenarioResult: Sendable {
  /// Something that is not as the scenario says.
  public struct Failure: Sendable {
    /// Seconds from the start.
    public let seconds: Double
    /// The line of the file with the expectation; `nil` for an event that nobody expected.
    public let line: Int?
    /// What is wrong, and the timeline around it, expected beside told: several lines.
    public let text: String
  }

  /// The scenario's own name.
  public let name: String
  /// How many expectations were compared.
  public let expectationCount: Int
  /// What is not as expected, in the order of time; empty when all holds.
  public let failures: [Failure]

  /// Whether everything is as the scenario says.
  public var holds: Bool { failures.isEmpty }

  /// Every failure in full, and nothing where there is none.
  public var report: String { failures.map(\.text).joined(separator: "\n") }
}
