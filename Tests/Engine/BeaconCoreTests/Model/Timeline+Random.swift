// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport

extension Timeline {
  /// A random timeline; the same seed gives the same one.
  init(seed: UInt64, restarting: Bool = false) {
    var source = RandomTimeline(seed: seed, restarting: restarting)
    self = source.make()
  }
}

extension Timeline {
  /// The timeline with clients that may never know of beacons.
  func limited() -> Timeline {
    var limited = self
    for (index, client) in limited.clients.enumerated() {
      let isReduced = hasAccuracy && client.status != .denied && client.status != .restricted
      limited.clients[index].accuracy = isReduced ? .reduced : client.accuracy
      if !isReduced, client.status != .restricted { limited.clients[index].status = .denied }
    }
    limited.steps.removeAll { step in
      switch step.action {
      case .user(.answer, _), .user(.settings, _), .user(.services, _), .user(.restriction, _): true
      default: false
      }
    }
    return limited
  }
}

/// Makes timelines in which something happens: prompts are asked for and answered, beacons come and go while programs
/// are in use and out of it.
private struct RandomTimeline {
  private var random: SplitMix64
  private var timeline = Timeline()
  /// The receivers, and whether they listen; otherwise they report nothing. Of the second one nothing is known at first.
  private var listening = [true]
  /// The clients whose process has ended.
  private var ended: Set<Int> = []
  /// Whether the process that plays the clients ends now and then.
  private let restarts: Bool

  init(seed: UInt64, restarting restarts: Bool) {
    random = SplitMix64(seed: seed)
    self.restarts = restarts
  }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  mutating func make() -> Timeline {
    timeline.profile = one(of: Profile.allCases)
    let ranges = chance(25)
    if chance(30) { listening.append(true) }
    for _ in 0..<one(of: [1, 1, 1, 2, 3]) { timeline.clients.append(client()) }
    for client in timeline.clients.indices where chance(80) {
      add(.request(monitor(), client: client), at: one(of: [0, 500]))
    }
    var time = 1000
    for _ in 0..<Int.random(in: 3...28, using: &random) {
      time += one(of: [0, 0, 500, 500, 1000, 2000, 4500, 5000, 7500, 10_000, 15_000, 31_000])
      if chance(4) {
        let start = (time + 9999) / 10_000 * 10_000
        time = start + one(of: [40_000, 70_000, 150_000])
        add(.gap(until: time), at: start)
        for _ in 0..<one(of: [0, 0, 1, 1, 2]) {
          actUnseen(at: Int.random(in: start / 500..<time / 500, using: &random) * 500)
        }
        time += 500
      }
      if restarts, chance(12) {
        ended = []
        add(.restart, at: time)
        time += 500
      }
      if chance(5) { time = takeTurns(from: time) }
      act(at: time, ranges: ranges)
    }
    timeline.end = time + one(of: [0, 5000, 12_000, 35_000])
    return timeline
  }

  private mutating func client() -> Timeline.Client {
    var client = Timeline.Client(
      manifest: Manifest(
        whenInUse: chance(95) ? "w" : nil,
        alwaysAndWhenInUse: chance(90) ? "a" : nil,
        purposes: [Manifest.Purpose(key: "K", text: "k")],
        defaultAccuracyReduced: chance(10),
        backgroundLocation: chance(70),
        appClip: chance(10),
        explicitServiceSession: chance(15)
      )
    )
    client.status = one(
      of: [
        .notDetermined, .notDetermined, .notDetermined, .authorizedWhenInUse,
        .authorizedWhenInUse, .authorizedAlways, .authorizedAlways, .denied, .restricted,
      ]
    )
    client.accuracy = chance(85) ? .full : .reduced
    client.isForeground = chance(85)
    return client
  }

  private mutating func add(_ action: Timeline.Action, at time: Int) {
    timeline.steps.append(Timeline.Step(time: time, action: action))
  }

  private mutating func act(at time: Int, ranges: Bool) {
    let client = Int.random(in: 0..<timeline.clients.count, using: &random)
    let receiver = Int.random(in: 0..<listening.count, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30 where listening[receiver]:
      // A report of the very microsecond in which ticks may come again counts as one of before.
      let beacon = one(of: [0, 0, 0, 1, 1, 2, 3])
      add(.report(beacon, receiver: receiver), at: ranges ? time + 100 : time)
    case 0..<8, 30..<36:
      let state: RadioState = one(of: [.off, .off, .gone, .deaf, .listening, .listening])
      listening[receiver] = state == .listening
      add(.radio(state, receiver: receiver), at: time)
    case 36..<70: addUser(client, at: time)
    case 70..<74: end(client, at: time)
    default:
      if ended.contains(client) { return end(client, at: time) }
      add(.request(request(ranges), client: client), at: time)
    }
  }

