// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// One region as the engine runs it: deadlines between inputs, and the gaps of each beacon.
struct RegionHarness {
  static let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E

  static func beacon(_ major: UInt16, _ minor: UInt16 = 1) -> BeaconIdentity {
    BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }

  var machine: RegionMachine
  var policy: RegionPolicy
  var actions: [RegionAction] = []
  private(set) var now = 0.0
  private var intervals: [BeaconIdentity: (gaps: ArrivalIntervals, last: Double)] = [:]
  private var deafUntil = -1.0

  init(_ region: Region, _ policy: RegionPolicy) {
    machine = RegionMachine(region, policy: policy)
    self.policy = policy
  }

  static func at(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: 0) + TimeSpan(seconds: seconds)
  }

  mutating func begin(
    at seconds: Double = 0,
    _ beginning: RegionBeginning = .fresh,
    deafness: RegionStateReason? = nil
  ) {
    now = seconds
    machine.began(at: Self.at(seconds), from: beginning, deafness: deafness, into: &actions)
  }

  /// Processes the deadlines before a time; those at that time wait for its inputs.
  mutating func advance(to seconds: Double) {
    now = seconds
    while let deadline = machine.nextDeadline, deadline < Self.at(seconds) {
      machine.timePassed(to: deadline, into: &actions)
    }
  }

  /// Processes the deadlines up to a time, including those at that time.
  mutating func end(at seconds: Double) {
    now = seconds
    machine.timePassed(to: Self.at(seconds), into: &actions)
  }

  mutating func receive(
    _ identity: BeaconIdentity,
    at seconds: Double,
    rssi: Int8? = -60,
    distance: Double? = nil
  ) {
    advance(to: seconds)
    var known = intervals[identity] ?? (ArrivalIntervals(), -1)
    if known.last >= 0, known.last >= deafUntil {
      known.gaps.received(after: TimeSpan(seconds: seconds - known.last), policy.learning)
    }
    known.last = seconds
    intervals[identity] = known
    machine.sighted(
      RegionSighting(identity, rssi: rssi, power: -59, distance: distance, at: Self.at(seconds)),
      intervals: known.gaps,
      into: &actions
    )
  }

  mutating func radioLost(_ reason: RegionStateReason = .radioOff, at seconds: Double) {
    advance(to: seconds)
    machine.receivingLost(reason, at: Self.at(seconds), into: &actions)
  }

  mutating func radioRegained(at seconds: Double) {
    advance(to: seconds)
    deafUntil = seconds
    machine.receivingRegained(at: Self.at(seconds))
  }

  mutating func stoodStill(_ from: Double, _ to: Double) {
    deafUntil = to
    now = to
    machine.clockStoodStill(from: Self.at(from), to: Self.at(to))
  }

  /// The actions as lines: `12.5 exit allSilent`.
  var lines: [String] {
    actions.map { action in
      let seconds = Double(action.time.microseconds) / 1_000_000
      let text =
        switch action {
        case .entered(let reason, _, _): "enter \(reason.rawValue)"
        case .exited(let reason, _, _): "exit \(reason.rawValue)"
        case .determined(let state, .observed, let reason, _): "\(state) \(reason.rawValue)"
        case .determined(let state, let origin, let reason, _):
          "\(state) \(origin) \(reason.rawValue)"
        }
      return seconds == seconds.rounded() ? "\(Int(seconds)) \(text)" : "\(seconds) \(text)"
    }
  }

  var exitExplanation: Explanation? {
    for case .exited(_, let why, _) in actions { return why }
    return nil
  }
}

extension RegionHarness {
  /// Runs a timeline of one character per second from 0 and returns the actions on the same scale.
  ///
  /// In: `*` a beacon, `0` radio off, `1` radio listens. Out: `E` enter and inside, `X` exit and outside, `I` `O` `U`
  /// a state without a crossing.
  static func run(_ timeline: String, _ region: Region, _ policy: RegionPolicy) -> String {
    var harness = RegionHarness(region, policy)
    harness.begin()
    for (second, input) in timeline.enumerated() {
      let time = Double(second)
      switch input {
      case "*": harness.receive(beacon(1), at: time)
      case "0": harness.radioLost(at: time)
      case "1": harness.radioRegained(at: time)
      default: harness.advance(to: time)
      }
    }
    harness.end(at: Double(timeline.count - 1))
    return harness.picture(timeline.count)
  }

  private func picture(_ length: Int) -> String {
    var marks = Array(repeating: Character("-"), count: length)
    for action in actions {
      let slot = Int(action.time.microseconds / 1_000_000)
      switch (action, marks[slot]) {
      case (.entered, "-"): marks[slot] = "E"
      case (.exited, "-"): marks[slot] = "X"
      case (.determined(.inside, _, _, _), "-"): marks[slot] = "I"
      case (.determined(.outside, _, _, _), "-"): marks[slot] = "O"
      case (.determined(.unknown, _, _, _), "-"): marks[slot] = "U"
      case (.determined(.inside, _, _, _), "E"), (.determined(.outside, _, _, _), "X"): continue
      default: marks[slot] = "!"
      }
    }
    return String(marks)
  }
}
