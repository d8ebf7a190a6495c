// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// The reports of a site's receivers in one second.
package struct ReceptionSecond: Sendable, Equatable {
  /// One receiver's evidence of one beacon in one second.
  package enum Evidence: Sendable, Equatable {
    /// Nothing: the receiver did not listen, or received the beacon without a level.
    case none
    /// The receiver listened all the time and did not receive the beacon.
    case silence
    /// The mean level of the beacon's reports, in dBm.
    case level(Double)
  }

  /// A beacon that was received in this second or not long ago.
  package struct Beacon: Sendable, Equatable {
    package var identity: BeaconIdentity
    /// The measured power that the beacon sent last, in dBm.
    package var power: Int8
    /// What each receiver says, by its number; receivers behind the last one say nothing.
    package var evidence: [Evidence]
  }

  /// The end of the second.
  package var time: Timestamp
  /// Whether nothing is known of the time directly before it.
  package var followsGap: Bool
  /// Whether each receiver listened all the time, by its number.
  package var listened: [Bool]
  /// Whether each receiver reported anything, also other devices, by its number.
  package var reported: [Bool]
  /// Whether beacons were received that are not followed, because there were too many.
  package var hasIgnored = false
  /// The beacons, ordered by identity.
  package var beacons: [Beacon]
}

