// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconHistory

/// Times in the tests count from a whole minute, `TestScan.at(40)`.
@Suite struct HistoryAccumulatorTests {
  static let one = TestScan.beacon(1, 1)
  static let gap = TimeSpan.seconds(60)

  static func at(_ seconds: Double) -> Timestamp { TestScan.at(40 + seconds) }

  static func accumulator() -> HistoryAccumulator { HistoryAccumulator(gap: gap) { $0 == one } }

  static func places(_ rows: [HistoryRow]) -> [HistoryPlace] {
    rows.compactMap { if case .place(let row) = $0 { row } else { nil } }
  }

  static func place(
    _ position: BeaconPlace.Position,
    _ seconds: Double,
    of identity: BeaconIdentity? = one
  ) -> OperatorInput {
    .place(BeaconPlace(identity, position, hundredths: 92), at(seconds))
  }

  static func second(_ seconds: Double, _ levels: [Int8?]) -> OperatorInput {
    var second = ReceivedSecond(
      second: at(seconds),
      identity: one,
      receiver: "hci0",
      ReceivedSum()
    )
    for level in levels { second.sum.add(rssi: level, power: -59, at: at(seconds)) }
    return .reports(second)
  }

  static func minutes(_ rows: [HistoryRow]) -> [HistoryMinute] {
    rows.compactMap { if case .minute(let row) = $0 { row } else { nil } }
  }

  static func visits(_ rows: [HistoryRow]) -> [HistoryVisit] {
    rows.compactMap { if case .visit(let row) = $0 { row } else { nil } }
  }

  static func states(_ rows: [HistoryRow]) -> [HistoryReceiverState] {
    rows.compactMap { if case .receiver(let row) = $0 { row } else { nil } }
  }

  static func crossing(_ kind: HistoryCrossing.Kind, _ seconds: Double) -> HistoryEvent {
    .crossing(
      HistoryCrossing(
        time: at(seconds),
        client: "guide",
        region: "hall",
        kind: kind,
        reason: "heard",
        why: "{}"
      )
    )
  }

  /// Row C34.
  @Test func `stays are a client's visits, if their end was observed`() {
    var (history, log) = (Self.accumulator(), VisitLog())
    let why = Explanation(identity: nil, reports: 1, threshold: .reports(1), rule: .firstReport)
    let events: [(Double, Event)] = [
      (1, .regionState("hall", .inside, .assumed, .assumed)),
      (2, .regionState("hall", .inside, .observed, .received)),
      (3, .regionState("hall", .unknown, .observed, .radioOff)),
      (4, .regionState("hall", .inside, .observed, .received)),
      (5, .regionExited("hall", .allSilent, why)),
      (5, .regionState("hall", .outside, .observed, .allSilent)),
      (6, .regionEntered("hall", .received, why)),
      (6, .regionState("hall", .inside, .observed, .received)),
      (7, .regionState("hall", .inside, .observed, .requested)),
    ]
    for (seconds, event) in events {
      let delivery = Delivery(
        ofService: event,
        to: .client(ClientID(number: 1)),
        at: Self.at(seconds)
      )
      log.note(event, at: delivery.time)
      if let event = HistoryEvent(delivery, client: "guide") {
        history.add(event, client: "guide")
      }
    }
    var stays: [Timestamp: Timestamp?] = [:]
    for visit in Self.visits(history.takeRows()) { stays[visit.entered] = visit.left }
    #expect(stays == [Self.at(2): Self.at(5), Self.at(6): nil])
    #expect(log.visits.reduce(into: [:]) { $0[$1.arrival] = .some($1.departure) } == stays)
  }

