// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The result of a scenario.
public struct ScenarioResult: Sendable {
  /// A difference between the run and the scenario.
  public struct Failure: Sendable {
    /// The time in seconds from the start.
    public let seconds: Double
    /// The line of the file with the expectation; `nil` for an unexpected event.
    public let line: Int?
    /// The fault, with the surrounding timeline of expected and actual events: several lines, without control characters.
    public let text: String
  }

  /// The name of the scenario, as its file has it.
  public let name: String
  /// How many expectations were compared.
  public let expectationCount: Int
  /// The failures in order of time; empty if everything is as expected.
  public let failures: [Failure]

  /// Whether everything is as the scenario expects.
  public var holds: Bool { failures.isEmpty }

  /// The full text of every failure, if any.
  public var report: String { failures.map(\.text).joined(separator: "\n") }
}
