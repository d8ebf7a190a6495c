// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFleet
internal import BeaconTestSupport

/// A fault of the simulation, and what must be found.
package struct FleetFault: Sendable {
  /// The event.
  package enum Cause: String, Sendable {
    case dies, pauses, slower, faster, suddenLevel, slowLevel, receiverLevel, stranger
    case distantClone, nearClone, deaf, gone, clockStep, batteryFalls
  }

  package var cause: Cause
  package var kind: FleetFinding.Kind
  package var subject: FleetFinding.Subject
  /// The beacon or receiver, by its number.
  package var number: Int
  /// In seconds since the start: when it begins and ends.
  package var begins: Double
  package var ends: Double
  /// From when on it must be found, and by when.
  package var from: Double
  package var deadline: Double
}

/// The properties of a simulated fleet.
package struct FleetConditions: Sendable {
  package var days = 30.0
  package var beacons = 40
  package var receivers = 6
  /// The advertising intervals in seconds, given to the beacons in turn.
  package var intervals: [Double] = [1, 2, 2, 5, 5, 10.24]
  /// The part of the packets that is lost though they are strong enough.
  package var loss = 0.2
  /// Every so many beacons, one sleeps from 23 to 6 o'clock; 0 for none.
  package var sleeper = 0
  /// Every so many beacons, one sends its battery's voltage once a minute; 0 for none.
  package var telemetry = 0
  /// For how long the receiver that goes away is away, in seconds.
  package var away = 8 * 3600.0

  package init() {}
}

