// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Judges whether a receiver's silence is the air's or its own, from what it heard last.
///
/// It has no clock: reports and time come in. **The judgement.** Each transmitter that was heard lately sends at a rate; were
/// the radio well, a silence of some length would be as likely as each of them happening to send nothing for so long, or falling
/// silent by itself (``DeafnessConfiguration/departure``). The product over all of them, without any one family of beacons, is how
/// likely the silence is; below ``DeafnessConfiguration/likelihood`` it is the radio's. Beacons of one UUID are left out together
/// because they may be a region's, and may all be in one bag: where the air held nothing else, silence is an exit.
///
/// It judges the present only. Once it has said that the receiver is deaf, it knows nothing, until reports come again.
package struct DeafnessJudge: Sendable, Equatable {
  /// The most transmitters that are known; so many say all there is to say, and a flood of addresses changes nothing.
  private static let capacity = 64
  /// The longest silence that is judged; where the air is too quiet for that, silence says nothing.
  private static let horizon = TimeSpan.seconds(60)
  /// How often the silence that is needed is worked out anew while reports come.
  private static let review = TimeSpan.seconds(1)
  /// How long a transmitter may take to be heard a second time, where there are more than are known.
  ///
  /// A flood of addresses that come once shall not keep out those that stay. Longer than all but the slowest beacons take.
  private static let trial = TimeSpan.seconds(15)
  /// How long behind its deadline time may come; later, it was the program that stood still, and not the air.
  private static let standstill = TimeSpan.seconds(2)

  /// How it judges.
  package let configuration: DeafnessConfiguration
  /// The families whose silence may be an exit; `nil` for any.
  private let uuids: Set<UInt128>?
  private var transmitters: [UInt64: KnownTransmitter] = [:]
  /// When this half of the memory began, and the half before.
  private var began: Timestamp?
  private var beganBefore: Timestamp?
  private var last: Timestamp?
  /// The longest silence in this half of the memory, and in the half before.
  private var longest = TimeSpan.zero
  private var longestBefore = TimeSpan.zero
  private var needed: TimeSpan?
  private var nextReview = Timestamp.earliest

  /// Creates a judge who knows nothing of the air.
  ///
  /// - Parameters:
  ///   - configuration: How it judges.
  ///   - uuids: The UUIDs of the beacons that somebody waits for, which may all be carried away at once; `nil` where
  ///     nobody knows, so that it may be those of any one UUID.
  package init(
    _ configuration: DeafnessConfiguration = DeafnessConfiguration(),
    uuids: Set<UInt128>? = nil
  ) {
    self.configuration = configuration
    self.uuids = uuids
  }

  /// When ``timePassed(to:)`` may find the receiver deaf; `nil` while too little is known of the air.
  package var nextDeadline: Timestamp? {
    guard let last, let needed else { return nil }
    return last + needed
  }

  /// A report was heard.
  ///
  /// - Parameters:
  ///   - address: Where it came from; without one it only ends a silence.
  ///   - uuid: The UUID of the beacon that it is of; `nil` for any other device.
  ///   - time: When; times that go back count as the last.
  package mutating func heard(from address: DeviceAddress?, uuid: UInt128?, at time: Timestamp) {
    let time = max(time, last ?? time)
    turnPage(at: time)
    if let last { longest = max(longest, time - last) }
    last = time
    if let address { note(address.rawValue, uuid, at: time) }
    guard time >= nextReview else { return }
    nextReview = time + Self.review
    if transmitters.count >= Self.capacity { dropStrangers(at: time) }
    needed = neededSilence()
  }

  /// Time has come to this point with nothing heard that was not told.
  ///
  /// - Returns: Whether the receiver is deaf; then all that was known of the air is forgotten.
  package mutating func timePassed(to time: Timestamp) -> Bool {
    guard let due = nextDeadline, due <= time else { return false }
    guard time - due <= Self.standstill else {
      forget()
      return false
    }
    needed = neededSilence()
    guard let due = nextDeadline, due <= time else { return false }
    forget()
    return true
  }

  /// What was heard says nothing any more: the receiver was off, or is another.
  package mutating func forget() {
    self = DeafnessJudge(configuration, uuids: uuids)
  }
}

// MARK: - What is known