  /// Row M6.
  @Test func `a site whose receivers are not known yet has no state in the history`() {
    var sums = ReceivedSeconds { _ in true }
    var scan = TestScan()
    for (receiver, state, seconds) in [
      (UInt8(0), RadioState.gone, 0.0), (1, .listening, 1), (1, .gone, 2),
    ] { scan.add(.radio(receiver: receiver, state, TestScan.at(seconds))) }
    let times = scan.batch.inputs.map(\.time)
    let slice = ScanSlice(batch: scan.batch, range: 0..<3, admitted: times, upTo: nil)
    var history = Self.accumulator()
    for input in sums.process(slice, receivers: ["mqtt://home", "hall/hci0"]) { history.add(input) }
    #expect(
      Self.states(history.takeRows()).map { "\($0.receiver) \($0.state)" } == [
        "hall/hci0 listening", "hall/hci0 gone",
      ]
    )
  }

  @Test func `a minute is complete once the inputs have passed its end`() {
    var history = Self.accumulator()
    history.add(.reached(Self.at(0)))
    history.add(Self.second(1, [-70, -61, nil]))
    history.add(Self.second(59, [-80]))
    history.add(.reached(Self.at(60)))
    #expect(history.takeRows().isEmpty)
    history.add(.reached(Self.at(60.000001)))
    #expect(
      Self.minutes(history.takeRows()) == [
        HistoryMinute(
          minute: Self.at(0),
          identity: Self.one,
          receiver: "hci0",
          reports: 4,
          rssiTenths: -703,
          weakest: -80,
          strongest: -61
        )
      ]
    )
    history.end(at: Self.at(61))
    #expect(Self.minutes(history.takeRows()).isEmpty)
  }

  @Test func `a tick belongs to the second before it, and to each receiver's row`() {
    var history = Self.accumulator()
    history.add(.reached(Self.at(0)))
    func tick(_ seconds: Double, _ meters: Double?, isNear: Bool) {
      let beacon = HistoryEvent.Ranged(identity: Self.one, meters: meters, isNear: isNear)
      history.add(.ranged([beacon, beacon], at: Self.at(seconds)), client: "guide")
    }
    tick(1, 1, isNear: true)
    tick(2, nil, isNear: false)
    tick(60, 2, isNear: true)
    tick(61, 9, isNear: true)
    history.add(Self.second(1, [-70]))
    history.add(Self.second(60, [-70]))
    history.end(at: Self.at(62))
    let rows = Self.minutes(history.takeRows())
    #expect(rows.map(\.nearSeconds) == [2, 1])
    #expect(rows.map(\.centimeters) == [150, 900])
  }

  @Test func `a pause is a state of every receiver, and so is the end`() {
    var history = Self.accumulator()
    history.add(.receiver("hci0", .listening, Self.at(0)))
    history.add(.reached(Self.at(10)))
    history.add(.reached(Self.at(80)))
    history.add(.receiver("hci0", .deaf, Self.at(90)))
    history.end(at: Self.at(95))
    let states = Self.states(history.takeRows())
    #expect(states.map(\.state) == [.listening, .gap, .listening, .deaf, .ended])
    #expect(states.map(\.time) == [0, 10, 80, 90, 95].map(Self.at))
  }

  @Test func `a stay stays from the entry to the exit`() {
    var history = Self.accumulator()
    history.add(Self.crossing(.enter, 1), client: "guide")
    history.add(.state(region: "hall", .inside, at: Self.at(1)), client: "guide")
    history.add(Self.crossing(.exit, 9), client: "guide")
    history.add(.state(region: "hall", .outside, at: Self.at(9)), client: "guide")
    let visits = Self.visits(history.takeRows())
    #expect(visits.map(\.left) == [nil, Self.at(9)])
    #expect(visits.map(\.quality) == [.whole, .whole])
    #expect(Set(visits.map(\.entered)) == [Self.at(1)])
  }

  @Test func `what was not observed of a stay is reported`() {
    var history = Self.accumulator()
    history.add(.state(region: "hall", .inside, at: Self.at(1)), client: "guide")
    history.add(Self.crossing(.exit, 9), client: "guide")
    history.add(Self.crossing(.enter, 20), client: "guide")
    history.add(.state(region: "hall", .unknown, at: Self.at(22)), client: "guide")
    history.add(.state(region: "hall", .outside, at: Self.at(30)), client: "guide")
    let visits = Self.visits(history.takeRows())
    #expect(
      visits.map(\.quality) == [.beganBefore, .beganBefore, .whole, .interrupted, .endUnknown]
    )
    #expect(visits.last?.left == nil)
    #expect(visits.last?.isOpen == false)
  }

  static func visit(_ seconds: Double, _ region: String, client: String = "guide") -> HistoryVisit {
    HistoryVisit(entered: at(seconds), client: client, region: region, quality: .whole)
  }

  @Test func `a stay that an earlier run left open continues, and was not observed in between`() {
    var history = Self.accumulator()
    history.resume([Self.visit(-100, "hall")], client: "guide", regions: ["hall"])
    history.add(.state(region: "hall", .inside, at: Self.at(1)), client: "guide")
    #expect(Self.visits(history.takeRows()).map(\.quality) == [.interrupted])
    history.add(Self.crossing(.exit, 9), client: "guide")
    let visits = Self.visits(history.takeRows())
    #expect(visits.map(\.entered) == [Self.at(-100)])
    #expect(visits.map(\.left) == [Self.at(9)])
    #expect(visits.map(\.quality) == [.interrupted])
  }

  @Test func `of a stay that this run does not observe the end is not known`() {
    var history = Self.accumulator()
    history.resume(
      [
        Self.visit(-300, "hall"), Self.visit(-200, "cellar"), Self.visit(-150, "hall"),
        Self.visit(-100, "hall", client: "other"),
      ],
      client: "guide",
      regions: ["hall"]
    )
    let last = Dictionary(
      Self.visits(history.takeRows()).map { ($0.entered, $0.quality) },
      uniquingKeysWith: { $1 }
    )
    #expect(last[Self.at(-300)] == .endUnknown, "a later stay in the same region")
    #expect(last[Self.at(-200)] == .endUnknown, "a region of another run")
    #expect(last[Self.at(-150)] == .interrupted)
    #expect(last[Self.at(-100)] == .endUnknown, "a region of another client")
  }

  /// The rows of the earlier run reach into the future: after them no run would seem to listen.
  @Test
  func `a run whose clock was set back reports its states again after the end of earlier ones`() {
    var history = Self.accumulator()
    history.resume([], after: Self.at(30), client: "guide", regions: [])
    history.add(.receiver("hci0", .listening, Self.at(0)))
    history.add(.receiver("hci1", .deaf, Self.at(1)))
    history.add(.reached(Self.at(29)))
    #expect(Self.states(history.takeRows()).count == 2)
    history.add(.reached(Self.at(31)))
    history.add(.reached(Self.at(32)))
    let states = Self.states(history.takeRows())
    #expect(states.map(\.state) == [.listening, .deaf])
    #expect(states.allSatisfy { $0.time == Self.at(30) + TimeSpan(microseconds: 1) })
    var later = Self.accumulator()
    later.resume([], after: Self.at(30), client: "guide", regions: [])
    later.add(.receiver("hci0", .listening, Self.at(40)))
    later.add(.reached(Self.at(50)))
    #expect(Self.states(later.takeRows()).count == 1)
  }

  @Test func `a place stays from when it was found out until another one was`() {
    var history = Self.accumulator()
    for (position, seconds) in [
      (.unknown, 1), (.at("hall"), 2), (.at("hall"), 3), (.at("cellar"), 4), (.absent, 9),
    ] as [(BeaconPlace.Position, Double)] {
      history.add(Self.place(position, seconds))
    }
    history.end(at: Self.at(12))
    let all = Self.places(history.takeRows())
    let begun = all.filter { $0.left == nil }
    let ended = all.filter { $0.left != nil }
    #expect(begun.map(\.entered) == [1, 2, 4, 9].map(Self.at))
    #expect(ended.map(\.entered) == begun.map(\.entered))
    #expect(ended.map(\.left) == [2, 4, 9, 9].map(Self.at))
    #expect(ended.map(\.place) == [nil, "hall", "cellar", nil])
    #expect(ended.map(\.state) == [.unknown, .known, .known, .absent])
    #expect(ended.map(\.percent) == [0, 92, 92, 0])
  }

  @Test
  func
    `what is reported of the beacons that nobody follows is reported of those that are not named`()
  {
    var history = Self.accumulator()
    history.add(Self.place(.at("hall"), 1))
    history.add(Self.place(.unknown, 1, of: nil))
    #expect(Self.places(history.takeRows()).count == 1)
    history.add(Self.place(.absent, 2, of: nil))
    let rows = Self.places(history.takeRows())
    #expect(rows.map(\.state) == [.known, .absent])
    #expect(rows.first?.left == Self.at(2))
  }

  /// A place is not known in a gap, nor in a time without places.
  @Test func `a place does not last through a time of which nothing is known`() {
    var history = Self.accumulator()
    history.add(.receiver("hci0", .listening, Self.at(0)))
    history.add(Self.place(.at("hall"), 1))
    history.add(.reached(Self.at(80)))
    #expect(Self.places(history.takeRows()).map(\.left) == [nil, Self.at(1)])
    history.add(Self.place(.at("hall"), 81))
    for second in 82..<200 { history.add(.reached(Self.at(Double(second)))) }
    #expect(Self.places(history.takeRows()).map(\.left) == [nil, Self.at(81)])
    history.end(at: Self.at(200))
    #expect(Self.places(history.takeRows()).isEmpty)
  }
}

