// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

/// Random inputs against rules about deliveries that always hold.
@Suite struct RegionLegalityTests {
  private struct Run {
    var actions: [RegionAction]
    var violations: [String]
  }

  /// Runs one seed; with `steps` time also passes between inputs in additional calls, which must change nothing.
  private func run(_ seed: UInt64, steps: Bool) throws -> Run {
    var random = SplitMix64(seed: seed)
    // The steps draw from their own generator, so that the inputs are the same with and without.
    var between = SplitMix64(seed: ~seed)
    let zone = try seed % 3 == 0 ? Zone(enterWithin: 2, leaveBeyond: 3) : nil
    let policy = seed % 2 == 0 ? RegionPolicy.standard : .coreLocation
    let enter = EnterPolicy(sightings: Int(seed % 4) + 1, rssiFloor: seed % 5 == 0 ? -80 : nil)
    let region = Region("r", .uuid(RegionHarness.uuid), zone: zone, enterPolicy: enter)
    var harness = RegionHarness(region, policy)
    harness.begin(seed % 7 == 0 ? .assumed(.inside) : .fresh)
    var violations: [String] = []
    var checked = 0
    var state = RegionState.unknown
    var known: RegionState?
    var causes: Set<String> = []
    var now = 0.0
    for _ in 0..<150 {
      let before = now
      now += [0.1, 1, 5, 12, 31].randomElement(using: &random) ?? 1
      if steps {
        for part in [0.25, 0.5, 0.75] where Bool.random(using: &between) {
          harness.end(at: before + (now - before) * part)
        }
      }
      switch Int.random(in: 0..<16, using: &random) {
      case 0:
        harness.radioLost(
          [.radioOff, .radioDeaf, .radioGone].randomElement(using: &random)!,
          at: now
        )
        check(&harness, &checked, &state, &known, causes, &violations, allowUnknown: true)
        causes.insert("radio")
      case 1:
        harness.radioRegained(at: now)
        causes.remove("radio")
      case 2:
        harness.advance(to: now)
        harness.machine.told = harness.machine.state
        harness.machine.withheld(.accuracy, at: RegionHarness.at(now), into: &harness.actions)
        check(&harness, &checked, &state, &known, causes, &violations, allowUnknown: true)
        known = nil
        causes.insert("accuracy")
      case 3:
        harness.advance(to: now)
        harness.machine.permitted(at: RegionHarness.at(now))
        causes.remove("accuracy")
      case 4:
        harness.advance(to: now)
        harness.stoodStill(now, now + 100)
        now += 100
      default:
        let beacon = RegionHarness.beacon(UInt16.random(in: 1...3, using: &random))
        let distance = [nil, 1, 2.5, 5].randomElement(using: &random) ?? nil
        let rssi = Int8.random(in: -95 ... -50, using: &random)
        harness.receive(beacon, at: now, rssi: rssi, distance: distance)
      }
      check(&harness, &checked, &state, &known, causes, &violations, allowUnknown: false)
      if !causes.isEmpty, harness.machine.state != .unknown { violations.append("known at \(now)") }
    }
    return Run(actions: harness.actions, violations: violations)
  }

  /// The oracle: it knows only the actions and the current reasons for unknown.
  private func check(
    _ harness: inout RegionHarness,
    _ checked: inout Int,
    _ state: inout RegionState,
    _ known: inout RegionState?,
    _ causes: Set<String>,
    _ violations: inout [String],
    allowUnknown: Bool
  ) {
    var expected: RegionState?
    for action in harness.actions[checked...] {
      if checked > 0, action.time < harness.actions[checked - 1].time {
        violations.append("time went back at \(action)")
      }
      switch action {
      case .entered:
        if state != .outside, known != .outside { violations.append("entered from \(state)") }
        expected = .inside
      case .exited:
        if state != .inside, known != .inside { violations.append("left from \(state)") }
        expected = .outside
      case .determined(let new, _, _, _):
        if let expected, new != expected { violations.append("\(expected) determined as \(new)") }
        // Only the project's own profile delivers that the state is unknown, and what was crossed meanwhile.
        let before = known ?? state
        let wasCrossing = before != .unknown && new != .unknown && new != before
        if wasCrossing, expected == nil {
          violations.append("crossing not delivered: \(state) to \(new)")
        }
        if new == state { violations.append("\(new) delivered twice") }
        if !causes.isEmpty { violations.append("\(new) delivered while \(causes) stand") }
        if new == .unknown, !allowUnknown { violations.append("unknown without a cause") }
        known = new == .unknown && state != .unknown ? state : new == .unknown ? known : nil
        state = new
        expected = nil
      }
      checked += 1
    }
    if expected != nil { violations.append("a crossing without its state") }
    // Core Location's profile does not deliver a change to unknown.
    state = harness.machine.state
  }

  /// Law L4.
  @Test func `no action breaks a rule, and one step of time equals many`() throws {
    var exits = 0
    for seed in UInt64(1)...600 {
      let once = try run(seed, steps: false)
      #expect(once.violations.isEmpty, "seed \(seed)")
      #expect(try run(seed, steps: true).actions == once.actions, "seed \(seed)")
      for case .exited in once.actions { exits += 1 }
    }
    // The runs prove something only if regions change in them.
    #expect(exits > 500)
  }
}
