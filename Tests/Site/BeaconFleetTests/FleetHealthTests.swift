// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFleet

/// The health of a small fleet, event by event.
@Suite struct FleetHealthTests {
  private static let beacons = (1...3).map { TestScan.beacon(1, UInt16($0)) }
  private static let hour = 3600.0

  /// Reports every 20 s of each beacon at each receiver, where a condition holds; the times are seconds.
  private func health(
    _ roster: FleetRoster = FleetRoster(beacons),
    hours: Double,
    receivers: UInt8 = 1,
    states: [(time: Double, receiver: UInt8, state: RadioState)] = [],
    hasMarks: Bool = true,
    receives: (_ beacon: Int, _ receiver: UInt8, _ time: Double) -> Bool
  ) -> FleetHealth {
    var health = FleetHealth(roster)
    var scan = TestScan()
    for receiver in 0..<receivers {
      scan.add(.radio(receiver: receiver, .listening, TestScan.at(0)))
    }
    var states = states
    for step in 0..<Int(hours * 180) {
      let time = Double(step) * 20
      while let state = states.first, state.time <= time {
        scan.add(.radio(receiver: state.receiver, state.state, TestScan.at(time)))
        states.removeFirst()
      }
      for beacon in Self.beacons.indices {
        for receiver in 0..<receivers where receives(beacon + 1, receiver, time) {
          scan.report(
            Self.beacons[beacon],
            -60,
            at: time + Double(beacon) * 0.3,
            receiver: receiver
          )
        }
      }
      if hasMarks { scan.mark(at: time + 19) }
    }
    health.add(scan.batch)
    return health
  }

  private func kinds(_ health: FleetHealth) -> [FleetFinding.Kind] {
    (health.findings + health.ended).map(\.kind)
  }

  /// Reports of one beacon that sends in turn from two addresses, a minute and more.
  private func twoAddresses(_ powers: (Int8, Int8), _ calibration: Calibration = Calibration())
    -> FleetHealth
  {
    var health = FleetHealth(FleetRoster([Self.beacons[0]]), calibration)
    var scan = TestScan()
    for step in 0..<400 {
      let isFirst = step.isMultiple(of: 2)
      scan.report(
        Self.beacons[0],
        isFirst ? -60 : -80,
        at: Double(step) * 0.5,
        power: isFirst ? powers.0 : powers.1,
        address: isFirst ? 1 : 2
      )
    }
    health.add(scan.batch)
    return health
  }

  /// Row W8.
  @Test func `a power that cannot be one is a finding until it is calibrated`() throws {
    let health = twoAddresses((0, 0))
    #expect(health.findings.last?.kind == .powerImplausible)
    #expect(health.findings.last?.after == 0)
    var calibration = Calibration()
    try calibration.setPower(-60, for: .minor(Self.beacons[0]))
    #expect(!kinds(twoAddresses((0, 0), calibration)).contains(.powerImplausible))
    #expect(!kinds(twoAddresses((-59, -59))).contains(.powerImplausible))
  }

  @Test func `a receiver that is off proves no silence, whatever it reports`() {
    // From then on it scans with an accept list.
    let listed = health(hours: 10, states: [(5 * Self.hour, 0, .off)]) { beacon, _, time in
      time < 5 * Self.hour || beacon == 2
    }
    #expect(!kinds(listed).contains(.missing))
  }

  /// Row G27.
  @Test(arguments: [(40.0, 60.0), (20, 60), (20, 120), (100, 120)])
  func `a receiver that listens in turns misses a beacon as well`(_ turn: Double, _ period: Double)
  {
    var states: [(time: Double, receiver: UInt8, state: RadioState)] = []
    for start in stride(from: 0, to: 10 * Self.hour, by: period) {
      states += [(start, 0, .listening), (start + turn, 0, .off)]
    }
    func isReceived(_ beacon: Int, _ time: Double, goneAfter hours: Double) -> Bool {
      time.truncatingRemainder(dividingBy: period) < turn
        && (beacon != 1 || time < hours * Self.hour)
    }
    let gone = health(hours: 10, states: states) { beacon, _, time in
      isReceived(beacon, time, goneAfter: 5)
    }
    #expect(gone.findings.map(\.kind) == [.missing])
    let present = health(hours: 10, states: states) { beacon, _, time in
      isReceived(beacon, time, goneAfter: 10)
    }
    #expect(kinds(present) == [])
    let silent = health(hours: 10, states: states) { beacon, _, time in
      isReceived(beacon, time, goneAfter: 10) && time < 5 * Self.hour
    }
    #expect(silent.findings.map(\.kind) == [.deafReceiver])
  }

  /// Row I8.
  @Test func `a beacon with two powers from an address each is one device`() {
    #expect(kinds(twoAddresses((-59, -59))).contains(.contested))
    #expect(kinds(twoAddresses((-59, -79))) == [])
  }