/// Divides scan inputs into the seconds of the timeline.
///
/// A second contains which receivers listened. A receiver that did not listen is not evidence, and silence of one that did
/// is some. A receiver listens from its first report or its `listening` on, until its state changes.
package struct ReceptionSeconds: Sendable {
  /// The most beacons followed at a time.
  package static let beaconLimit = 1000
  /// How long a beacon that is not received is followed.
  package static let followedFor = TimeSpan.seconds(600)
  /// How long a beacon must be silent to make room for another one when there are too many.
  private static let givesWayAfter = TimeSpan.seconds(30)
  private static let microseconds: Int64 = 1_000_000

  private struct Followed {
    var identity: BeaconIdentity
    var power: Int8
    var last: Timestamp
    /// The reports of the second, by receiver.
    var sums: [ReceivedSum] = []
  }

  private let accepts: [IdentityConstraint]
  private let gap: TimeSpan
  /// The start of the second that is being filled, in whole seconds since 1970; `nil` before the first input.
  private var second: Int64?
  private var latest = Timestamp.earliest
  private var followsGap = true
  /// Ordered by identity.
  private var beacons: [Followed] = []
  private var states: [RadioState?] = []
  /// Whether a receiver did not listen at some time of the second.
  private var paused: [Bool] = []
  /// Whether a receiver reported anything in the second.
  private var reported: [Bool] = []
  /// Reports of beacons that were not followed because there were too many.
  package private(set) var ignored = 0
  /// How many of them there were before the second.
  private var ignoredBefore = 0
  /// Inputs with a time before the second that was being filled; they count for that second.
  package private(set) var late = 0

  /// - Parameters:
  ///   - accepts: Which beacons are followed; all if none is named.
  ///   - gap: Two inputs farther apart than this bound a time of which nothing is known.
  package init(
    _ accepts: [IdentityConstraint] = [],
    gap: TimeSpan = TimingConfiguration().gap
  ) {
    self.accepts = accepts
    self.gap = gap
  }

  /// Adds a batch, and returns the seconds that it completes.
  package mutating func add(_ batch: ScanBatch) -> [ReceptionSecond] {
    var completed: [ReceptionSecond] = []
    for input in batch.inputs {
      advance(to: input.time, &completed)
      switch input {
      case .report(let report), .level(let report):
        listen(Int(report.receiver))
        reported[Int(report.receiver)] = true
        guard case .beacon(let identity, let power) = batch.reading(of: report) else { continue }
        add(report, identity, power)
      case .radio(let receiver, let state, let time): set(Int(receiver), state, at: time)
      case .mark, .notice, .place: break
      }
    }
    if let time = batch.upTo { advance(to: time, &completed) }
    return completed
  }

  // MARK: Time

  private mutating func advance(to time: Timestamp, _ completed: inout [ReceptionSecond]) {
    let next = time.microseconds / Self.microseconds
    defer { latest = max(latest, time) }
    guard let current = second else { return second = next }
    guard next > current else {
      if next < current { late += 1 }
      return
    }
    completed.append(complete(current))
    if time - latest > gap {
      followsGap = true
    } else {
      for empty in current + 1..<next { completed.append(complete(empty)) }
    }
    second = next
  }

  private mutating func complete(_ second: Int64) -> ReceptionSecond {
    let end = Timestamp(microseconds: (second + 1) * Self.microseconds)
    let listened = zip(states, paused).map { $0 == .listening && !$1 }
    let result = ReceptionSecond(
      time: end,
      followsGap: followsGap,
      listened: listened,
      reported: reported,
      hasIgnored: ignored > ignoredBefore,
      beacons: beacons.map { beacon in
        ReceptionSecond.Beacon(
          identity: beacon.identity,
          power: beacon.power,
          evidence: Self.evidence(beacon.sums, listened)
        )
      }
    )
    followsGap = false
    ignoredBefore = ignored
    for receiver in states.indices {
      paused[receiver] = states[receiver] != .listening
      reported[receiver] = false
    }
    for index in beacons.indices { beacons[index].sums.removeAll(keepingCapacity: true) }
    beacons.removeAll { end - $0.last > Self.followedFor }
    return result
  }

  private static func evidence(_ sums: [ReceivedSum], _ listened: [Bool]) -> [ReceptionSecond
    .Evidence]
  {
    listened.indices.map { receiver in
      let sum = receiver < sums.count ? sums[receiver] : ReceivedSum()
      if let mean = sum.mean { return .level(mean) }
      return listened[receiver] && sum.reports == 0 ? .silence : .none
    }
  }

  // MARK: Receivers

  private mutating func makeRoom(for receiver: Int) {
    while states.count <= receiver {
      states.append(nil)
      paused.append(true)
      reported.append(false)
    }
  }

  /// A receiver that reports listens, whatever its state was.
  private mutating func listen(_ receiver: Int) {
    makeRoom(for: receiver)
    if states[receiver] != .listening { states[receiver] = .listening }
  }

  private mutating func set(_ receiver: Int, _ state: RadioState, at time: Timestamp) {
    makeRoom(for: receiver)
    // If a recording starts with the state, the receiver listens from the start of the second.
    let isStart = states[receiver] == nil && time.microseconds % Self.microseconds == 0
    states[receiver] = state
    if state != .listening { paused[receiver] = true } else if isStart { paused[receiver] = false }
  }

  // MARK: Beacons

  private mutating func add(
    _ report: AdvertisingReport,
    _ identity: BeaconIdentity,
    _ power: Int8
  ) {
    guard accepts.isEmpty || accepts.contains(where: { $0.isSatisfied(by: identity) }),
      let index = index(of: identity, power, at: report.time)
    else { return }
    beacons[index].power = power
    beacons[index].last = max(beacons[index].last, report.time)
    let receiver = Int(report.receiver)
    while beacons[index].sums.count <= receiver { beacons[index].sums.append(ReceivedSum()) }
    beacons[index].sums[receiver].add(rssi: report.rssi, power: power, at: report.time)
  }

  private mutating func index(
    of identity: BeaconIdentity,
    _ power: Int8,
    at time: Timestamp
  ) -> Int? {
    var place = position(of: identity)
    if place < beacons.count, beacons[place].identity == identity { return place }
    if beacons.count >= Self.beaconLimit {
      guard let longest = beacons.indices.min(by: { beacons[$0].last < beacons[$1].last }),
        time - beacons[longest].last >= Self.givesWayAfter
      else {
        ignored += 1
        return nil
      }
      beacons.remove(at: longest)
      place = position(of: identity)
    }
    beacons.insert(Followed(identity: identity, power: power, last: time), at: place)
    return place
  }

  /// The position of a beacon, or of its insertion.
  private func position(of identity: BeaconIdentity) -> Int {
    var (low, high) = (0, beacons.count)
    while low < high {
      let middle = (low + high) / 2
      if beacons[middle].identity < identity { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
