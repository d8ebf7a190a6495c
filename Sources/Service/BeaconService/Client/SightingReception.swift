// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Makes scan inputs of the lines of the operator's stream.
///
/// A line has the sums of a second; the inputs are as many reports of the same mean level in that second. The timeline is
/// the service's own, also where the service replays a capture.
///
/// The service itself is the first receiver, and is gone: while no other one listens, nothing is concluded (row P13).
package struct SightingReception: Sendable {
  /// The most receivers: their numbers have eight bits.
  private static let receiverLimit = 200
  private static let limits = JSON5Limits(
    bytes: EventLineReader.longestLine,
    depth: 8,
    values: 100_000,
    faults: 1
  )

  private var waiting: [(order: Int, input: Input)] = []
  private var count = 0
  private var receivers = [Receiver(name: ownName, state: .gone)]
  /// The name of the service as a receiver.
  ///
  /// A recording that the service replays may have it, too: what is said of it then is left out.
  private static let ownName = "service:"
  /// Until when everything was given; `nil` before the first line.
  package private(set) var reached: Timestamp?

  private struct Receiver {
    var name: String
    var state: RadioState?
    /// When it came into this state: another state is never earlier.
    var since = Timestamp.earliest
    /// The state that the service gave last; it holds in each second that the service describes.
    var described: RadioState?
  }

  private enum Input {
    case radio(UInt8, RadioState, Timestamp)
    case report(UInt8, BeaconIdentity, power: Int8, rssi: Int8?, Timestamp)

    var time: Timestamp {
      switch self {
      case .radio(_, _, let time), .report(_, _, _, _, let time): time
      }
    }
  }

  /// Creates a reception that has received nothing.
  package init() {}

  /// The names of the receivers so far, by their number.
  package var receiverNames: [String] { receivers.map(\.name) }

  /// Adds a line; one that cannot be read is left out.
  package mutating func receive(_ bytes: [UInt8]) {
    guard let object = try? JSON5.parse(bytes, limits: Self.limits),
      let time = object.text("t").flatMap({ RFC3339.parse($0) })
    else { return }
    switch object.text("type") {
    case "receiver":
      guard let state = object.text("state").flatMap(RadioState.init(rawValue:)),
        let number = number(of: object.text("receiver") ?? "")
      else { return }
      receivers[Int(number)].described = state
      set(number, state, at: time)
    case "sightings":
      let start = time - .seconds(1)
      if reached == nil {
        reached = start
        append(.radio(0, .gone, start))
      }
      for (number, receiver) in receivers.enumerated() {
        if let state = receiver.described { set(UInt8(clamping: number), state, at: start) }
      }
      if case .array(let beacons)? = object["beacons"]?.content {
        for beacon in beacons { add(beacon, at: start) }
      }
      reached = max(time, reached ?? time)
    default: return
    }
  }

  /// No lines come any more: the next service says which receivers listen.
  package mutating func lost() {
    for number in receivers.indices { receivers[number].described = nil }
    leave()
  }

  /// Lets time pass without lines: no receiver is known to listen in it.
  package mutating func advance(by span: TimeSpan) {
    leave()
    if let time = reached { reached = time + span }
  }

  private mutating func leave() {
    guard let reached else { return }
    for number in receivers.indices { set(UInt8(clamping: number), .gone, at: reached) }
  }

  private mutating func add(_ beacon: JSON5Value, at start: Timestamp) {
    guard let identity = beacon.identity, let count = beacon.integer("reports"), count > 0,
      let power = beacon.integer("power").flatMap({ Int8(exactly: $0) }),
      let number = number(of: beacon.text("receiver") ?? "")
    else { return }
    // A receiver that reports without ever having stated a state listens.
    if receivers[Int(number)].described == nil {
      receivers[Int(number)].described = .listening
      set(number, .listening, at: start)
    }
    var mean: Double?
    if case .number(let value)? = beacon["mean_rssi"]?.content { mean = value.value }
    guard mean?.isFinite ?? true else { return }
    for (time, rssi) in SummedReports(Int(clamping: count), mean: mean, from: start).reports {
      append(.report(number, identity, power: power, rssi: rssi, time))
    }
  }

  private mutating func number(of name: String) -> UInt8? {
    guard name != Self.ownName else { return nil }
    if let index = receivers.firstIndex(where: { $0.name == name }) {
      return UInt8(clamping: index)
    }
    guard receivers.count < Self.receiverLimit else { return nil }
    receivers.append(Receiver(name: name))
    return UInt8(clamping: receivers.count - 1)
  }

  private mutating func set(_ number: UInt8, _ state: RadioState, at time: Timestamp) {
    guard receivers[Int(number)].state != state else { return }
    let since = max(time, receivers[Int(number)].since)
    (receivers[Int(number)].state, receivers[Int(number)].since) = (state, since)
    append(.radio(number, state, since))
  }

  private mutating func append(_ input: Input) {
    count += 1
    waiting.append((count, input))
  }

  /// Returns what was received since the last call, in the order of time.
  ///
  /// None of them is earlier than `last`, until when the inputs before were given.
  package mutating func drain(after last: Timestamp) -> ScanBatch {
    let end = max(reached ?? last, last)
    let due = waiting.filter { $0.input.time <= end }
      .sorted { ($0.input.time.microseconds, $0.order) < ($1.input.time.microseconds, $1.order) }
    waiting.removeAll { $0.input.time <= end }
    var batch = ScanBatch()
    for (_, input) in due {
      let time = max(input.time, last)
      switch input {
      case .radio(let receiver, let state, _):
        batch.inputs.append(.radio(receiver: receiver, state, time))
      case .report(let receiver, let beacon, let power, let rssi, _):
        let report = AdvertisingReport(
          time: time,
          rssi: rssi,
          receiver: receiver,
          payloadStart: 0,
          payloadCount: 0
        )
        batch.append(
          report,
          payload: BeaconEncoder.advertisingData(beacon, measuredPower: power)
        )
      }
    }
    batch.upTo = end
    return batch
  }
}

extension JSON5Value {
  fileprivate func text(_ key: String) -> String? {
    if case .string(let text)? = self[key]?.content { text } else { nil }
  }

  fileprivate func integer(_ key: String) -> Int64? {
    if case .number(let number)? = self[key]?.content { number.integer } else { nil }
  }

  /// The identity that the keys of an object say.
  fileprivate var identity: BeaconIdentity? {
    guard let uuid = text("uuid").flatMap({ try? IdentityConstraint(parsing: $0).uuid }),
      let major = integer("major").flatMap({ UInt16(exactly: $0) }),
      let minor = integer("minor").flatMap({ UInt16(exactly: $0) })
    else { return nil }
    return BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }
}