  /// Row M6.
  @Test func `a site whose receivers are not known yet is no receiver of the fleet`() {
    var health = FleetHealth(FleetRoster(Self.beacons))
    var scan = TestScan()
    scan.add(.radio(receiver: 0, .gone, TestScan.at(0)))
    scan.add(.radio(receiver: 1, .listening, TestScan.at(1)))
    scan.add(.radio(receiver: 1, .gone, TestScan.at(60)))
    health.add(scan.batch)
    #expect(health.receiverCount == 1)
  }

  @Test
  func `a beacon that falls silent is missing within ten minutes, and back when it is received`() {
    let gone = health(hours: 4) { beacon, _, time in beacon != 2 || time < 2 * Self.hour }
    #expect(gone.findings.map(\.kind) == [.missing])
    #expect(gone.findings.first?.subject == .beacon(Self.beacons[1]))
    let after = gone.findings.first.map { ($0.found - TestScan.at(2 * Self.hour)).seconds }
    #expect(after.map { $0 <= 600 } == true)
    let back = health(hours: 4) { beacon, _, time in
      beacon != 2 || !(2 * Self.hour..<3 * Self.hour).contains(time)
    }
    #expect(back.findings.isEmpty && back.ended.map(\.kind) == [.missing])
  }

  @Test func `a receiver that dies accuses no beacon, whether it says so or not`() {
    let deaf = health(hours: 5) { _, _, time in time < 2 * Self.hour }
    #expect(deaf.findings.map(\.kind) == [.deafReceiver] && deaf.ended.isEmpty)
    let gone = health(hours: 5, states: [(2 * Self.hour, 0, .gone)]) { _, _, time in
      time < 2 * Self.hour
    }
    #expect(gone.findings.map(\.kind) == [.deafReceiver] && gone.findings[0].state == .gone)
    // Of two receivers, the one that is left does not receive beacon 3 well enough to judge it.
    let weak = health(hours: 8, receivers: 2) { beacon, receiver, time in
      if receiver == 0 { return time < 5 * Self.hour }
      return beacon != 3 || time.truncatingRemainder(dividingBy: 1200) < 20
    }
    #expect(kinds(weak) == [.deafReceiver])
  }

  @Test func `a restart, a gap in the capture and its end are no finding`() {
    let states: [(time: Double, receiver: UInt8, state: RadioState)] = [
      (2 * Self.hour, 0, .gone), (2 * Self.hour + 300, 0, .listening),
    ]
    let restart = health(hours: 4, states: states) { _, _, time in
      !(2 * Self.hour..<2 * Self.hour + 300).contains(time)
    }
    #expect(kinds(restart).isEmpty)
    // Without marks, nothing is known of five hours.
    let gap = health(hours: 9, hasMarks: false) { _, _, time in
      !(2 * Self.hour..<7 * Self.hour).contains(time)
    }
    #expect(kinds(gap).isEmpty)
  }

  @Test(.slow) func `a beacon that sleeps at night is missing in the first two nights only`() {
    let sleeps = health(hours: 24 * 7) { beacon, _, time in
      beacon != 1
        || (0..<14 * Self.hour).contains(time.truncatingRemainder(dividingBy: 86_400))
    }
    #expect(sleeps.ended.count { $0.kind == .missing } == 2)
    #expect(sleeps.findings.isEmpty)
    // One that does not wake up any more is found.
    let dies = health(hours: 24 * 7) { beacon, _, time in
      beacon != 1
        || (0..<14 * Self.hour).contains(time.truncatingRemainder(dividingBy: 86_400))
          && time < 5.5 * 86_400
    }
    #expect(dies.findings.map(\.kind) == [.missing])
  }

