// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Converts MQTT messages from gateways into scan inputs.
///
/// Inputs wait for those of slower gateways and are then given in the order of time. Each gateway's clock is compared
/// with the time of arrival. One that is off is named, and its reports counts as received when it arrived.
///
/// The site itself is the first receiver, and is gone: while no other one listens, nothing is concluded (row M6). A receiver
/// listens by its present messages, never by retained ones.
package struct SiteReception: Sendable {
  /// Notes for a user.
  package enum Remark: Sendable, Equatable {
    /// A gateway's clock is ahead, or behind if the span is negative.
    case clockIsOff(gateway: String, by: TimeSpan)
    /// It is right again.
    case clockIsRight(gateway: String)
  }

  private struct Gateway {
    /// The numbers of the last messages, with their starts.
    var known: [String] = []
    var isOff = false
    /// How often its clock was named lately, and when last.
    var remarks = 0
    var named: Timestamp?
  }

  private struct Receiver {
    var gateway: String?
    /// The end of the last second that a gateway described; `nil` for a node, which sends none.
    var described: Timestamp?
  }

  /// How long an input waits at least for earlier ones: a second to be over, and two for the way.
  package static let window = TimeSpan.seconds(3)
  /// A message that comes later than this, or this much too early, is of a clock that is off.
  static let latest = TimeSpan.seconds(2)
  static let earliest = TimeSpan.seconds(1)
  /// A gateway that describes no second for so long is gone.
  static let patience = TimeSpan.seconds(5)
  /// The most receivers: their numbers have eight bits, and some are left to later ones.
  static let receiverLimit = 200
  /// Of them, the most that only announced themselves: a broker keeps such messages of any sender.
  static let announcedLimit = 100
  /// The most inputs that wait: a thousand beacons at fifty receivers in three seconds are fewer.
  static let waitingLimit = 200_000
  private static let knownLimit = 128
  /// A clock is named so often, and then not before an hour is over: of a sender with right and wrong times in turn,
  /// each message would be a line of the log.
  static let remarkLimit = 8
  private static let remarkInterval = TimeSpan.seconds(3600)

  private let site: TopicName
  private var gateways: [String: Gateway] = [:]
  private var inputs: SummedInputs
  private var receivers = [Receiver()]
  /// Unused messages, with reasons.
  package private(set) var faults = Tally<IncomingFault>()
  /// How many messages were used.
  package private(set) var used = 0
  private var remarks: [Remark] = []

  /// - Parameters:
  ///   - site: The site.
  ///   - time: Now.
  package init(_ site: TopicName, at time: Timestamp) {
    self.site = site
    reached = time - Self.window
    // No other receiver has such a name: those of gateways have one slash, those of nodes none.
    inputs = SummedInputs(of: "mqtt://\(site)")
    inputs.start(at: reached)
  }

  /// Until when everything was given; before the first call of ``drain(at:)``, the start of the timeline.
  package private(set) var reached: Timestamp

  /// The names of the receivers so far, by their number.
  package var receiverNames: [String] { inputs.receiverNames }
  /// Notes for a user since the last call.
  package mutating func drainRemarks() -> [Remark] {
    defer { remarks = [] }
    return remarks
  }

  // MARK: Messages

  /// Adds a message.
  ///
  /// - Parameters:
  ///   - topic: Its topic.
  ///   - payload: Its bytes.
  ///   - isRetained: Whether the broker kept it from an earlier time.
  ///   - time: Now.
  package mutating func receive(
    _ topic: String,
    _ payload: [UInt8],
    isRetained: Bool = false,
    at time: Timestamp
  ) {
    do throws(IncomingFault) {
      let message = try IncomingMessage(topic, payload, isRetained: isRetained, site: site)
      try add(message, at: time)
      used += 1
    } catch {
      faults.count(error)
    }
  }

  private mutating func add(
    _ message: IncomingMessage,
    at time: Timestamp
  ) throws(IncomingFault) {
    switch message {
    case .levels(let levels): try add(levels, at: time)
    case .radio(let gateway, let states, let since):
      for (name, state) in states.sorted(by: { $0.key < $1.key }) where state != .listening {
        let receiver = try number(of: "\(gateway)/\(name)", gateway, Self.announcedLimit)
        try set(receiver, state, at: isPlausible(since, at: time) ? since : time)
      }
    case .status(let gateway, let isOnline):
      guard !isOnline else { return }
      for (number, receiver) in receivers.enumerated() where receiver.gateway == gateway {
        leave(number, at: time)
      }
    case .node(let name, let isOnline):
      // A node's reports show that it listens: the broker may keep `online` of one that is gone.
      guard !isOnline, let number = receiverNames.firstIndex(of: name) else { return }
      leave(number, at: time)
    case .other(let name):
      try set(try number(of: name, nil, Self.announcedLimit), .listening, at: time)
      throw .notABeacon
    case .sighting(let name, let beacon, let rssi, let power):
      let receiver = try number(of: name, nil)
      try set(receiver, .listening, at: time)
      try add(beacon, power: power, rssi: rssi, at: receiver, time)
    }
  }

  private mutating func add(
    _ levels: LevelsMessage,
    at time: Timestamp
  ) throws(IncomingFault) {
    let receiver = try number(of: "\(levels.gateway)/\(levels.receiver)", levels.gateway)
    try note(levels)
    let second = TimeSpan.seconds(1)
    let ahead = levels.second + second - time
    let isOff = !isPlausible(levels.second + second, at: time)
    compareClock(levels.gateway, isOff: isOff, ahead, at: time)
    let start = isOff ? time - second : levels.second
    let listens = levels.span > .zero
    if listens { try set(receiver, .listening, at: start + (second - levels.span)) }
    receivers[Int(receiver)].described = start + second
    for beacon in levels.beacons {
      let second = SummedReports(beacon.reports, mean: beacon.rssi, from: start)
      for (time, rssi) in second.reports {
        try add(beacon.identity, power: beacon.power, rssi: rssi, at: receiver, time)
      }
    }
  }

  private func isPlausible(_ stamp: Timestamp, at time: Timestamp) -> Bool {
    time - stamp <= Self.latest && stamp - time <= Self.earliest
  }

  private mutating func compareClock(
    _ gateway: String,
    isOff: Bool,
    _ ahead: TimeSpan,
    at time: Timestamp
  ) {
    guard let known = gateways[gateway], known.isOff != isOff else { return }
    gateways[gateway]?.isOff = isOff
    if time - (known.named ?? time) >= Self.remarkInterval { gateways[gateway]?.remarks = 0 }
    guard let count = gateways[gateway]?.remarks, count < Self.remarkLimit else { return }
    gateways[gateway]?.remarks = count + 1
    gateways[gateway]?.named = time
    remarks.append(
      isOff ? .clockIsOff(gateway: gateway, by: ahead) : .clockIsRight(gateway: gateway)
    )
  }

  /// A message is used once, although a broker may deliver it twice.
  private mutating func note(_ levels: LevelsMessage) throws(IncomingFault) {
    let key = "\(levels.boot)/\(levels.sequence)"
    var gateway = gateways[levels.gateway] ?? Gateway()
    guard !gateway.known.contains(key) else { throw .duplicate }
    gateway.known.append(key)
    if gateway.known.count > Self.knownLimit { gateway.known.removeFirst() }
    gateways[levels.gateway] = gateway
  }

  /// Returns a receiver's number; a new one gets a number where fewer than a limit have one.
  private mutating func number(
    of name: String,
    _ gateway: String?,
    _ limit: Int = receiverLimit
  ) throws(IncomingFault) -> UInt8 {
    guard let number = inputs.number(of: name, atMost: limit) else { throw .tooManyReceivers }
    if number == receivers.count { receivers.append(Receiver(gateway: gateway)) }
    return number
  }

  private mutating func set(
    _ receiver: UInt8,
    _ state: RadioState,
    at time: Timestamp
  ) throws(IncomingFault) {
    guard inputs.count < Self.waitingLimit || inputs.state(of: Int(receiver)) == state else {
      throw .tooMany
    }
    inputs.set(Int(receiver), state, at: time)
  }

  /// Notes that a receiver is gone: undescribed seconds are not known.
  ///
  /// There are as many receivers as numbers, so these inputs have no limit.
  private mutating func leave(_ number: Int, at time: Timestamp) {
    guard inputs.state(of: number) != nil else { return }
    inputs.set(number, .gone, at: receivers[number].described ?? time)
  }

  /// Notes that nothing comes any more: no receiver is known to listen until its next message.
  package mutating func lost(at time: Timestamp) {
    for number in receivers.indices { leave(number, at: time) }
  }

  private mutating func add(
    _ beacon: BeaconIdentity,
    power: Int8,
    rssi: Int8?,
    at receiver: UInt8,
    _ time: Timestamp
  ) throws(IncomingFault) {
    guard inputs.count < Self.waitingLimit else { throw .tooMany }
    inputs.add(beacon, power: power, rssi: rssi, at: receiver, time)
  }

  // MARK: Inputs

  /// Returns until when everything is known at a time: up to ``window`` before it, and no second that a gateway which
  /// listens has not described.
  ///
  /// A gateway that describes none for ``patience`` is gone with the last one that it described.
  package func horizon(at time: Timestamp) -> Timestamp {
    let described = receivers.indices.compactMap { number in
      inputs.state(of: number) == .listening ? receivers[number].described : nil
    }
    let known = described.filter { time - $0 < Self.patience }.min() ?? .latest
    return max(reached, min(time - Self.window, known))
  }

  /// Returns the reports up to ``horizon(at:)``, in the order of time.
  package mutating func drain(at time: Timestamp) -> ScanBatch {
    for number in receivers.indices where inputs.state(of: number) == .listening {
      guard let described = receivers[number].described, time - described >= Self.patience
      else { continue }
      leave(number, at: time)
    }
    let horizon = horizon(at: time)
    defer { reached = horizon }
    return inputs.drain(until: horizon, after: reached)
  }
}
