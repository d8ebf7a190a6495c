// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconScenarios
import BeaconTestSupport
import BeaconTesting
import Foundation
import Testing

/// The files of `Fixtures/scenarios` also hold with Apple's API: order of callbacks, sentinels, errors.
@Suite struct RoomScenarioTests {
  static let files: [String] = {
    let folder = ProjectFiles.fixtures.appending(path: "scenarios").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json5") }.sorted()
  }()

  private static func scenario(_ name: String) throws(RoomScenario.Unfit) -> RoomScenario {
    let url = ProjectFiles.fixtures.appending(path: "scenarios/\(name)")
    let bytes = (try? Data(contentsOf: url)).map(Array.init) ?? []
    guard let scenario = try? Scenario(parsing: bytes) else { throw .unreadable }
    return try RoomScenario(scenario)
  }

  /// The files that can be run with Apple's API.
  static let fit = files.filter { (try? scenario($0)) != nil }

  @Test func `all files apply, except those that only we read`() {
    #expect(Self.files.count > 180)
    let unfit: Set = [
      "default-zone.json5", "gap-user-action.json5", "terminated-always.json5",
      "unmonitored-while-ranging.json5",
      "while-unknown-assumed.json5",
    ]
    // Rules of the talks with a program that ended, ranging inside a region, or an assumed state.
    let rules = ["rule-026-", "rule-032-", "rule-033-", "rule-049-", "rule-112-"]
    let others = Self.files.filter { file in rules.contains { file.hasPrefix($0) } }
    #expect(Set(Self.files).subtracting(Self.fit) == unfit.union(others))
    #expect(throws: RoomScenario.Unfit.extensions) { try Self.scenario("default-zone.json5") }
  }

  @Test(arguments: fit)
  @MainActor func `holds`(_ name: String) async throws {
    let (callbacks, machine) = try await RoomRunner(Self.scenario(name)).run()
    #expect(callbacks.holds, "\(callbacks.report)")
    #expect(machine.holds, "of the machine: \(machine.report)")
  }
}