  /// A receiver listens in turns, and receives something in some of them.
  private mutating func takeTurns(from start: Int) -> Int {
    let receiver = Int.random(in: 0..<listening.count, using: &random)
    let (turn, pause) = (
      one(of: [2500, 5000, 7500, 15_000]), one(of: [4500, 5000, 10_000, 40_000])
    )
    var time = start
    for _ in 0..<Int.random(in: 2...9, using: &random) {
      add(.radio(one(of: [.off, .off, .gone, .deaf]), receiver: receiver), at: time)
      time += pause
      add(.radio(.listening, receiver: receiver), at: time)
      if chance(15) { add(.report(one(of: [0, 0, 1, 2]), receiver: receiver), at: time + 700) }
      time += turn
    }
    listening[receiver] = true
    return time
  }

  /// What a user or a program does while the source gives nothing.
  private mutating func actUnseen(at time: Int) {
    let client = Int.random(in: 0..<timeline.clients.count, using: &random)
    if chance(60) || ended.contains(client) { return addUser(client, at: time) }
    add(.request(request(false), client: client), at: time)
  }

  private mutating func end(_ client: Int, at time: Int) {
    if ended.contains(client) || chance(50) {
      ended.remove(client)
      add(.relaunch(client), at: time)
    } else {
      ended.insert(client)
      add(.terminate(client), at: time)
    }
  }

  private mutating func addUser(_ client: Int, at time: Int) {
    switch Int.random(in: 0..<36, using: &random) {
    case 0..<12: add(.user(.answer(choice(), precise: chance(80)), client: client), at: time)
    case 12..<16 where !ended.contains(client): add(.user(.background, client: client), at: time)
    case 16..<19 where !ended.contains(client): add(.user(.foreground, client: client), at: time)
    case 19..<24: add(.user(.quiet, client: client), at: time)
    case 24..<28:
      let value: SettingsValue? = chance(60) ? one(of: SettingsValue.allCases) : nil
      let precise: Bool? = value == nil || chance(30) ? chance(50) : nil
      add(.user(.settings(authorization: value, precise: precise), client: client), at: time)
    case 28: add(.user(.services(on: chance(50)), client: nil), at: time)
    case 29: add(.user(.restriction(on: chance(40)), client: nil), at: time)
    case 30, 31: add(.user(.screenOn, client: nil), at: time)
    case 32,
      33 where !ended.contains(client):
      let region = one(of: Timeline.regionNames)
      add(.user(.tapNotification(region: region), client: client), at: time)
    default: add(.user(.quiet, client: client), at: time)
    }
  }

  private mutating func choice() -> PromptChoice {
    one(
      of: [
        .whileUsing, .whileUsing, .whileUsing, .once, .dontAllow, .keepWhileUsing,
        .changeToAlways, .changeToAlways, .changeToAlways, .alwaysAllow, .allow, .allow,
        .untilTomorrow,
      ]
    )
  }

  private mutating func request(_ ranges: Bool) -> ClientRequest {
    let constraint = one(of: Timeline.constraints)
    let region = RegionIdentifier(one(of: Timeline.regionNames))
    switch Int.random(in: 0..<34, using: &random) {
    case 30, 31:
      let session = ServiceSession(id: one(of: [1, 2]), goal: .none, isImplicit: chance(20))
      return .authorize(.beginService(session))
    case 32: return .authorize(.endService(id: one(of: [1, 2])))
    case 0..<4: return .authorize(.whenInUse)
    case 4..<12: return .authorize(.always)
    case 12..<14: return .authorize(.temporaryFull(purpose: chance(85) ? "K" : "Z"))
    case 14: return .authorize(.startSession)
    case 15: return .authorize(.stopSession)
    case 16..<19: return .stopMonitoring(region)
    case 19..<22: return .requestState(region)
    case 22..<24 where ranges: return .range(constraint)
    case 24 where ranges: return .stopRanging(constraint)
    case 33: return .stopNotifying(region)
    case 25:
      let place = Region(region, constraint, notifyOnEntry: chance(80), notifyOnExit: chance(60))
      return .notify(RegionNotification(place, repeats: chance(50)))
    default: return monitor()
    }
  }

  /// Mostly the same few regions, so that equal ones are registered again.
  private mutating func monitor() -> ClientRequest {
    let number = one(of: [0, 0, 0, 1, 2])
    var region = Region(
      RegionIdentifier(Timeline.regionNames[number]),
      Timeline.constraints[number]
    )
    if chance(15) { region.constraint = one(of: Timeline.constraints) }
    if chance(10) { region.notifyOnEntry = false }
    if chance(10) { region.notifyOnExit = false }
    if chance(20) { region.notifyEntryStateOnDisplay = true }
    let assumed: RegionState? = chance(15) ? one(of: RegionState.allCases) : nil
    return .monitor(region, assuming: assumed)
  }
}
