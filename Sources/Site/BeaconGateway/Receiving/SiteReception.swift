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
    /// A gateway or node sends more than its share; it does not listen while its messages are not used.
    case sendsTooMuch(SiteSender)
    /// So many others do, or have clocks that are off: a sender may invent names.
    case notNamed(Int)
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
    /// The sender of its reports; `nil` for the site.
    var sender: SiteSender?
    /// Its name by its sender, which another one may also have.
    var name = ""
    /// The end of the last second that a gateway described; `nil` for a node, which sends none.
    var described: Timestamp?
    /// For how long of the seconds that count as listened to it did not listen.
    var missing = TimeSpan.zero
  }

  /// How long an input waits at least for earlier ones: a second to be over, and two for the way.
  package static let window = TimeSpan.seconds(3)
  /// A message that comes later than this, or this much too early, is of a clock that is off.
  static let latest = TimeSpan.seconds(2)
  static let earliest = TimeSpan.seconds(1)
  /// Seconds that lie so little apart follow each other: a clock that is being corrected stretches them.
  static let seam = TimeSpan.milliseconds(10)
  /// A gateway that describes no second for so long is gone.
  static let patience = TimeSpan.seconds(5)
  /// The most receivers: their numbers have eight bits, and some are left to later ones.
  static let receiverLimit = 200
  /// Of them, the most that only announced themselves: a broker keeps such messages of any sender.
  static let announcedLimit = 100
  /// Of them, the most nodes of other makers, which have one topic for all: gateways keep the rest.
  static let nodeLimit = 128
  /// The most receivers of one gateway, no machine has as many adapters; and while so many numbers or fewer are left, which
  /// nothing frees before a restart.
  static let receiversOfGateway = 16
  static let (fewLeft, fewOfGateway) = (32, 4)
  /// The most inputs that wait, of which each sender has a share: a thousand beacons at fifty receivers in three seconds
  /// are fewer.
  static let waitingLimit = 200_000
  private static let knownLimit = 128
  /// A clock is named so often, and then not before an hour is over: of a sender with right and wrong times in turn,
  /// each message would be a line of the log.
  static let remarkLimit = 8
  private static let remarkInterval = TimeSpan.seconds(3600)
  /// So many senders are named in that time, and the others counted once, when they had this long to become known.
  static let mostNamed = 8
  private static let countingTime = TimeSpan.seconds(10)

  private let site: TopicName
  private var gateways: [String: Gateway] = [:]
  private var inputs: SummedInputs
  private var receivers = [Receiver()]
  /// The inputs that wait, by sender.
  private var shares = SenderShares(limit: waitingLimit)
  /// The senders that were named lately, since when, and those that were not.
  private var named: [SiteSender: Timestamp] = [:]
  private var notNamed: Set<SiteSender> = []
  private var nextCount: Timestamp?
  /// When each sender was last named since it sends too much.
  private var tooMuch: [SiteSender: Timestamp] = [:]
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
      guard error == .tooMany || error == .tooManyReceivers else { return }
      if let sender = IncomingMessage.sender(of: topic) { name(sender, at: time) }
    }
  }

  /// Names a sender that sends too much, once an hour.
  private mutating func name(_ sender: SiteSender, at time: Timestamp) {
    guard tooMuch[sender].map({ time - $0 >= Self.remarkInterval }) ?? true,
      mayName(sender, at: time)
    else { return }
    tooMuch = tooMuch.filter { time - $0.value < Self.remarkInterval }
    tooMuch[sender] = time
    remarks.append(.sendsTooMuch(sender))
  }

  /// Returns whether a sender may be named: each name may be an invention, and would be a line of the log.
  private mutating func mayName(_ sender: SiteSender, at time: Timestamp) -> Bool {
    named = named.filter { time - $0.value < Self.remarkInterval }
    if named[sender] != nil { return true }
    guard named.count < Self.mostNamed else {
      if notNamed.count < Self.receiverLimit { notNamed.insert(sender) }
      nextCount = nextCount ?? time + Self.countingTime
      return false
    }
    named[sender] = time
    return true
  }

  /// Counts the senders that were not named, once in the time in which others were.
  private mutating func countNotNamed(at time: Timestamp) {
    guard let nextCount, nextCount <= time, !notNamed.isEmpty else { return }
    remarks.append(.notNamed(notNamed.count))
    notNamed = []
    self.nextCount = time + Self.remarkInterval
  }

  /// Notes that messages were left out before they came here: their receivers' reports are not known.
  ///
  /// - Parameters:
  ///   - time: Now.
  ///   - senders: Senders of such messages, also those without a receiver.
  ///   - isMissed: Whether messages of a sender were left out.
  package mutating func missed(
    at time: Timestamp,
    _ senders: Set<SiteSender>,
    where isMissed: (SiteSender) -> Bool
  ) {
    for number in receivers.indices.dropFirst() where isMissed(sender(number)) {
      leave(number, at: time)
      name(sender(number), at: time)
    }
    for sender in senders.sorted(by: { "\($0)" < "\($1)" }) where sender != .unknown {
      name(sender, at: time)
    }
  }

  /// The gateway of a receiver, or the node that it is.
  private func sender(_ number: Int) -> SiteSender {
    receivers[number].sender ?? .unknown
  }

  private mutating func add(
    _ message: IncomingMessage,
    at time: Timestamp
  ) throws(IncomingFault) {
    switch message {
    case .levels(let levels): try add(levels, at: time)
    case .radio(let gateway, let states, let since):
      for (name, state) in states.sorted(by: { $0.key < $1.key }) where state != .listening {
        let receiver = try number(of: name, .gateway(gateway), Self.announcedLimit)
        try set(receiver, state, at: isPlausible(since, at: time) ? since : time)
      }
    case .status(let gateway, let isOnline):
      guard !isOnline else { return }
      for (number, receiver) in receivers.enumerated() where receiver.sender == .gateway(gateway) {
        leave(number, at: time)
      }
    case .node(let node, let isOnline):
      // A node's reports show that it listens: the broker may keep `online` of one that is gone.
      guard !isOnline, let number = receivers.firstIndex(where: { $0.sender == node })
      else { return }
      leave(number, at: time)
    case .other(let node):
      try set(try number(of: node, Self.announcedLimit), .listening, at: time)
      throw .notABeacon
    case .sighting(let node, let beacon, let rssi, let power):
      let receiver = try number(of: node)
      try set(receiver, .listening, at: time)
      try checkShare(of: receiver, adding: 1)
      add(beacon, power: power, rssi: rssi, at: receiver, time)
    }
  }

  private mutating func add(
    _ levels: LevelsMessage,
    at time: Timestamp
  ) throws(IncomingFault) {
    let receiver = try number(of: levels.receiver, .gateway(levels.gateway))
    try note(levels)
    let second = TimeSpan.seconds(1)
    let ahead = levels.second + second - time
    let isOff = !isPlausible(levels.second + second, at: time)
    compareClock(levels.gateway, isOff: isOff, ahead, at: time)
    let start = isOff ? time - second : levels.second
    do throws(IncomingFault) {
      // A part of a second would be silence of its other beacons.
      let reports = levels.beacons.reduce(0) { $0 + min($1.reports, SummedReports.limit) }
      try checkShare(of: receiver, adding: reports + 2)
    } catch {
      leave(Int(receiver), at: start)
      throw error
    }
    let described = receivers[Int(receiver)].described
    let isNext = described.map { $0 + Self.seam >= start } ?? false
    if let described, !isNext, !isOff { leave(Int(receiver), at: described) }
    try note(
      levels.span,
      of: receiver,
      from: start,
      follows: isNext || described != nil && isOff
    )
    receivers[Int(receiver)].described = max(described ?? .earliest, start + second)
    for beacon in levels.beacons {
      let second = SummedReports(beacon.reports, mean: beacon.rssi, from: start)
      for (time, rssi) in second.reports {
        add(beacon.identity, power: beacon.power, rssi: rssi, at: receiver, time)
      }
    }
  }

  /// Notes for how long a receiver listened in a second, after one that it described as well or after another time.
  ///
  /// Where in the second is not known. So the missing parts of seconds that follow each other add up, and each whole second
  /// of it is one in which the receiver did not listen.
  private mutating func note(
    _ span: TimeSpan,
    of receiver: UInt8,
    from start: Timestamp,
    follows: Bool
  ) throws(IncomingFault) {
    let second = TimeSpan.seconds(1)
    let missing = follows ? receivers[Int(receiver)].missing + (second - span) : .zero
    receivers[Int(receiver)].missing = missing
    if missing >= second {
      receivers[Int(receiver)].missing = missing - second
      leave(Int(receiver), at: start)
    } else if span > .zero {
      try set(receiver, .listening, at: follows ? start : start + (second - span))
    }
  }

  /// Throws if a sender's inputs that wait would be more than its share.
  private func checkShare(of receiver: UInt8, adding count: Int) throws(IncomingFault) {
    guard shares.mayAdd(count, of: sender(Int(receiver))) else { throw .tooMany }
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
    guard let count = gateways[gateway]?.remarks, count < Self.remarkLimit,
      mayName(.gateway(gateway), at: time)
    else { return }
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

  /// Returns the number of a receiver of a sender; a new one gets a number where fewer than a limit have one.
  private mutating func number(
    of name: String,
    _ sender: SiteSender,
    _ limit: Int = receiverLimit
  ) throws(IncomingFault) -> UInt8 {
    if let known = receivers.firstIndex(where: { $0.sender == sender && $0.name == name }) {
      return UInt8(clamping: known)
    }
    let own = receivers.count { sender.isNode ? $0.sender?.isNode ?? true : $0.sender == sender }
    let areFewLeft = receivers.count >= Self.receiverLimit - Self.fewLeft
    let ofGateway = areFewLeft ? Self.fewOfGateway : Self.receiversOfGateway
    let share = sender.isNode ? Self.nodeLimit : ofGateway
    let shown = shownName(of: name, sender)
    guard let number = inputs.number(of: shown, atMost: own < share ? limit : 0) else {
      throw .tooManyReceivers
    }
    receivers.append(Receiver(sender: sender, name: name))
    return number
  }

  /// Returns the number of the receiver that a node is.
  private mutating func number(
    of node: SiteSender,
    _ limit: Int = receiverLimit
  ) throws(IncomingFault) -> UInt8 {
    guard case .node(_, let name) = node else { throw .otherTopic }
    return try number(of: name, node, limit)
  }

  /// The name of a new receiver, which no other one has: of two nodes with one name the later has its kind in front.
  private func shownName(of name: String, _ sender: SiteSender) -> String {
    switch sender {
    case .gateway(let gateway): return "\(gateway)/\(name)"
    case .unknown: return name
    case .node(let kind, _):
      let taken = receiverNames
      var shown = name
      while taken.contains(shown) { shown = "\(kind.rawValue.lowercased()):\(shown)" }
      return shown
    }
  }

  private mutating func set(
    _ receiver: UInt8,
    _ state: RadioState,
    at time: Timestamp
  ) throws(IncomingFault) {
    guard inputs.state(of: Int(receiver)) != state else { return }
    try checkShare(of: receiver, adding: 1)
    inputs.set(Int(receiver), state, at: time)
    wait(for: receiver)
  }

  /// Counts an input that waits.
  private mutating func wait(for receiver: UInt8) {
    shares.add(1, of: sender(Int(receiver)))
  }

  /// Notes that a receiver is gone: undescribed seconds are not known.
  ///
  /// It listened before, so there are as many of these inputs at most as of others.
  private mutating func leave(_ number: Int, at time: Timestamp) {
    guard let state = inputs.state(of: number), state != .gone else { return }
    inputs.set(number, .gone, at: receivers[number].described ?? time)
    if number > 0 { wait(for: UInt8(clamping: number)) }
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
  ) {
    inputs.add(beacon, power: power, rssi: rssi, at: receiver, time)
    wait(for: receiver)
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
    countNotNamed(at: time)
    let horizon = horizon(at: time)
    defer { reached = horizon }
    let batch = inputs.drain(until: horizon, after: reached)
    for input in batch.inputs {
      switch input {
      case .level(let report): release(report.receiver)
      case .radio(let receiver, _, _): release(receiver)
      default: break
      }
    }
    return batch
  }

  /// Notes that an input waits no longer.
  private mutating func release(_ receiver: UInt8) {
    // The first receiver, the site itself, sends nothing.
    if receiver > 0 { shares.add(-1, of: sender(Int(receiver))) }
  }
}
