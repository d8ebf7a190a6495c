// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconScenarios
import BeaconTestSupport
import Foundation
import Testing

/// Every scenario in `Fixtures/scenarios` holds; they show the rows of behaviour that the engine follows.
@Suite struct ScenarioFixtureTests {
  static let files: [String] = {
    let folder = ProjectFiles.fixtures.appending(path: "scenarios").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json5") }.sorted()
  }()

  @Test func `the fixtures exist`() {
    #expect(Self.files.count > 60)
  }

  @Test(arguments: files)
  func `holds`(_ name: String) throws {
    let url = ProjectFiles.fixtures.appending(path: "scenarios/\(name)")
    let scenario = try Scenario(parsing: Array(Data(contentsOf: url)))
    let result = scenario.run()
    #expect(result.holds, "\(result.report)")
  }
}
