// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Finds the faults of a fleet of beacons that stay in their places, from what fixed receivers receive.
///
/// It is pure, and time is that of the inputs. It judges at the end of each minute, hour and three hours. A beacon's
/// reports are compared with earlier ones, so nothing has to be set. A silence counts only if a receiver that used
/// to receive the beacon listened and received others in that time.
package struct FleetHealth: Sendable {
  /// The most beacons of the fleet that are followed; further ones are counted.
  package static let beaconLimit = 2000
  /// The most receivers.
  package static let receiverLimit = 64
  /// The most findings that are over and kept.
  package static let endedLimit = 1000
  /// The most unknown identities looked at at a time.
  static let strangerLimit = 256
  /// The most addresses that are kept; when there are more, they are learned again.
  private static let ownerLimit = 8192

  /// A finding has one kind and one subject.
  struct Key: Hashable {
    let kind: FleetFinding.Kind
    let subject: FleetFinding.Subject
  }

  /// An identity with a UUID of the fleet that is not in its list.
  struct Stranger {
    var first: Timestamp
    var last: Timestamp
    var reports = 0
    /// The minutes in which it was received, and the last of them.
    var minutes = 0
    var minute: Int64 = .min
  }

  let roster: FleetRoster
  let calibration: Calibration
  private let gap: TimeSpan
  var beacons: [FleetBeacon] = []
  private var indices: [BeaconIdentity: Int] = [:]
  var receivers: [FleetReceiver] = []
  /// The number of each receiver's stretch of listening: gaps between reports are not measured across a pause.
  private var stretches: [Int] = []
  var strangers: [BeaconIdentity: Stranger] = [:]
  var clocks = ReceiverClockWatch()
  /// The beacons by the addresses that they sent their identities from; telemetry comes without an identity.
  private var owners: [DeviceAddress: Int] = [:]
  var open: [Key: FleetFinding] = [:]
  /// The findings that are over, in the order in which they ended; of many the latest.
  package private(set) var ended: [FleetFinding] = []
  /// Reports of beacons of the fleet that were left out because there were too many beacons or receivers.
  package private(set) var ignored = 0
  /// The time of the first input; `nil` before it.
  package private(set) var start: Timestamp?
  /// The time that was reached.
  package private(set) var now = Timestamp.earliest
  /// The minute that is being filled, since 1970.
  private var minute: Int64 = 0

  /// - Parameters:
  ///   - roster: The beacons of the fleet.
  ///   - calibration: The powers that were measured.
  ///   - gap: Two inputs farther apart than this bound a time of which nothing is known.
  package init(
    _ roster: FleetRoster,
    _ calibration: Calibration = Calibration(),
    gap: TimeSpan = TimingConfiguration().gap
  ) {
    self.roster = roster
    self.calibration = calibration
    self.gap = gap
    for identity in roster.listed.prefix(Self.beaconLimit) { _ = watch(identity, isListed: true) }
  }

  /// How many beacons of the fleet were received, and how many are watched.
  package var counts: (received: Int, all: Int) {
    (beacons.count { $0.received > 0 || $0.last != nil }, beacons.count)
  }

  /// How many receivers there were.
  package var receiverCount: Int { receivers.count { $0.state != nil } }

  /// Returns whether a beacon of the fleet was ever received.
  package func hasReceived(_ subject: FleetFinding.Subject) -> Bool {
    guard case .beacon(let identity) = subject, let index = indices[identity] else { return false }
    return beacons[index].last != nil
  }

  /// The fault now, the worst first.
  package var findings: [FleetFinding] {
    open.values.filter { !isOnlyEarlier($0) }.sorted(by: Self.isWorse)
  }

  /// Whether a receiver is gone only because the clock of each one that still listens is off: its capture seems to end later.
  private func isOnlyEarlier(_ finding: FleetFinding) -> Bool {
    guard finding.kind == .deafReceiver, finding.state == .gone,
      case .receiver(let gone) = finding.subject
    else { return false }
    let later = receivers.indices.filter {
      receivers[$0].minutes > 0 && !isOpen(.deafReceiver, .receiver($0))
    }
    return !isOpen(.clockOff, .receiver(gone)) && !later.isEmpty
      && later.allSatisfy { isOpen(.clockOff, .receiver($0)) }
  }

  private static func isWorse(_ one: FleetFinding, _ other: FleetFinding) -> Bool {
    let ranks = [one, other].map { FleetFinding.Kind.allCases.firstIndex(of: $0.kind) ?? 0 }
    if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
    if one.since != other.since { return one.since < other.since }
    switch (one.subject, other.subject) {
    case (.beacon(let left), .beacon(let right)): return left < right
    case (.receiver(let left), .receiver(let right)): return left < right
    case (.receiver, .beacon): return true
    case (.beacon, .receiver): return false
    }
  }

  // MARK: Inputs

  /// Adds a batch of scan inputs, in the order of time.
  package mutating func add(_ batch: ScanBatch) {
    let bytes = batch.bytes.span
    for input in batch.inputs {
      advance(to: input.time)
      switch input {
      case .report(let report), .level(let report):
        guard listen(Int(report.receiver)) else { continue }
        guard case .beacon(let identity, let power) = BeaconDecoder.read(report, in: bytes) else {
          guard let address = report.address, let index = owners[address],
            let telemetry = Telemetry.read(advertisingData: bytes, in: report.payloadRange)
          else { continue }
          beacons[index].battery.add(telemetry, at: report.time, receiver: Int(report.receiver))
          continue
        }
        add(report, of: identity, power)
      case .radio(let receiver, let state, _): set(Int(receiver), state)
      case .mark, .notice, .place: break
      }
    }
    if let time = batch.upTo { advance(to: time) }
  }

  private mutating func advance(to time: Timestamp) {
    guard start != nil else {
      (start, now) = (time, time)
      return minute = Self.minute(of: time)
    }
    guard time > now else { return }
    let next = Self.minute(of: time)
    if time - now > gap {
      // Nothing is known of the time in between, and only a part of the minutes at its ends.
      for receiver in receivers.indices {
        receivers[receiver].stop(at: now, until: next > minute ? nil : time)
        stretches[receiver] += 1
      }
      if next > minute {
        end(minute, next: next)
        for receiver in receivers.indices { receivers[receiver].stop(at: time, until: time) }
      }
    } else {
      while minute < next { end(minute, next: minute + 1) }
    }
    minute = next
    now = time
  }

  private static func minute(of time: Timestamp) -> Int64 {
    time.microseconds / FleetTime.microsecondsPerMinute
  }

  private mutating func end(_ minute: Int64, next: Int64) {
    now = max(now, Timestamp(microseconds: (minute + 1) * FleetTime.microsecondsPerMinute))
    endMinute(minute)
    if next / 60 != minute / 60 { endHour(minute) }
    let part = minute / LinkLevels.minutesPerPart
    if next / LinkLevels.minutesPerPart != part { endPart(part) }
    if next / FleetTime.minutesPerDay != minute / FleetTime.minutesPerDay { endDay() }
    self.minute = next
  }

  /// Counts a report of a receiver, which listens unless it is known not to; returns `false` if there are too many receivers.
  private mutating func listen(_ receiver: Int) -> Bool {
    guard makeRoom(for: receiver) else {
      ignored += 1
      return false
    }
    receivers[receiver].reports += 1
    if receivers[receiver].state == nil { receivers[receiver].set(.listening, at: now) }
    return true
  }

  private mutating func makeRoom(for receiver: Int) -> Bool {
    guard receiver < Self.receiverLimit else { return false }
    while receivers.count <= receiver {
      receivers.append(FleetReceiver())
      stretches.append(0)
    }
    return true
  }

  private mutating func set(_ receiver: Int, _ state: RadioState) {
    guard makeRoom(for: receiver), state.isChange(from: receivers[receiver].state) else { return }
    receivers[receiver].set(state, at: now)
    stretches[receiver] += 1
  }

  // MARK: Reports

  private mutating func add(
    _ report: AdvertisingReport,
    of identity: BeaconIdentity,
    _ power: Int8
  ) {
    guard let index = indices[identity] ?? adopt(identity) else { return }
    let receiver = Int(report.receiver)
    while beacons[index].links.count <= receiver {
      let minutes = receivers[beacons[index].links.count].minutes
      beacons[index].links.append(FleetLink(after: min(beacons[index].received, minutes)))
      beacons[index].events.append(FleetBeacon.Event())
    }
    beacons[index].last = max(beacons[index].last ?? now, now)
    beacons[index].power = power
    beacons[index].links[receiver].minute.add(rssi: report.rssi, power: power, at: report.time)
    if let address = report.address, address != beacons[index].address {
      if owners.count >= Self.ownerLimit {
        owners.removeAll()
        for other in beacons.indices { beacons[other].address = nil }
      }
      owners[address] = index
      beacons[index].address = address
    }
    measure(report, index, receiver)
  }

  /// Measures the gap since the last report, and compares addresses and clocks.
  private mutating func measure(_ report: AdvertisingReport, _ index: Int, _ receiver: Int) {
    let event = beacons[index].events[receiver]
    let interval = beacons[index].intervals.smallest
    if let last = event.time, event.stretch == stretches[receiver] {
      let gap = report.time - last
      // Earlier reports, and those of one event, are not gap.
      guard gap.seconds > SenderWatch.oneEvent else { return }
      beacons[index].intervals.add(gap)
      if let interval {
        let previous = beacons[index].links[receiver].lastGap
        beacons[index].senders.add(gap.seconds, after: previous, interval: interval)
      }
      beacons[index].links[receiver].lastGap = gap.seconds
    } else {
      beacons[index].links[receiver].lastGap = nil
    }
    beacons[index].events[receiver] = FleetBeacon.Event(
      time: report.time,
      stretch: stretches[receiver]
    )
    compareAddresses(report.address, index, receiver)
    beacons[index].links[receiver].power = beacons[index].power
    guard let interval else { return }
    clocks.add(receiver, report.time, beacons[index].events, stretches, interval: interval)
  }

  private mutating func compareAddresses(_ address: DeviceAddress?, _ index: Int, _ receiver: Int) {
    guard let address, address != beacons[index].links[receiver].address else { return }
    let isBack = beacons[index].links[receiver].earlierAddress == address
    beacons[index].links[receiver].earlierAddress = beacons[index].links[receiver].address
    beacons[index].links[receiver].address = address
    if isBack, !hasTwoPowers(index, receiver) { beacons[index].senders.addReturn() }
  }

  /// Whether the beacon announces another power than from the address before: it sends with two powers in turn, from an
  /// address each.
  private func hasTwoPowers(_ index: Int, _ receiver: Int) -> Bool {
    let beacon = beacons[index]
    guard let power = beacon.power, let other = beacon.links[receiver].power else { return false }
    return calibration.difference(power, other, of: beacon.identity) ?? 0 != 0
  }

  /// Returns the number of a beacon of the fleet that was not received before; `nil` for any other beacon.
  private mutating func adopt(_ identity: BeaconIdentity) -> Int? {
    guard roster.contains(identity) else {
      if roster.claims(identity) { noteStranger(identity) }
      return nil
    }
    return watch(identity, isListed: false)
  }

  private mutating func watch(_ identity: BeaconIdentity, isListed: Bool) -> Int? {
    guard beacons.count < Self.beaconLimit else {
      ignored += 1
      return nil
    }
    indices[identity] = beacons.count
    beacons.append(FleetBeacon(identity, isListed: isListed))
    return beacons.count - 1
  }

  private mutating func noteStranger(_ identity: BeaconIdentity) {
    if strangers[identity] == nil, strangers.count >= Self.strangerLimit {
      // Evicts in batches, and never an identity with an open finding, so that a flood cannot hide it, since
      // finding the oldest costs more than all the rest.
      let oldest = strangers.filter { !isOpen(.unknownIdentity, .beacon($0.key)) }
        .sorted { ($0.value.last, $0.key) < ($1.value.last, $1.key) }
        .prefix(Self.strangerLimit / 4)
      for other in oldest { strangers[other.key] = nil }
      guard !oldest.isEmpty else { return }
    }
    var stranger = strangers[identity] ?? Stranger(first: now, last: now)
    stranger.last = now
    stranger.reports += 1
    if stranger.minute != minute {
      stranger.minute = minute
      stranger.minutes += 1
    }
    strangers[identity] = stranger
  }

  // MARK: Findings

  /// Opens a finding, or changes an open one; `nil` ends it.
  mutating func set(
    _ kind: FleetFinding.Kind,
    _ subject: FleetFinding.Subject,
    _ finding: FleetFinding?
  ) {
    let key = Key(kind: kind, subject: subject)
    guard var finding else {
      guard var over = open.removeValue(forKey: key) else { return }
      over.ended = now
      if ended.count >= Self.endedLimit { ended.removeFirst() }
      return ended.append(over)
    }
    if let earlier = open[key] { (finding.since, finding.found) = (earlier.since, earlier.found) }
    open[key] = finding
  }

  func isOpen(_ kind: FleetFinding.Kind, _ subject: FleetFinding.Subject) -> Bool {
    open[Key(kind: kind, subject: subject)] != nil
  }
}