extension DeafnessJudge {
  /// Begins a new half of the memory when this one is over.
  private mutating func turnPage(at time: Timestamp) {
    guard let start = began else {
      began = time
      return
    }
    let half = TimeSpan(microseconds: configuration.memory.microseconds / 2)
    guard time - start >= half else { return }
    let isRecent = time - start < configuration.memory
    beganBefore = isRecent ? start : nil
    began = time
    longestBefore = isRecent ? longest : .zero
    longest = .zero
    var kept: [UInt64: KnownTransmitter] = [:]
    for (address, transmitter) in transmitters where isRecent && transmitter.reports > 0 {
      var transmitter = transmitter
      transmitter.earlierReports = transmitter.reports
      transmitter.reports = 0
      kept[address] = transmitter
    }
    transmitters = kept
  }

  /// Makes room where all of it is taken: those heard once and not again go.
  private mutating func dropStrangers(at time: Timestamp) {
    transmitters = transmitters.filter { _, transmitter in
      transmitter.reports + transmitter.earlierReports > 1
        || time - transmitter.lastReceived < Self.trial
    }
  }

  private mutating func note(_ address: UInt64, _ uuid: UInt128?, at time: Timestamp) {
    if transmitters[address] != nil {
      transmitters[address]?.reports += 1
      transmitters[address]?.lastReceived = time
      // A device that sends beacons of a family among other frames is of that family.
      if let uuid { transmitters[address]?.uuid = uuid }
    } else if transmitters.count < Self.capacity {
      transmitters[address] = KnownTransmitter(uuid: uuid, reports: 1, lastReceived: time)
    }
  }
}

// MARK: - The judgement

extension DeafnessJudge {
  private struct Voice {
    let rate: Double
    let uuid: UInt128?
  }

  /// How strong the evidence of one transmitter can be, and how strong all of it must be, as logarithms.
  private var most: Double { -DeterministicMath.log(configuration.departure) }
  private var enough: Double { -DeterministicMath.log(configuration.likelihood) }

  /// The shortest silence that would be the radio's; `nil` where none would.
  private func neededSilence() -> TimeSpan? {
    let voices = voices()
    // In an order of their own, since a sum's last bits depend on it.
    let present = Set(voices.compactMap(\.uuid))
    let uuids = (uuids.map(present.intersection) ?? present).sorted()
    guard isProven(Self.horizon.seconds, by: voices, of: uuids) else { return nil }
    var low = 0.0
    var high = Self.horizon.seconds
    // To the millisecond.
    for _ in 0..<16 {
      let middle = (low + high) / 2
      if isProven(middle, by: voices, of: uuids) { high = middle } else { low = middle }
    }
    let interval = max(longest, longestBefore).seconds * configuration.interval
    return TimeSpan(seconds: max(high, interval, configuration.shortestSilence.seconds))
  }

  /// Whether a silence is the radio's, whichever family of beacons may have been carried away.
  private func isProven(_ silence: Double, by voices: [Voice], of uuids: [UInt128]) -> Bool {
    guard !uuids.isEmpty else { return isProven(silence, by: voices, without: nil) }
    return uuids.allSatisfy { isProven(silence, by: voices, without: $0) }
  }

  private func isProven(_ silence: Double, by voices: [Voice], without uuid: UInt128?) -> Bool {
    var evidence = 0.0
    var count = 0
    for voice in voices where uuid == nil || voice.uuid != uuid {
      evidence += min(voice.rate * silence, most)
      count += 1
    }
    return count >= configuration.addresses && evidence >= enough
  }

  /// The transmitters that were still there when something was last heard, the most frequent first.
  private func voices() -> [Voice] {
    guard let last, let start = beganBefore ?? began else { return [] }
    // At the beginning a few reports in a moment are no rate.
    let span = max((last - start).seconds, configuration.memory.seconds / 2)
    return transmitters.values
      .compactMap { transmitter in
        let rate = transmitter.rate(over: span)
        let isThere = rate * (last - transmitter.lastReceived).seconds < most
        return rate > 0 && isThere ? Voice(rate: rate, uuid: transmitter.uuid) : nil
      }
      .sorted { $0.rate > $1.rate }
  }
}

/// What was received of one transmitter lately.
private struct KnownTransmitter: Sendable, Equatable {
  /// The UUID of the beacon it is; `nil` for any other device.
  var uuid: UInt128?
  /// The reports in this half of the memory, and in the half before.
  var reports = 0
  var earlierReports = 0
  var lastReceived: Timestamp

  /// Reports a second over a span, on the cautious side: what was received once may never be received again.
  func rate(over span: Double) -> Double {
    Double(max(0, reports + earlierReports - 1)) / span
  }
}
