// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

/// Proves the gate: nothing derived from received beacons reaches a client that may not know it.
///
/// `BEACON_GATE_INPUTS` sets the number of random inputs; the default is 10⁵.
@Suite struct GateProofTests {
  static let inputs: Int = {
    let environment = ProcessInfo.processInfo.environment
    // Sanitizers make a drive about ten times slower, and find their faults in a tenth of it.
    let usual = environment["BEACON_QUICK"] == nil ? 100_000 : 10_000
    return environment["BEACON_GATE_INPUTS"].flatMap { Int($0) } ?? usual
  }()
  /// The inputs of one run, so that any number of inputs covers many starts.
  static let life = 2000

  /// Rows L3, U21, H8.
  @Test(arguments: GateDrive.profiles)
  func `a limited client learns nothing about received reports`(_ profile: Profile) {
    let lives = max(1, Self.inputs / Self.life / GateDrive.profiles.count)
    var limited = 0
    var crossings = 0
    var ticks = 0
    var held = 0
    var files = 0
    var diagnostics = 0
    var intervals = 0
    for seed in 0..<UInt64(lives) {
      var drive = GateDrive(seed: seed, profile: profile)
      drive.run(inputs: Self.life)
      #expect(
        drive.leaks.isEmpty,
        "\(profile) seed \(seed): \(drive.leaks.joined(separator: "\n"))"
      )
      limited += drive.figures.limited
      crossings += drive.figures.crossings
      ticks += drive.figures.ticks
      held += drive.figures.held
      files += drive.figures.files
      diagnostics += drive.figures.diagnostics
      intervals += drive.figures.intervals
      if !drive.leaks.isEmpty { return }
    }
    // A drive that never limits a client, or never delivers, proves nothing.
    #expect(limited > lives)
    #expect(crossings > 0)
    #expect(ticks > lives)
    #expect(files > lives)
    #expect(diagnostics > lives)
    #expect(intervals > lives)
    // iOS 12 has no provisional grant, so nothing is ever held; with other profiles it takes several runs until
    // something is.
    if profile == .coreLocation12 || lives >= 10 {
      #expect((held > 0) == (profile != .coreLocation12))
    }
  }
}
