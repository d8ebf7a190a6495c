// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconFormats
@testable import BeaconTesting
import BeaconCore

/// A scenario as far as it can be told through Apple's names.
struct RoomScenario {
  /// The events that a delegate can be told, with the fields that it can see.
  private static let fields: [String: [String]] = [
    "ranged": ["constraint", "beacons"],
    "region.state": ["region", "state"],
    "region.enter": ["region"],
    "region.exit": ["region"],
    "authorization": ["status", "accuracy"],
    "completion": ["request", "region", "purpose", "error"],
    "failure": ["code", "region", "constraint"],
  ]
  private static let beaconFields = [
    "uuid", "major", "minor", "proximity", "distance", "rssi", "last_heard",
  ]

  /// Why a scenario cannot be told here.
  enum Unfit: String, Error, CaseIterable {
    case notification = "a notification that is tapped, which is not Core Location's"
    case relaunch = "a program that starts again, which is another process here"
    case termination = "a program that has ended, which is told nothing more"
    case extensions = "a zone, an assumed state or ranging bound to a region, which are ours"
    case unreadable = "it is no scenario"
    case nothingLeft = "it speaks of prompts, Settings, indicators or diagnostics alone"
  }

  let scenario: Scenario

  init(_ whole: Scenario) throws(Unfit) {
    for step in whole.steps { try Self.check(step) }
    let expectations = whole.expectations.compactMap(Self.reduced)
    let only = whole.only.filter { Self.fields[$0] != nil }
    let never = whole.never.filter { Self.fields[$0] != nil }
    guard !expectations.isEmpty || !never.isEmpty || !only.isEmpty else { throw .nothingLeft }
    scenario = Scenario(
      name: whole.name,
      configuration: whole.configuration,
      start: whole.start,
      programs: whole.programs,
      receivers: whole.receivers,
      steps: whole.steps.filter { !Self.isNotification($0) },
      expectations: expectations,
      only: only,
      never: never,
      gaps: whole.gaps,
      end: whole.end
    )
  }

  /// Whether a step asks the machine for a notification, which no manager hears of.
  private static func isNotification(_ step: ScenarioStep) -> Bool {
    if case .request(.notify, _) = step.action { return true }
    return false
  }

  private static func check(_ step: ScenarioStep) throws(Unfit) {
    switch step.action {
    case .person(.tapNotification, _): throw .notification
    case .request(.monitor(let region, let assumed), _):
      guard region.zone == nil, assumed == nil else { throw .extensions }
    case .request(.range(_, .some), _): throw .extensions
    case .relaunch: throw .relaunch
    case .terminate: throw .termination
    default: break
    }
  }

  private static func reduced(_ expectation: ScenarioExpectation) -> ScenarioExpectation? {
    guard case .event(let type, let members) = expectation.subject, let seen = fields[type] else {
      return nil
    }
    var kept: [JSON5Member] = []
    for member in members where seen.contains(member.key) {
      var member = member
      if member.key == "beacons", case .array(let beacons) = member.value.content {
        member.value.content = .array(beacons.map(reducedBeacon))
      }
      kept.append(member)
    }
    return ScenarioExpectation(
      time: expectation.time,
      within: expectation.within,
      client: expectation.client,
      subject: .event(type: type, fields: kept),
      position: expectation.position
    )
  }

  private static func reducedBeacon(_ beacon: JSON5Value) -> JSON5Value {
    guard case .object(let members) = beacon.content else { return beacon }
    var beacon = beacon
    beacon.content = .object(members.filter { beaconFields.contains($0.key) })
    return beacon
  }
}
