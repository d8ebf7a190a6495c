// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Makes scan inputs of the lines of the operator's stream.
///
/// A line has the sums of a second; the inputs are as many levels as there were reports, of the same mean, in that second.
/// The timeline is the service's own, also if the service replays a capture.
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

  private var inputs = SummedInputs(of: ownName)
  /// The state that the service gave last for each receiver; it holds in each second that the service describes.
  private var described: [RadioState?] = [nil]
  /// The name of the service as a receiver.
  ///
  /// A recording that the service replays may have it as well: its states are then left out.
  private static let ownName = "service:"
  /// Until when everything was given; `nil` before the first line.
  package private(set) var reached: Timestamp?

  /// Creates a reception that has received nothing.
  package init() {}

  /// The names of the receivers so far, by their number.
  package var receiverNames: [String] { inputs.receiverNames }

  /// Adds a line; one that cannot be read is left out.
  package mutating func receive(_ bytes: [UInt8]) {
    guard let object = try? JSON5.parse(bytes, limits: Self.limits),
      let time = object.text("t").flatMap({ RFC3339.parse($0) })
    else { return }
    switch object.text("type") {
    case "receiver":
      guard let state = object.text("state").flatMap(RadioState.init(rawValue:)),
        let number = number(of: object.text("receiver")?.exactName ?? "")
      else { return }
      described[number] = state
      inputs.set(number, state, at: time)
    case "sightings":
      let start = time - .seconds(1)
      if reached == nil {
        reached = start
        inputs.start(at: start)
      }
      // A line that this program read too late is dropped by the service: its second is not known.
      if let reached, start - reached >= .seconds(1) { leave(before: start) }
      for (number, state) in described.enumerated() {
        if let state { inputs.set(number, state, at: start) }
      }
      if case .array(let beacons)? = object["beacons"]?.content {
        for beacon in beacons { add(beacon, at: start) }
      }
      reached = max(time, reached ?? time)
    default: return
    }
  }

  /// No lines come any more: the next service states which receivers listen.
  package mutating func lost() {
    for number in described.indices { described[number] = nil }
    leave()
  }

  /// Lets time pass without lines: no receiver is known to listen in it.
  package mutating func advance(by span: TimeSpan) {
    leave()
    if let time = reached { reached = time + span }
  }

  /// Notes that the receivers are gone that came into their state before a time.
  private mutating func leave(before time: Timestamp = .latest) {
    guard let reached else { return }
    for number in described.indices where inputs.since(of: number) < time {
      inputs.set(number, .gone, at: reached)
    }
  }

  private mutating func add(_ beacon: JSON5Value, at start: Timestamp) {
    guard let identity = beacon.identity, let count = beacon.integer("reports"), count > 0,
      let power = beacon.integer("power").flatMap({ Int8(exactly: $0) }),
      let number = number(of: beacon.text("receiver")?.exactName ?? "")
    else { return }
    // A receiver that reports without ever having stated a state listens.
    if described[number] == nil {
      described[number] = .listening
      inputs.set(number, .listening, at: start)
    }
    var mean: Double?
    if case .number(let value)? = beacon["mean_rssi"]?.content { mean = value.value }
    guard mean?.isFinite ?? true else { return }
    for (time, rssi) in SummedReports(Int(clamping: count), mean: mean, from: start).reports {
      inputs.add(identity, power: power, rssi: rssi, at: UInt8(clamping: number), time)
    }
  }

  private mutating func number(of name: String) -> Int? {
    guard name != Self.ownName,
      let number = inputs.number(of: name, atMost: Self.receiverLimit).map(Int.init)
    else { return nil }
    if number == described.count { described.append(nil) }
    return number
  }

  /// Returns the reports since the last call, in the order of time.
  ///
  /// None of them is earlier than `last`, until when the inputs before were given.
  package mutating func drain(after last: Timestamp) -> ScanBatch {
    inputs.drain(until: max(reached ?? last, last), after: last)
  }
}

extension JSON5Value {
  fileprivate func text(_ key: String) -> String? {
    if case .string(let text)? = self[key]?.content { text } else { nil }
  }

  fileprivate func integer(_ key: String) -> Int64? {
    if case .number(let number)? = self[key]?.content { number.integer } else { nil }
  }

  /// The identity in the keys of an object.
  fileprivate var identity: BeaconIdentity? {
    guard let uuid = text("uuid").flatMap({ UUIDText.parse($0) }),
      let major = integer("major").flatMap({ UInt16(exactly: $0) }),
      let minor = integer("minor").flatMap({ UInt16(exactly: $0) })
    else { return nil }
    return BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }
}