@Suite struct ReceivedSecondsTests {
  static func inputs(_ cuts: [Int]) -> [OperatorInput] {
    var scan = TestScan()
    scan.add(.radio(receiver: 0, .listening, TestScan.at(0.1)))
    for step in 0..<30 {
      scan.report(TestScan.beacon(1, 1), -60, at: 0.2 + Double(step) * 0.3, receiver: 0)
      scan.report(TestScan.beacon(1, 9), -70, at: 0.25 + Double(step) * 0.3, receiver: 1)
    }
    scan.mark(at: 100)
    let batch = scan.batch
    var sums = ReceivedSeconds { $0 == TestScan.beacon(1, 1) }
    var all: [OperatorInput] = []
    var start = 0
    for end in cuts + [batch.inputs.count] where end > start {
      let range = start..<end
      let slice = ScanSlice(
        batch: batch,
        range: range,
        admitted: batch.inputs[range].map(\.time),
        upTo: nil
      )
      all += sums.process(slice, receivers: ["hci0", ""])
      start = end
    }
    return all + sums.end(at: TestScan.at(100))
  }

  @Test func `seconds are summed for each receiver, and unlisted beacons are counted`() {
    let inputs = Self.inputs([])
    let reports = inputs.compactMap { if case .reports(let sum) = $0 { sum } else { nil } }
    #expect(reports.map(\.sum.reports).reduce(0, +) == 30)
    #expect(Set(reports.map(\.receiver)) == ["hci0"])
    #expect(inputs.contains(.unlisted(1, second: TestScan.at(0))))
    // The second receiver never stated a state, and has no name.
    #expect(inputs.contains(.receiver("#1", .listening, TestScan.at(0.25))))
  }