  @Test(.slow) func `a slow beacon of which half is lost is not missing`() {
    for seed in 1...4 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      // Every 20 s with a chance of a half: a minute without it is one of eight.
      var lost: [Int: Bool] = [:]
      let slow = health(hours: 72) { beacon, _, time in
        guard beacon == 1 else { return true }
        lost[Int(time)] = random.next() & 1 == 0
        return lost[Int(time)] == false
      }
      #expect(kinds(slow).isEmpty, "\(slow.ended)")
    }
  }

  @Test(.slow) func `a beacon at the limit of its only receiver is not missing`() {
    for seed in 1...4 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      // In one minute of three; half an hour without it is one chance in 200,000.
      let weak = health(hours: 72) { beacon, _, _ in beacon != 1 || random.next() % 8 == 0 }
      #expect(kinds(weak).isEmpty, "\(weak.ended)")
    }
  }

  @Test(.slow)
  func `a beacon that fades and is silent is not missing, unless it does not come back`() {
    // After a day in which nothing is lost, it is received in one minute of three, and then in none.
    func fades(until end: Double, hours: Double) -> FleetHealth {
      health(hours: hours) { beacon, _, time in
        guard beacon == 1, (26 * Self.hour..<end).contains(time) else { return true }
        return time < 27 * Self.hour && time.truncatingRemainder(dividingBy: 180) < 20
      }
    }
    #expect(kinds(fades(until: 27.75 * Self.hour, hours: 30)).isEmpty)
    let dead = fades(until: .infinity, hours: 39)
    #expect(dead.findings.map(\.kind) == [.missing])
  }

  @Test(.slow) func `an identity with a UUID of the list is unknown, and many do not hide it`() {
    var health = FleetHealth(FleetRoster(Self.beacons))
    var scan = TestScan()
    for number in 0..<60_000 as Range<Int> {
      scan.report(
        TestScan.beacon(UInt16(2 + number / 30_000), UInt16(number % 30_000)),
        -70,
        at: Double(number) / 10
      )
      // From then on one that stays.
      if number > 30_000, number % 100 == 0 {
        scan.report(TestScan.beacon(99, 1), -70, at: Double(number) / 10)
      }
    }
    health.add(scan.batch)
    #expect(health.strangers.count <= FleetHealth.strangerLimit)
    let unknown = health.findings.filter { $0.kind == .unknownIdentity }.map(\.subject)
    #expect(unknown == [.beacon(TestScan.beacon(99, 1))])
  }

  @Test func `times that step back or jump ahead do no harm`() {
    var health = FleetHealth(FleetRoster([], [.uuid(TestScan.museum)]))
    for second in [0.0, 100, 50, -1e9, 1e9, 5, 2e10, 1, -5e10, 1e12] {
      var scan = TestScan()
      scan.report(Self.beacons[0], -60, at: second, receiver: 3)
      scan.report(Self.beacons[0], nil, at: second + 0.5, receiver: 200)
      scan.add(.radio(receiver: 255, .deaf, TestScan.at(second)))
      health.add(scan.batch)
    }
    #expect(health.receivers.count == 4 && health.ignored == 10)
  }

  @Test(.slow) func `a copy in another room is contested, and a moved beacon is not`() {
    // Receiver 1 never receives beacon 1; after 30 hours it does, while receiver 0 receives it as before.
    let copied = health(hours: 34, receivers: 2) { beacon, receiver, time in
      beacon != 1 || receiver == 0 || time > 30 * Self.hour
    }
    #expect(copied.findings.map(\.kind) == [.contested])
    #expect(copied.findings.first?.evidence == [.twoPlaces])
    let moved = health(hours: 34, receivers: 2) { beacon, receiver, time in
      beacon != 1 || (receiver == 0) == (time < 30 * Self.hour)
    }
    #expect(!kinds(moved).contains(.contested))
  }

  @Test(arguments: [true, false])
  func `receivers are not gone because the clock of another one is ahead`(_ isOff: Bool) {
    // The third one's clock is an hour and some seconds ahead, so that its capture seems to end last.
    let end = 6 * Self.hour
    let health = clocks(ahead: isOff ? 6 : 0, until: end)
    let gone = health.findings.filter { $0.kind == .deafReceiver }.map(\.subject)
    #expect(gone == (isOff ? [] : [.receiver(0), .receiver(1)]), "\(health.findings)")
    // Since nothing is compared any more, it is not known to be right.
    let off = health.findings.filter { $0.kind == .clockOff }.map(\.subject)
    #expect(off == (isOff ? [.receiver(2)] : []))
  }

  /// Three receivers, of which two end an hour before the third one.
  private func clocks(ahead: Double, until end: Double) -> FleetHealth {
    var reports: [(time: Double, beacon: Int, receiver: UInt8)] = []
    for beacon in Self.beacons.indices {
      for receiver: UInt8 in 0...2 {
        var time = Double(beacon)
        while time < end - (receiver < 2 ? Self.hour : 0) {
          reports.append((time + (receiver == 2 ? ahead : 0), beacon, receiver))
          time += 20
        }
      }
    }
    var scan = TestScan()
    for receiver: UInt8 in 0...2 {
      scan.add(.radio(receiver: receiver, .listening, TestScan.at(0)))
    }
    var hasEnded = false
    for report in reports.sorted(by: { ($0.time, $0.receiver) < ($1.time, $1.receiver) }) {
      if !hasEnded, report.time > end - Self.hour + 1 {
        for receiver: UInt8 in 0...1 {
          scan.add(.radio(receiver: receiver, .gone, TestScan.at(report.time)))
        }
        hasEnded = true
      }
      scan.report(Self.beacons[report.beacon], -60, at: report.time, receiver: report.receiver)
    }
    var health = FleetHealth(FleetRoster(Self.beacons))
    health.add(scan.batch)
    return health
  }
}
