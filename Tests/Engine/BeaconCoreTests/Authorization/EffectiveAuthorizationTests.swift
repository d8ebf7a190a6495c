// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconCore

/// What a saved grant permits, without an engine.
struct EffectiveAuthorizationTests {
  /// Every state that a file can have, as far as it concerns what is permitted.
  static let saved: [SavedAuthorization] = SavedAuthorization.Grant.allCases.flatMap { grant in
    [true, false].flatMap { servicesOn in
      [true, false].map { isRestricted in
        SavedAuthorization(grant: grant, servicesOn: servicesOn, isRestricted: isRestricted)
      }
    }
  }

  @Test(arguments: saved)
  func `a saved grant permits what the engine that restores it permits`(
    _ saved: SavedAuthorization
  ) throws {
    // Only an App Clip has a grant until the morning.
    let manifest = Manifest(whenInUse: "when", appClip: saved.grant == .untilMorning)
    var driver = EngineDriver(Configuration(), startingAt: .earliest + .seconds(1))
    let client = driver.connect(manifest, restoring: SavedClient(authorization: saved))
    let read = driver.snapshot(of: client)
    let kept = driver.grants(of: client)?.grant
    let snapshot = try #require(read)
    #expect(snapshot.effective == saved.effective)
    #expect(snapshot.status == saved.effective.status)
    #expect(snapshot.settings.authorization == saved.grant.setting)
    #expect(kept == saved.grant)
    let expected: AuthorizationStatus =
      !saved.servicesOn
      ? .denied
      : saved.isRestricted ? .restricted : SavedAuthorization(grant: saved.grant).effective.status
    #expect(snapshot.status == expected)
  }

  @Test func `each grant permits what its name says`() {
    let permitted = SavedAuthorization.Grant.allCases.map {
      SavedAuthorization(grant: $0).effective
    }
    #expect(
      permitted == [
        .notDetermined, .denied, .whenInUse, .whenInUse, .provisionalAlways, .always,
      ]
    )
  }
}