  @Test func `places of listed beacons are in the view, and of no others`() {
    let places = [
      BeaconPlace(TestScan.beacon(1, 1), .at("hall"), hundredths: 97),
      BeaconPlace(TestScan.beacon(1, 9), .at("cellar"), hundredths: 97),
      BeaconPlace(nil, .absent),
    ]
    var batch = ScanBatch()
    for place in places { batch.append(place, at: TestScan.at(2)) }
    var sums = ReceivedSeconds { $0 == TestScan.beacon(1, 1) }
    let inputs = sums.process(
      ScanSlice(
        batch: batch,
        range: 0..<3,
        admitted: [TestScan.at(2), TestScan.at(2), TestScan.at(2)],
        upTo: nil
      ),
      receivers: []
    )
    let found = inputs.filter { if case .place = $0 { true } else { false } }
    #expect(found == [.place(places[0], TestScan.at(2)), .place(places[2], TestScan.at(2))])
  }

  @Test func `what a listed beacon reports of itself is in the view, by its address`() {
    let (one, other) = (DeviceAddress(0xC011, kind: .random), DeviceAddress(0xC012, kind: .random))
    let frame: [UInt8] = [
      0x11, 0x16, 0xAA, 0xFE, 0x20, 0, 0x0B, 0xB8, 0x15, 0x80, 0, 0, 1, 0, 0, 0, 0x27, 0x10,
    ]
    var batch = ScanBatch()
    func add(_ seconds: Double, _ address: DeviceAddress?, _ payload: [UInt8]) {
      batch.append(
        AdvertisingReport(
          time: TestScan.at(seconds),
          rssi: -60,
          receiver: 0,
          address: address,
          content: .advertisingData,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: payload
      )
    }
    func identity(_ minor: UInt16) -> [UInt8] {
      BeaconEncoder.advertisingData(TestScan.beacon(1, minor), measuredPower: -59)
    }
    add(1, one, frame)
    add(2, one, identity(1))
    add(3, one, frame)
    add(4, other, identity(9))
    add(5, other, frame)
    add(6, nil, frame)
    // The address is another beacon's from now on.
    add(7, one, identity(9))
    add(8, one, frame)
    var sums = ReceivedSeconds { $0 == TestScan.beacon(1, 1) }
    let inputs = sums.process(
      ScanSlice(
        batch: batch,
        range: 0..<8,
        admitted: batch.inputs.map(\.time),
        upTo: nil
      ),
      receivers: ["hci0"]
    )
    let found = inputs.filter { if case .telemetry = $0 { true } else { false } }
    let said = Telemetry(volts: 3, celsius: 21.5, sent: 256, uptime: .seconds(1000))
    #expect(found == [.telemetry(said, of: TestScan.beacon(1, 1), TestScan.at(3))])
  }

  @Test(arguments: [[1], [5, 17, 40], Array(1...60)])
  func `the rows do not depend on how batches were cut`(_ cuts: [Int]) {
    func rows(_ inputs: [OperatorInput]) -> [HistoryRow] {
      var history = HistoryAccumulator(gap: .seconds(60)) { _ in true }
      for input in inputs { history.add(input) }
      history.end(at: TestScan.at(100))
      return history.takeRows()
    }
    let whole = rows(Self.inputs([]))
    #expect(whole.count > 5)
    #expect(rows(Self.inputs(cuts)) == whole)
  }
}
