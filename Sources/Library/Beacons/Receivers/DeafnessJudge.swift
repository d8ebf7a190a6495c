// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Judges from the latest reports whether a silent receiver is deaf, or nothing was sent.
///
/// It has no clock: the caller passes in reports and the time.
///
/// **The judgement.** Each recently received transmitter sends at a rate. If the radio works, a silence of a given
/// length is as likely as every transmitter sending nothing for so long by chance, or falling silent by itself
/// (``DeafnessConfiguration/departure``). The product of these likelihoods, without any one family of beacons, is the
/// likelihood of the silence. Below ``DeafnessConfiguration/likelihood`` the radio is judged deaf. Beacons of one UUID
/// are left out together because they may belong to one region and be carried away in one bag: if nothing else was
/// received, silence is an exit.
///
/// It judges only the present. After it has judged the receiver deaf it forgets everything, and starts again with the
/// next reports.
package struct DeafnessJudge: Sendable, Equatable {
  /// The most transmitters that are kept: enough for a judgement, and a flood of addresses cannot fill the memory.
  private static let capacity = 64
  /// The longest silence that is judged.
  ///
  /// If so few reports arrive that a longer silence is needed, silence proves nothing.
  private static let horizon = TimeSpan.seconds(60)
  /// How often the needed silence is computed again while reports arrive.
  private static let review = TimeSpan.seconds(1)
  /// How long a transmitter may take until its second report, when there are more transmitters than are kept.
  ///
  /// So a flood of addresses that appear only once cannot displace those that stay. Only the slowest beacons take
  /// longer.
  private static let trial = TimeSpan.seconds(15)
  /// How late after its deadline the time may be passed in.
  ///
  /// If it is later, the program itself stood still, and the silence is no evidence.
  private static let standstill = TimeSpan.seconds(2)

  /// The configuration of the judgement.
  package let configuration: DeafnessConfiguration
  /// The families whose silence may be an exit; `nil` for any.
  private let uuids: Set<UInt128>?
  private var transmitters: [UInt64: KnownTransmitter] = [:]
  /// The start of the current half of the memory, and of the half before.
  private var began: Timestamp?
  private var beganBefore: Timestamp?
  private var last: Timestamp?
  /// The longest silence in the current half of the memory, and in the half before.
  private var longest = TimeSpan.zero
  private var longestBefore = TimeSpan.zero
  private var needed: TimeSpan?
  private var nextReview = Timestamp.earliest

  /// Creates a judge that has received nothing yet.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the judgement.
  ///   - uuids: The UUIDs of the beacons that clients wait for; all beacons of one UUID may be carried away together.
  ///     `nil` if they are not known, so that it may be any one UUID.
  package init(
    _ configuration: DeafnessConfiguration = DeafnessConfiguration(),
    uuids: Set<UInt128>? = nil
  ) {
    self.configuration = configuration
    self.uuids = uuids
  }

  /// When ``timePassed(to:)`` may judge the receiver deaf; `nil` while too little was received for a judgement.
  package var nextDeadline: Timestamp? {
    guard let last, let needed else { return nil }
    return last + needed
  }

  /// Processes a report.
  ///
  /// - Parameters:
  ///   - address: The sender's address; a report without one only ends a silence.
  ///   - uuid: The UUID of the beacon that sent it; `nil` for any other device.
  ///   - time: The time of the report; a time before the last one counts as the last one.
  package mutating func received(from address: DeviceAddress?, uuid: UInt128?, at time: Timestamp) {
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

  /// Notes that time has passed to a point, and that all reports received before it were processed.
  ///
  /// - Returns: Whether the receiver is judged deaf; then everything that was received is forgotten.
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

  /// Forgets the reports, because the receiver was off or was replaced.
  package mutating func forget() {
    self = DeafnessJudge(configuration, uuids: uuids)
  }
}

// MARK: - Knowledge

extension DeafnessJudge {
  /// Starts a new half of the memory when the current one is over.
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

  /// Makes room when the memory is full, by removing transmitters that were received only once.
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
      // A device that sends beacons of a family among other packets belongs to that family.
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

  /// The shortest silence that would mean deafness; `nil` if none would.
  private func neededSilence() -> TimeSpan? {
    let voices = voices()
    // In a fixed order, since the last bits of a sum depend on the order.
    let present = Set(voices.compactMap(\.uuid))
    let uuids = (uuids.map(present.intersection) ?? present).sorted()
    guard isProven(Self.horizon.seconds, by: voices, of: uuids) else { return nil }
    var low = 0.0
    var high = Self.horizon.seconds
    // Exact to the millisecond.
    for _ in 0..<16 {
      let middle = (low + high) / 2
      if isProven(middle, by: voices, of: uuids) { high = middle } else { low = middle }
    }
    let interval = max(longest, longestBefore).seconds * configuration.interval
    return TimeSpan(seconds: max(high, interval, configuration.shortestSilence.seconds))
  }

  /// Whether a silence proves deafness, whichever family of beacons may have been carried away.
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

  /// The transmitters that were still present when the last report was received, the most frequent first.
  private func voices() -> [Voice] {
    guard let last, let start = beganBefore ?? began else { return [] }
    // At the beginning, a few reports within a short time do not yet make a rate.
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

/// The recent reports of one transmitter.
private struct KnownTransmitter: Sendable, Equatable {
  /// The beacon's UUID; `nil` for any other device.
  var uuid: UInt128?
  /// The number of reports in the current half of the memory, and in the half before.
  var reports = 0
  var earlierReports = 0
  var lastReceived: Timestamp

  /// The reports per second over a time span.
  ///
  /// The estimate is cautious: a transmitter received once may never be received again.
  func rate(over span: Double) -> Double {
    Double(max(0, reports + earlierReports - 1)) / span
  }
}
