// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// All that is wrong in a scenario file, in the order of the file.
public struct ScenarioError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Fault: Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// The column in characters, counted from 1.
    public let column: Int
    /// What is wrong and what would be right.
    public let message: String

    /// The place and the message, as `LINE:COLUMN: message`.
    public var description: String { "\(line):\(column): \(message)" }
  }

  /// The faults; never empty.
  public let faults: [Fault]

  init(_ error: JSON5Faults) {
    faults = error.faults.map { Fault(line: $0.line, column: $0.column, message: $0.message) }
  }

  /// One line a fault.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
