// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconFormats
@testable import BeaconScenarios
import BeaconCore

/// A scenario in two parts: a delegate's callbacks by Apple's names, and the machine's messages to the user.
struct RoomScenario {
  /// The events that a delegate can receive, with the fields that it can see.
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

  /// The reason why a scenario cannot be run here.
  enum Unfit: String, Error, CaseIterable {
    case extensions = "a zone, an assumed state or ranging bound to a region, which are ours"
    case ended = "an event of a program whose process has ended, which only a service can deliver"
    case actsInGap =
      "an action within a gap, where the source would have to report a time that it does not know"
    case unreadable = "it is no scenario"
  }

  /// The expected callbacks of delegates.
  let callbacks: Scenario
  /// The user's view (prompts, notifications, the indicator, Settings), and the diagnostics.
  let machine: Scenario

  init(_ whole: Scenario) throws(Unfit) {
    for step in whole.steps {
      try Self.check(step)
      // The source reports the time of each step, which would end a gap.
      let isInGap = whole.gaps.contains { $0.lowerBound < step.time && step.time < $0.upperBound }
      guard !isInGap else { throw .actsInGap }
    }
    for expectation in whole.expectations {
      let last = whole.steps.reversed().first {
        $0.time < expectation.time && $0.endsOrStarts == expectation.client
      }
      if let last, case .terminate = last.action { throw .ended }
    }
    callbacks = Self.part(of: whole, whole.expectations.compactMap(Self.reduced)) {
      Self.isCallback($0)
    }
    machine = Self.part(of: whole, whole.expectations.filter { Self.reduced($0) == nil }) {
      !Self.isCallback($0)
    }
  }

  /// A time as scenario files write it.
  ///
  /// Inputs before a user action come a microsecond early here, since a session performs the action that much later.
  static func wholeTime(_ time: TimeSpan) -> TimeSpan {
    TimeSpan(microseconds: (time.microseconds + 500) / 1000 * 1000)
  }

  /// Returns whether a delegate receives events of a type.
  static func isCallback(_ type: String) -> Bool { fields[type] != nil }

  private static func part(
    of whole: Scenario,
    _ expectations: [ScenarioExpectation],
    _ isMeant: (String) -> Bool
  ) -> Scenario {
    Scenario(
      name: whole.name,
      configuration: whole.configuration,
      start: whole.start,
      programs: whole.programs,
      receivers: whole.receivers,
      entries: whole.entries,
      expectations: expectations,
      only: whole.only.filter(isMeant),
      never: whole.never.filter(isMeant),
      gaps: whole.gaps,
      end: whole.end
    )
  }

  private static func check(_ step: ScenarioStep) throws(Unfit) {
    switch step.action {
    case .request(.monitor(let region, let assumed), _):
      guard region.zone == nil, assumed == nil else { throw .extensions }
    case .request(.range(_, .some), _): throw .extensions
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

extension ScenarioStep {
  /// The client whose process ends or starts with the step.
  fileprivate var endsOrStarts: Int? {
    switch action {
    case .terminate(let client), .relaunch(let client): client
    default: nil
    }
  }
}
