// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons
package import ESPHomeAPI

/// Converts what Bluetooth proxies send into scan inputs, each with the time at which it arrived.
///
/// Time passes only as far as every listening proxy has shown that it is there: a missing answer may be a lost
/// connection, and then a beacon without reports is not silent. So no exit is concluded from it (row M11).
package struct ProxyReception: Sendable {
  /// A note for the user.
  package enum Remark: Sendable, Equatable {
    /// The advertisements of a proxy stopped although it is there.
    case silent(Int)
    /// They came again.
    case receivesAgain(Int)
    /// The reports of the others waited for a proxy; named once an hour.
    case isLate(Int)
    /// A proxy sends more than its share; named once an hour.
    case sendsTooMuch(Int)
  }

  private struct Receiver {
    let name: String
    var state = RadioState.gone
    /// When it last sent a message.
    var lastReceived = Timestamp.earliest
    /// Since when its scanner is not running, and the state that follows if it does not run soon.
    var pause: (start: Timestamp, state: RadioState)?
    var judge = DeafnessJudge()
    var isJudgedDeaf = false
    /// Whether it listens when its messages are of the present again; `nil` while they are.
    var listensLater: Bool?
    /// How many of its inputs wait.
    var waiting = 0
    /// Whether time stands still since its last message.
    var holdsUp = false
    /// When it was last named as late, and as one that sends too much.
    var named: (late: Timestamp?, flood: Timestamp?)
  }

  /// A proxy that sends no message for so long is deaf since its last one.
  package static let patience = ProxySubscription.lateness
  /// One that sends none for so long holds up the others, and is named when it does; a bad Wi-Fi repeats a packet for less
  /// most of the time.
  static let lateness = TimeSpan.milliseconds(1500)
  /// While another one was there so lately, the network of this machine is not the reason.
  private static let presence = TimeSpan.seconds(1)
  private static let remarkInterval = TimeSpan.seconds(3600)
  /// A scanner that stops for less pauses: ESPHome's does so each time it starts a new scan.
  package static let shortestPause = ScanWatch.shortestPause
  /// Reports from before a scanner stopped can follow for so long.
  private static let stragglers = TimeSpan.seconds(1)
  /// The longest data of an advertisement: that of an extended one.
  static let longestData = 1650
  /// The most inputs that wait, of which each proxy has an equal share: 500 a second from each of 50 for four seconds.
  static let waitingLimit = 100_000
  /// The most proxies: their numbers have eight bits.
  package static let receiverLimit = 200

  private var receivers: [Receiver]
  private var held = HeldInputs()
  private var remarks: [Remark] = []
  /// The inputs that were not used.
  package private(set) var drops = Tally<DropReason>()
  /// Until when everything was given.
  package private(set) var reached: Timestamp

  package init(_ names: [String], at time: Timestamp) {
    receivers = names.map { Receiver(name: $0) }
    reached = time
    begin(at: time)
  }

  /// Starts the timeline: earlier reports are left out.
  package mutating func begin(at time: Timestamp) {
    reached = max(reached, time)
    held = HeldInputs()
    for index in receivers.indices {
      receivers[index].waiting = 0
      append(receivers[index].state, of: index, at: reached)
    }
  }

  /// The names of the receivers, by their number.
  package var receiverNames: [String] { receivers.map(\.name) }

  /// Returns the remarks since the last call.
  package mutating func drainRemarks() -> [Remark] {
    defer { remarks = [] }
    return remarks
  }

  // MARK: In

  /// Notes that a message of a proxy came, after its events.
  package mutating func isThere(_ index: Int, at time: Timestamp) {
    receivers[index].lastReceived = max(receivers[index].lastReceived, time)
    guard receivers[index].holdsUp else { return }
    receivers[index].holdsUp = false
    name(.isLate(index), \.named.late, of: index, at: time)
  }

  /// Names a proxy, unless it was named in the last hour.
  private mutating func name(
    _ remark: Remark,
    _ last: WritableKeyPath<Receiver, Timestamp?>,
    of index: Int,
    at time: Timestamp
  ) {
    let named = receivers[index][keyPath: last]
    guard named.map({ time - $0 >= Self.remarkInterval }) ?? true else { return }
    receivers[index][keyPath: last] = time
    remarks.append(remark)
  }

  /// Processes an event of a proxy's connection, whose bytes came at a time.
  package mutating func add(_ event: ProxySubscription.Event, of index: Int, at time: Timestamp) {
    switch event {
    case .subscribed(let info):
      receivers[index].judge.forget()
      // A proxy without this feature does not report its scanner's state.
      if !info.features.contains(.stateAndMode) { listens(index, at: time) }
    case .scanner(let state): set(state.phase, of: index, at: time)
    case .advertisements(let list): for item in list { add(item, of: index, at: time) }
    case .unreadable: drops.count(.malformedRecord)
    case .fellBehind:
      let (state, pause) = (receivers[index].state, receivers[index].pause)
      deafen(index)
      receivers[index].listensLater = state == .listening && pause == nil
    case .caughtUp:
      guard receivers[index].listensLater.take() == true else { return }
      listens(index, at: time)
    }
  }

  /// Notes that the connection of a proxy has ended.
  package mutating func lost(_ index: Int) {
    receivers[index].holdsUp = false
    receivers[index].listensLater = nil
    deafen(index)
  }

  /// A proxy that listened is deaf since its last message.
  private mutating func deafen(_ index: Int) {
    guard receivers[index].state == .listening else { return }
    let time = receivers[index].pause?.start ?? receivers[index].lastReceived
    set(.deaf, of: index, at: time)
  }

  private mutating func set(_ phase: ScannerState.Phase, of index: Int, at time: Timestamp) {
    let state: RadioState
    switch phase {
    case .running:
      receivers[index].pause = nil
      guard receivers[index].listensLater == nil else {
        return receivers[index].listensLater = !receivers[index].isJudgedDeaf
      }
      return receivers[index].isJudgedDeaf ? () : listens(index, at: time)
    case .failed: state = .deaf
    case .idle, .starting, .stopping, .stopped: state = .off
    }
    if receivers[index].listensLater != nil { receivers[index].listensLater = false }
    if receivers[index].state == .listening {
      receivers[index].pause = (receivers[index].pause?.start ?? time, state)
    } else {
      set(state, of: index, at: time)
    }
  }

  private mutating func listens(_ index: Int, at time: Timestamp) {
    receivers[index].lastReceived = max(receivers[index].lastReceived, time)
    receivers[index].isJudgedDeaf = false
    set(.listening, of: index, at: time)
  }

  private mutating func add(_ item: RawAdvertisement, of index: Int, at time: Timestamp) {
    guard item.data.count <= Self.longestData else { return drops.count(.malformedRecord) }
    guard receivers[index].waiting < Self.waitingLimit / receivers.count else {
      drops.count(.sourceOverflow)
      name(.sendsTooMuch(index), \.named.flood, of: index, at: time)
      // A beacon whose reports are left out is not silent.
      return set(.deaf, of: index, at: time)
    }
    if let pause = receivers[index].pause, time - pause.start > Self.stragglers {
      receivers[index].pause = nil
    }
    if receivers[index].isJudgedDeaf { remarks.append(.receivesAgain(index)) }
    if receivers[index].state != .listening { listens(index, at: time) }
    var report = AdvertisingReport(
      time: time,
      rssi: AdvertisingReport.rssi(UInt8(bitPattern: item.rssi)),
      receiver: UInt8(clamping: index),
      address: DeviceAddress.Kind(addressType: item.addressType).map {
        DeviceAddress(item.address, kind: $0)
      },
      payloadStart: 0,
      payloadCount: UInt16(item.data.count)
    )
    let range = 0..<item.data.count
    report.found = BeaconDecoder.find(advertisingData: item.data.span, in: range)
    let uuid = BeaconDecoder.read(report, in: item.data.span).identity?.uuid
    receivers[index].judge.received(from: report.address, uuid: uuid, at: time)
    held.waiting.append(report, payload: item.data)
    receivers[index].waiting += 1
  }

  /// Changes a receiver's state; no earlier than the inputs that were given.
  private mutating func set(_ state: RadioState, of index: Int, at time: Timestamp) {
    guard receivers[index].state != state else { return }
    receivers[index].state = state
    receivers[index].pause = nil
    if state != .listening { receivers[index].judge.forget() }
    append(state, of: index, at: max(time, reached))
  }

  private mutating func append(_ state: RadioState, of index: Int, at time: Timestamp) {
    held.waiting.inputs.append(.radio(receiver: UInt8(clamping: index), state, time))
  }

  // MARK: Out

  /// Returns until when everything is known at a time.
  package func horizon(at time: Timestamp) -> Timestamp {
    let known = receivers.filter { $0.state == .listening }.map { receiver in
      min(receiver.pause?.start ?? .latest, receiver.lastReceived)
    }
    return max(reached, min(time, known.min() ?? time))
  }

  /// Whether an input waits that is known at a time.
  package func hasInputs(until horizon: Timestamp) -> Bool {
    held.waiting.inputs.contains { $0.time <= horizon }
  }

  /// Returns the inputs that are known at a time, in the order of time.
  package mutating func drain(at time: Timestamp) -> ScanBatch {
    noteLate(at: time)
    for index in receivers.indices where receivers[index].state == .listening {
      judge(index, at: time)
    }
    let horizon = horizon(at: time)
    var batch = held.release(until: horizon)
    for input in batch.inputs {
      if case .report(let report) = input { receivers[Int(report.receiver)].waiting -= 1 }
    }
    batch.upTo = horizon
    reached = horizon
    return batch
  }

  /// Notes the proxies that hold up the others.
  private mutating func noteLate(at time: Timestamp) {
    let isAnyThere =
      receivers.count == 1 || receivers.contains { time - $0.lastReceived < Self.presence }
    guard isAnyThere else { return }
    for index in receivers.indices
    where receivers[index].state == .listening
      && time - receivers[index].lastReceived >= Self.lateness
    { receivers[index].holdsUp = true }
  }

  private mutating func judge(_ index: Int, at time: Timestamp) {
    let last = receivers[index].lastReceived
    if let pause = receivers[index].pause, time - pause.start >= Self.shortestPause {
      set(pause.state, of: index, at: pause.start)
    } else if time - last >= Self.patience {
      set(.deaf, of: index, at: last)
    } else if receivers[index].pause == nil, receivers[index].judge.timePassed(to: last) {
      set(.deaf, of: index, at: last)
      receivers[index].isJudgedDeaf = true
      remarks.append(.silent(index))
    }
  }
}
