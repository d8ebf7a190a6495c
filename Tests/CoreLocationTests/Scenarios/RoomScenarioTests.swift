// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import BeaconTesting
import Foundation
import Testing

/// The files of `Fixtures/scenarios` hold through Apple's names as well: order of callbacks, sentinels, errors.
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

  /// The files that can be told through Apple's names.
  static let fit = files.filter { (try? scenario($0)) != nil }

  /// What Apple's names cannot say, or say nothing of; docs/core-location.md tells why.
  @Test func `all but a few files apply`() {
    var unfit: [RoomScenario.Unfit: [String]] = [:]
    for name in Self.files {
      do throws(RoomScenario.Unfit) {
        _ = try Self.scenario(name)
      } catch {
        unfit[error, default: []].append(name)
      }
    }
    #expect(unfit[.notification] == ["ac12-notification.json5"])
    #expect(unfit[.relaunch] == ["ac06-relaunch.json5"])
    #expect(unfit[.termination] == ["inuse-terminated.json5"])
    #expect(Self.fit.count * 20 > Self.files.count * 19, "\(unfit)")
  }

  @Test(arguments: fit)
  @MainActor func `holds`(_ name: String) async throws {
    let result = try await RoomRunner(Self.scenario(name)).run()
    #expect(result.holds, "\(result.report)")
  }
}
