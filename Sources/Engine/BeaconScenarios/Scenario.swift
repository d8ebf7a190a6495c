// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
public import BeaconFormats

/// A readable test of the engine: inputs on a timeline, and the events that must follow.
///
/// A scenario is read from JSON5 and runs without a radio. The reader reports all faults together, with line and
/// column:
///
///     let scenario = try Scenario(parsing: bytes)
///     let result = scenario.run()
///     print(result.holds, result.report)
public struct Scenario: Sendable {
  /// A program of the scenario.
  struct Program: Sendable {
    let name: String
    var manifest = Manifest()
    var state = SavedAuthorization()
    var isForeground = true
  }

  /// The name of the scenario: its subject.
  public let name: String
  /// The profile and constants that it runs with.
  public let configuration: Configuration
  /// The wall time at 0: a whole second.
  public let start: Timestamp

  let programs: [Program]
  let receivers: [String]
  /// The steps in the order of the file.
  let entries: [ScenarioStep]
  let expectations: [ScenarioExpectation]
  let only: [String]
  let never: [String]
  let gaps: [ClosedRange<TimeSpan>]
  let end: TimeSpan

  init(
    name: String,
    configuration: Configuration,
    start: Timestamp,
    programs: [Program],
    receivers: [String],
    entries: [ScenarioStep],
    expectations: [ScenarioExpectation],
    only: [String],
    never: [String],
    gaps: [ClosedRange<TimeSpan>],
    end: TimeSpan
  ) {
    self.name = name
    self.configuration = configuration
    self.start = start
    self.programs = programs
    self.receivers = receivers
    self.entries = entries
    self.expectations = expectations
    self.only = only
    self.never = never
    self.gaps = gaps
    self.end = end
  }

  /// Reads a scenario file.
  ///
  /// - Parameter bytes: The file, JSON5 in UTF-8. Its `set` may name the engine's constants.
  /// - Throws: `JSON5Faults` with every fault of the file.
  public init(parsing bytes: [UInt8]) throws(JSON5Faults) {
    try self.init(parsing: bytes, settable: .core)
  }

  /// Reads a scenario file whose `set` may name other constants too, which have no effect.
  package init(
    parsing bytes: [UInt8],
    settable schema: ConfigurationSchema
  ) throws(JSON5Faults) {
    self = try ScenarioReader.read(bytes, schema)
  }

  /// The steps and their repetitions, in order.
  var steps: ScenarioSteps { ScenarioSteps(entries) }

  /// How many events and settings the scenario expects.
  public var expectationCount: Int { expectations.count }

  /// Runs the scenario with a new engine and compares its events with the expected ones.
  public func run() -> ScenarioResult { run { false } }

  /// Runs the scenario with a new engine and compares its events with the expected ones.
  ///
  /// - Parameter isInterrupted: Asked before each input whether to stop; the result is then empty.
  /// - Returns: The result.
  package func run(until isInterrupted: () -> Bool) -> ScenarioResult {
    var runner = ScenarioRunner(self)
    return runner.run(until: isInterrupted)
  }
}