/// Beacons in a hall and fixed receivers, packet by packet, with faults; the same for the same seed.
///
/// Packets are lost, levels fade and change with people in the hall, receivers restart, clocks differ by milliseconds.
package struct FleetSimulation {
  package let conditions: FleetConditions
  package let identities: [BeaconIdentity]
  package private(set) var faults: [FleetFault] = []

  private struct Sender {
    var interval: Double
    var next: Double
    /// The level at each receiver at the transmitter's usual power, in dBm.
    var base: [Double]
    var address: UInt64
    var beacon: Int
    var from = 0.0
    var until = Double.infinity
  }

  /// A receiver that a sender may reach in a minute.
  private struct Link {
    var receiver: Int
    var level: Double
    var offset: Double
  }

  private struct Packet {
    var time: Double
    var receiver: UInt8
    var rssi: Int8
    /// By its number; behind those of the beacons and the stranger come the beacons' batteries.
    var payload: Int
    var address: UInt64
  }

  private var random: SplitMix64
  private var senders: [Sender] = []
  private var payloads: [[UInt8]]
  /// Slow changes of each link in dB, and whether each receiver is away until a time.
  private var slow: [[Double]]
  private var awayUntil: [Double]
  private var isAway: [Bool]
  private var offsets: [Double]
  private var pending: [Packet] = []
  private var minute = 0

  private static let day = 86_400.0
  /// The weakest level that is received, in dBm.
  private static let sensitivity = -95.0
  /// The seconds at midnight after the start: the simulation starts at an even hour.
  package static let start = Timestamp(microseconds: 1_767_225_600_000_000)
  private static let stranger = TestScan.beacon(9, 999)

  package init(seed: UInt64, _ conditions: FleetConditions) {
    random = SplitMix64(seed: seed)
    self.conditions = conditions
    let (beacons, receivers) = (conditions.beacons, conditions.receivers)
    let intervals = conditions.intervals
    identities = (0..<beacons).map { TestScan.beacon(1, UInt16($0 + 1)) }
    payloads = (identities + [Self.stranger]).map {
      BeaconEncoder.advertisingData($0, measuredPower: -59)
    }
    slow = Array(repeating: Array(repeating: 0, count: receivers), count: beacons + 1)
    awayUntil = Array(repeating: 0, count: receivers)
    isAway = Array(repeating: true, count: receivers)
    offsets = []
    for _ in 0..<receivers { offsets.append((unit() - 0.5) * 0.04) }
    let places = (0..<receivers).map { receiver in
      let column = Double(receiver % 3)
      let row = Double(receiver / 3 % 2)
      return (x: 10 + 20 * column, y: 10 + 20 * row)
    }
    for beacon in 0..<beacons {
      let x = unit() * 60
      let y = unit() * (receivers > 3 ? 40 : 20)
      senders.append(sender(beacon, x, y, places, interval: intervals[beacon % intervals.count]))
    }
  }

  private mutating func sender(
    _ beacon: Int,
    _ x: Double,
    _ y: Double,
    _ places: [(x: Double, y: Double)],
    interval: Double
  ) -> Sender {
    let base = places.map { place in
      let (dx, dy) = (x - place.x, y - place.y)
      let distance = max(1, (dx * dx + dy * dy).squareRoot())
      return -55 - 20 * DeterministicMath.log10(distance) + 4 * normal()
    }
    let number = UInt64(senders.count + 1)
    return Sender(
      interval: interval,
      next: unit() * interval,
      base: base,
      address: 0xC000_0000_0000 + number,
      beacon: beacon
    )
  }

  private mutating func unit() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }

  /// About normal, with a standard deviation of one.
  private mutating func normal() -> Double {
    let bits = random.next()
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
    return (Double(sum) / 65_536 - 2) * 1.732
  }

  // MARK: Faults

  /// Adds faults of every kind, each to a separate beacon or receiver.
  package mutating func addFaults() {
    // A single receiver tells neither a level, nor a place, nor a clock from something else.
    let receivers = conditions.receivers
    let (isAlone, isOne) = (receivers == 1, conditions.beacons == 1)
    var free = Array(
      senders.indices.filter { levels(of: $0) >= (isAlone || isOne ? 1 : 2) && !sleeps($0) }
        .shuffled(using: &random)
    )
    func subject(_ beacon: Int) -> FleetFinding.Subject { .beacon(identities[beacon]) }
    var causes: [FleetFault.Cause] = [.dies, .dies, .pauses, .slower, .faster]
    if !isAlone { causes += [.suddenLevel, .slowLevel, .distantClone] }
    causes.append(.nearClone)
    for cause in causes where !free.isEmpty {
      let beacon = free.removeFirst()
      add(cause, beacon, subject(beacon))
    }
    if let beacon = free.first(where: saysItsBattery) {
      add(.batteryFalls, beacon, subject(beacon))
    }
    add(.stranger, identities.count, .beacon(Self.stranger))
    var order = Array((0..<receivers).shuffled(using: &random))
    let ofReceivers: [FleetFault.Cause] =
      isAlone || isOne ? [.deaf] : [.receiverLevel, .deaf, .gone, .clockStep]
    for cause in ofReceivers where !order.isEmpty {
      let receiver = order.removeFirst()
      add(cause, receiver, .receiver(receiver))
    }
  }

  /// Whether a finding is that of a beacon that sleeps at night, in the first two nights.
  package func isExpected(_ finding: FleetFinding, at time: Double) -> Bool {
    guard finding.kind == .missing, time < 2.5 * Self.day,
      case .beacon(let identity) = finding.subject
    else { return false }
    return identities.firstIndex(of: identity).map(sleeps) ?? false
  }

  /// At how many receivers a beacon is received well.
  private func levels(of beacon: Int) -> Int { senders[beacon].base.count { $0 > -82 } }

  private func sleeps(_ beacon: Int) -> Bool {
    conditions.sleeper > 0 && beacon % conditions.sleeper == 0
  }

  private func saysItsBattery(_ beacon: Int) -> Bool {
    conditions.telemetry > 0 && beacon % conditions.telemetry == 1
  }

  private mutating func add(
    _ cause: FleetFault.Cause,
    _ number: Int,
    _ subject: FleetFinding.Subject
  ) {
    let last = conditions.days * Self.day
    // Three days show the usual values, and two are left to find it.
    let begins = (3 + unit() * (conditions.days - 5)) * Self.day
    var fault = FleetFault(
      cause: cause,
      kind: .missing,
      subject: subject,
      number: number,
      begins: begins,
      ends: last,
      from: begins,
      deadline: begins + Self.day
    )
    switch cause {
    case .dies: fault.deadline = begins + 600
    case .pauses: (fault.ends, fault.deadline) = (begins + 3 * 3600, begins + 600)
    case .slower, .faster: fault.kind = .intervalChanged
    case .suddenLevel: fault.kind = .levelDrift
    case .slowLevel:
      fault.kind = .levelDrift
      // 2 dB a day, so 6 dB after three days.
      fault.begins = min(begins, last - 4.2 * Self.day)
      (fault.from, fault.deadline) = (fault.begins, fault.begins + 4 * Self.day)
    case .receiverLevel: fault.kind = .receiverLevelDrift
    case .stranger: fault.kind = .unknownIdentity
    case .distantClone, .nearClone: fault.kind = .contested
    case .deaf: (fault.kind, fault.ends) = (.deafReceiver, begins + 6 * 3600)
    case .gone: (fault.kind, fault.ends) = (.deafReceiver, begins + conditions.away)
    case .batteryFalls:
      fault.kind = .battery
      // It falls by 50 mV a day from 3 V, so it is low after twelve days and must be reported before.
      fault.begins = min(begins, last - 11 * Self.day)
      (fault.from, fault.deadline) = (fault.begins, fault.begins + 11 * Self.day)
    case .clockStep: (fault.kind, fault.ends) = (.clockOff, begins + 2 * Self.day)
    }
    addSender(for: fault)
    faults.append(fault)
  }

  /// Adds the sender that a fault needs.
  private mutating func addSender(for fault: FleetFault) {
    switch fault.cause {
    case .distantClone, .nearClone, .stranger:
      let original = fault.cause == .stranger ? 0 : fault.number
      var copy = senders[original]
      if fault.cause == .distantClone { copy.base.reverse() }
      // The clone next to the beacon even sends from its address.
      if fault.cause != .nearClone { copy.address = 0xD000_0000_0000 + UInt64(fault.number) }
      if fault.cause == .stranger { copy.beacon = identities.count }
      copy.next = fault.begins + unit() * copy.interval
      (copy.from, copy.until) = (fault.begins, fault.ends)
      senders.append(copy)
    default: break
    }
  }

  // MARK: Packets

  /// The inputs of the next minute, in the order of time; `nil` at the end.
  package mutating func next() -> ScanBatch? {
    let (from, until) = (Double(minute) * 60, Double(minute + 1) * 60)
    guard from < conditions.days * Self.day else { return nil }
    minute += 1
    var inputs: [(time: Double, input: ScanInput)] = []
    for receiver in 0..<conditions.receivers { step(receiver, from, &inputs) }
    drift()
    for index in senders.indices { send(index, from, until) }
    let voltages = sayBatteries(from)
    pending.sort { ($0.time, $0.receiver) < ($1.time, $1.receiver) }
    let count = pending.firstIndex { $0.time >= until } ?? pending.count
    var batch = ScanBatch()
    batch.bytes = payloads.flatMap { $0 } + voltages.flatMap { $0 }
    let (size, telemetry) = (payloads[0].count, voltages.first?.count ?? 0)
    for entry in inputs { batch.inputs.append(entry.input) }
    for packet in pending[..<count] {
      let further = packet.payload - payloads.count
      batch.inputs.append(
        .report(
          AdvertisingReport(
            time: Self.start + TimeSpan(seconds: packet.time),
            rssi: packet.rssi,
            receiver: packet.receiver,
            address: DeviceAddress(packet.address, kind: .random),
            payloadStart: UInt32(
              further < 0 ? packet.payload * size : payloads.count * size + further * telemetry
            ),
            payloadCount: UInt16(further < 0 ? size : telemetry)
          )
        )
      )
    }
    pending.removeFirst(count)
    batch.inputs.append(.mark(Self.start + TimeSpan(seconds: until - 0.001)))
    return batch
  }

  private func active(_ cause: FleetFault.Cause, _ number: Int, at time: Double) -> FleetFault? {
    faults.first {
      $0.cause == cause && $0.number == number && time >= $0.begins && time < $0.ends
    }
  }

  /// Restarts receivers once a day for one to three minutes, and ends a fault's absence.
  private mutating func step(
    _ receiver: Int,
    _ time: Double,
    _ inputs: inout [(time: Double, input: ScanInput)]
  ) {
    if unit() < 1 / 1440 { awayUntil[receiver] = time + 60 + unit() * 120 }
    let away = time < awayUntil[receiver] || active(.gone, receiver, at: time) != nil
    guard away != isAway[receiver] else { return }
    isAway[receiver] = away
    let state = away ? RadioState.gone : .listening
    let stamp = Self.start + TimeSpan(seconds: time)
    inputs.append((time, .radio(receiver: UInt8(receiver), state, stamp)))
  }

  /// People move: each link changes by some decibels within hours.
  private mutating func drift() {
    for beacon in slow.indices {
      for receiver in 0..<conditions.receivers {
        slow[beacon][receiver] = slow[beacon][receiver] * 0.9945 + 0.21 * normal()
      }
    }
  }

  private mutating func send(_ index: Int, _ from: Double, _ until: Double) {
    guard senders[index].next < until else { return }
    let sender = senders[index]
    var interval = sender.interval
    if active(.slower, sender.beacon, at: from) != nil { interval *= 1.5 }
    if active(.faster, sender.beacon, at: from) != nil { interval *= 0.5 }
    let isOriginal = index < identities.count
    let hour = (from / 3600).truncatingRemainder(dividingBy: 24)
    let isSilent =
      isOriginal
      && ((active(.dies, index, at: from) ?? active(.pauses, index, at: from)) != nil
        || sleeps(index) && (hour < 6 || hour >= 23))
    // People are in the way.
    let change = change(of: index, at: from) + (hour >= 9 && hour < 18 ? -2 : 0)
    let links = links(sender, change: change, at: from)
    while senders[index].next < until {
      let time = senders[index].next
      senders[index].next = time + interval + unit() * 0.01
      guard time >= sender.from, time < sender.until, !isSilent else { continue }
      receive(sender.beacon, sender.address, at: time, links)
    }
  }

  /// The receivers that a sender may reach.
  private func links(_ sender: Sender, change: Double, at time: Double) -> [Link] {
    (0..<conditions.receivers).compactMap { receiver in
      guard !isAway[receiver], active(.deaf, receiver, at: time) == nil else { return nil }
      var level = sender.base[receiver] + slow[min(sender.beacon, slow.count - 1)][receiver]
      level += change
      if active(.receiverLevel, receiver, at: time) != nil { level -= 8 }
      // Not even a strong packet of it is received.
      guard level > Self.sensitivity - 12 else { return nil }
      let isLate = active(.clockStep, receiver, at: time) != nil
      return Link(receiver: receiver, level: level, offset: offsets[receiver] + (isLate ? 3.7 : 0))
    }
  }

  /// Sends the batteries' voltages of the minute, and returns the sent bytes, by the number of the beacon.
  private mutating func sayBatteries(_ time: Double) -> [[UInt8]] {
    guard conditions.telemetry > 0 else { return [] }
    return identities.indices.map { beacon in
      var volts = 3.0
      if let fault = active(.batteryFalls, beacon, at: time) {
        volts -= 0.05 * (time - fault.begins) / Self.day
      }
      // It has less in the cold of the night.
      let hour = (time / 3600).truncatingRemainder(dividingBy: 24)
      volts += (hour >= 9 && hour < 18 ? 0.03 : -0.03) + 0.01 * normal()
      if saysItsBattery(beacon) {
        let links = links(senders[beacon], change: 0, at: time)
        let payload = payloads.count + beacon
        receive(payload, senders[beacon].address, at: time + 60 * unit(), links)
      }
      let (voltage, seconds) = (UInt16(volts * 1000), UInt32(time) * 10)
      return [0x11, 0x16, 0xAA, 0xFE, 0x20, 0, UInt8(voltage >> 8), UInt8(voltage & 0xFF), 0x15, 0]
        + [UInt32(time), seconds].flatMap { word in
          [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }
  }

  /// By how many dB a beacon's levels have changed.
  private func change(of index: Int, at time: Double) -> Double {
    guard index < identities.count else { return 0 }
    if active(.suddenLevel, index, at: time) != nil { return -9 }
    guard let fault = active(.slowLevel, index, at: time) else { return 0 }
    return -min(10, (time - fault.begins) / Self.day * 2)
  }

  private mutating func receive(
    _ payload: Int,
    _ address: UInt64,
    at time: Double,
    _ links: [Link]
  ) {
    for link in links {
      // Collisions, and the receiver that listens on another channel.
      guard unit() > conditions.loss else { continue }
      let level = link.level + 3.5 * normal()
      guard level > Self.sensitivity else { continue }
      pending.append(
        Packet(
          time: max(0, time + link.offset + unit() * 0.008),
          receiver: UInt8(link.receiver),
          rssi: Int8(min(max(level.rounded(), -100), 0)),
          payload: payload,
          address: address
        )
      )
    }
  }
}

/// The findings of the faults of a simulation.
package struct FleetScore {
  /// A fault with the time until it was found, in seconds; `nil` if it was not found in time.
  package private(set) var found: [(fault: FleetFault, after: Double?)] = []
  /// Findings that no fault explains.
  package private(set) var falseFindings: [FleetFinding] = []
  /// All findings.
  package private(set) var findings: [FleetFinding] = []

  package init(_ simulation: FleetSimulation) {
    var simulation = simulation
    var health = FleetHealth(FleetRoster(simulation.identities))
    while let batch = simulation.next() { health.add(batch) }
    findings = health.ended + health.findings
    for fault in simulation.faults {
      let matching = findings.filter { $0.kind == fault.kind && $0.subject == fault.subject }
        .map { ($0.found - FleetSimulation.start).seconds }
        .filter { $0 >= fault.begins && $0 <= fault.deadline + 120 }
      found.append((fault, matching.min().map { $0 - fault.begins }))
    }
    falseFindings = findings.filter { finding in
      let time = (finding.found - FleetSimulation.start).seconds
      if simulation.isExpected(finding, at: time) { return false }
      return !simulation.faults.contains { fault in
        fault.kind == finding.kind && fault.subject == finding.subject && time >= fault.begins
          && time <= fault.ends + 86_400
      }
    }
  }
}
