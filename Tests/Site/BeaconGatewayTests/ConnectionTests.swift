// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconGateway

@Suite struct BackOffTests {
  @Test func `the wait is random up to a limit that doubles to two minutes`() {
    var backOff = BackOff()
    var limits: [Double] = []
    for _ in 0..<9 {
      limits.append(backOff.limit.seconds)
      _ = backOff.failed(after: nil, random: 0)
    }
    #expect(limits == [1, 2, 4, 8, 16, 32, 64, 120, 120])
    var random = SplitMix64(seed: 3)
    let waits = (0..<1000).map { _ in
      var copy = backOff
      return copy.failed(after: nil, random: random.next()).seconds
    }
    #expect(waits.allSatisfy { (0...120).contains($0) })
    // Full jitter: every part of the time is used.
    for part in 0..<10 {
      let span = Double(part) * 12..<Double(part + 1) * 12
      #expect(waits.contains { span.contains($0) })
    }
  }

  // Row M5.
  @Test func `a connection that is thrown out counts, one that is stable ends the doubling`() {
    var backOff = BackOff()
    for _ in 0..<4 { _ = backOff.failed(after: .seconds(29), random: 7) }
    #expect(backOff.limit == .seconds(16))
    _ = backOff.failed(after: .seconds(30), random: 7)
    #expect(backOff.failures == 1)
  }

  // Row M5.
  @Test func `behind a stable connection the first limit is that of a fleet`() {
    var backOff = BackOff()
    // The number gives nearly the whole limit.
    let wait = backOff.failed(after: .seconds(3600), random: 7_999_999)
    #expect(wait > TimeSpan(seconds: 7.9) && wait <= .seconds(8))
    var limits: [Double] = []
    for _ in 0..<6 {
      limits.append(backOff.limit.seconds)
      _ = backOff.failed(after: nil, random: 0)
    }
    #expect(limits == [8, 8, 16, 32, 64, 120])
    // Another stable connection ends the doubling, but a gateway of a fleet stays one.
    _ = backOff.failed(after: .seconds(31), random: 0)
    #expect(backOff.limit == .seconds(8))
  }

  // Row M5.
  @Test func `a gateway that was not answered for some seconds comes back sooner, three times`() {
    var backOff = BackOff()
    for limit: Int64 in [6, 4, 4, 16, 32] {
      let lasted: TimeSpan? = limit == 6 ? .seconds(3600) : nil
      let random = UInt64(limit) * 1_000_000
      #expect(
        backOff.failed(after: lasted, isUnanswered: true, random: random) == .seconds(limit)
      )
    }
    // The limits of a single gateway are as short already.
    var new = BackOff()
    for limit: Int64 in [1, 2, 4, 8] {
      let random = UInt64(limit) * 1_000_000
      #expect(new.failed(after: nil, isUnanswered: true, random: random) == .seconds(limit))
    }
  }
}

/// Fleets whose gateways wait as ``BackOff`` says, without messages: when they are back, and how many try at a time.
@Suite struct FleetReturnTests {
  /// When each of some gateways is back, and the attempts of each half second.
  struct Return {
    var times: [Double] = []
    var attempts: [Int: Int] = [:]

    /// The most attempts within a second.
    var peak: Int {
      attempts.keys.map { attempts[$0, default: 0] + attempts[$0 + 1, default: 0] }.max() ?? 0
    }
  }

  /// Gateways that lose a stable connection at 0 s.
  ///
  /// - Parameters:
  ///   - first: From when on an attempt succeeds.
  ///   - patience: How long the servers let an attempt wait before they refuse it, in seconds; it succeeds if they can
  ///     accept it by then.
  static func lose(_ gateways: Int, first: Double, patience: Double) -> Return {
    var random = SplitMix64(seed: UInt64(gateways) &* 31 &+ UInt64(first))
    var result = Return()
    for _ in 0..<gateways {
      var backOff = BackOff()
      var now = backOff.failed(after: .seconds(3600), random: random.next()).seconds
      while true {
        // What a loss of the whole cluster refuses at once is no load.
        if patience > 0 || now >= first { result.attempts[Int(now * 2), default: 0] += 1 }
        guard now + patience < first else { break }
        let isUnanswered = patience >= BackOff.held.seconds
        now += patience
        now += backOff.failed(after: nil, isUnanswered: isUnanswered, random: random.next()).seconds
      }
      result.times.append(max(now, first))
    }
    return result
  }

  /// The share of a fleet's messages, one each 10 s of each gateway, that come more than 10 s late in a minute.
  static func late(_ times: [Double], of gateways: Int) -> Double {
    times.reduce(0) { $0 + max(0, $1 - 10) / 10 } / (6 * Double(gateways))
  }

  /// A server of three ends, and the others have a leader again after a time; NATS lets an attempt wait for 4 s, or for 2.
  @Test(arguments: [0.0, 5, 7, 9], [2.0, 4])
  func `one of three servers ends`(_ leader: Double, _ patience: Double) {
    for gateways in [10, 100, 1000, 2500, 5000, 10_000, 20_000] {
      let back = Self.lose(gateways / 3, first: leader, patience: patience)
      // Of a few gateways, some late ones are more than one in 100 messages by chance.
      if gateways >= 1000 {
        #expect(Self.late(back.times, of: gateways) <= 0.01, "\(gateways) gateways")
      }
      #expect(back.times.allSatisfy { $0 <= 60 })
      // 5,000 gateways stay below 500 in a second; more of them are as many more.
      let limit = gateways <= 5000 ? 500 : gateways / 10
      #expect(back.peak <= limit, "\(gateways) gateways: \(back.peak) in a second")
    }
  }

  /// The share of messages that come more than 10 s late in a minute, where NATS also ends the connections on which a message
  /// was sent while there was no leader, 4 s later.
  static func lateOfAll(_ gateways: Int, first: Double) -> Double {
    var random = SplitMix64(seed: UInt64(gateways) &+ UInt64(first * 10))
    var late = 0
    for gateway in 0..<gateways {
      let made = Double(random.next() % 10_000_000) / 1_000_000
      let isKilled = gateway % 3 == 0
      guard isKilled || made < first else { continue }
      var backOff = BackOff()
      var now = isKilled ? 0 : made + 4
      now +=
        backOff.failed(
          after: .seconds(3600),
          isUnanswered: !isKilled,
          random: random.next()
        ).seconds
      while now < first {
        now += 4 + backOff.failed(after: nil, isUnanswered: true, random: random.next()).seconds
      }
      late += stride(from: made, to: now, by: 10).count { now - $0 > 10 }
    }
    return Double(late) / (6 * Double(gateways))
  }

  // Row M5.
  @Test(arguments: [0.0, 4, 5])
  func `99 in 100 messages come in time, also of those whose connection a living server ends`(
    _ leader: Double
  ) {
    for gateways in [1000, 5000, 20_000] {
      #expect(Self.lateOfAll(gateways, first: leader) <= 0.01, "\(gateways) gateways")
    }
  }

  /// All servers end, and come back after a time.
  @Test(arguments: [(5.0, 3), (10, 4), (20, 8), (60, 30), (300, 35)])
  func `the whole cluster ends`(_ away: Double, _ part: Int) {
    for gateways in [10, 100, 1000, 5000, 20_000] {
      let back = Self.lose(gateways, first: away, patience: 0)
      // The longer they were away, the smaller is the part of the fleet that comes in a second.
      #expect(back.peak <= gateways / part + 10, "\(gateways) gateways: \(back.peak) in a second")
      #expect(back.times.allSatisfy { $0 - away <= 121 })
    }
  }
}

@Suite struct BrokerMachineTests {
  static func at(_ seconds: Double) -> Timestamp { TestScan.at(seconds) }

  @Test func `it connects, is thrown out, and waits longer each time`() {
    var machine = BrokerMachine(at: Self.at(0))
    var now = Self.at(0)
    var waits: [Double] = []
    for round in 0..<6 {
      #expect(machine.passed(to: now, random: 1) == [.connect(.v5)])
      #expect(machine.connected(at: now) == [.show(.connected(.v5))])
      #expect(machine.isConnected && machine.deadline == nil)
      now = now + .seconds(1)
      let shown = machine.failed(.lost("reset"), at: now, random: 31_999_999)
      #expect(shown == [.show(.failed(.lost("reset")))], "round \(round)")
      let deadline = machine.deadline ?? now
      waits.append((deadline - now).seconds)
      #expect(machine.passed(to: deadline - TimeSpan(microseconds: 1), random: 1).isEmpty)
      now = deadline
    }
    // The number gives nearly the whole of each limit.
    for (wait, limit) in zip(waits, [1.0, 2, 4, 8, 16, 32]) {
      #expect(wait <= limit && wait > 0.9 * limit)
    }
  }

  // Row M5.
  @Test func `what the broker does not answer for three seconds is unanswered`() {
    /// The longest wait behind a stable connection and then an attempt or a connection of some seconds.
    func wait(_ seconds: Double, isAccepted: Bool, isWaiting: Bool) -> TimeSpan? {
      var machine = BrokerMachine(at: Self.at(0))
      _ = machine.passed(to: Self.at(0), random: 0)
      _ = machine.connected(at: Self.at(0))
      _ = machine.failed(.lost("reset"), at: Self.at(60), random: 0)
      _ = machine.passed(to: Self.at(60), random: 0)
      if isAccepted { _ = machine.connected(at: Self.at(60)) }
      let end = Self.at(60 + seconds)
      // One more than the short limit has: nothing of it, and 4 s and a microsecond of the long one.
      _ = machine.failed(.lost("reset"), isWaiting: isWaiting, at: end, random: 4_000_001)
      return machine.deadline.map { $0 - end }
    }
    let short = TimeSpan.zero, long = TimeSpan(microseconds: 4_000_001)
    #expect(wait(2.9, isAccepted: false, isWaiting: true) == long)
    #expect(wait(3, isAccepted: false, isWaiting: false) == short)
    #expect(wait(2.9, isAccepted: true, isWaiting: true) == long)
    #expect(wait(3, isAccepted: true, isWaiting: false) == long)
    #expect(wait(3, isAccepted: true, isWaiting: true) == short)
  }

  @Test func `a trouble is shown once, until a connection was made`() {
    var machine = BrokerMachine(at: Self.at(0))
    _ = machine.passed(to: Self.at(0), random: 0)
    #expect(machine.failed(.wrongPassword, at: Self.at(1), random: 0).count == 1)
    _ = machine.passed(to: Self.at(1), random: 0)
    #expect(machine.failed(.wrongPassword, at: Self.at(2), random: 0).isEmpty)
    #expect(!machine.hasConnected)
    _ = machine.passed(to: Self.at(2), random: 0)
    _ = machine.connected(at: Self.at(3))
    #expect(machine.failed(.wrongPassword, at: Self.at(4), random: 0).count == 1)
  }

  @Test func `an older broker is asked in its version of MQTT`() {
    var machine = BrokerMachine(at: Self.at(0))
    #expect(machine.passed(to: Self.at(0), random: 0) == [.connect(.v5)])
    // At once, and without a word: a replay or a reader would end with the failure.
    #expect(machine.failed(.otherProtocol("no"), at: Self.at(1), random: .max).isEmpty)
    #expect(machine.passed(to: Self.at(1), random: 0) == [.connect(.v311)])
    _ = machine.connected(at: Self.at(2))
    _ = machine.failed(.otherProtocol("no"), at: Self.at(3), random: 0)
    #expect(machine.passed(to: Self.at(5), random: 0) == [.connect(.v311)])
  }

  /// A hostile broker could else ask for the version that a library does not survive.
  @Test func `a version that is too new is never spoken`() {
    var machine = BrokerMachine(at: Self.at(0), newest: .v311)
    for second in [0.0, 100, 200] {
      #expect(machine.passed(to: Self.at(second), random: 0) == [.connect(.v311)])
      _ = machine.failed(.otherProtocol("no"), at: Self.at(second + 1), random: 0)
    }
  }

  @Test func `what speaks no version of MQTT is a failure, and both are tried again`() {
    var machine = BrokerMachine(at: Self.at(0))
    _ = machine.passed(to: Self.at(0), random: 0)
    _ = machine.failed(.otherProtocol("no"), at: Self.at(1), random: 0)
    _ = machine.passed(to: Self.at(1), random: 0)
    #expect(
      machine.failed(.otherProtocol("no"), at: Self.at(2), random: 500_000) == [
        .show(.failed(.otherProtocol("no")))
      ]
    )
    #expect(machine.passed(to: Self.at(2.4), random: 0).isEmpty)
    #expect(machine.passed(to: Self.at(2.5), random: 0) == [.connect(.v5)])
  }

  @Test func `a broker that does not answer is given up`() {
    var machine = BrokerMachine(at: Self.at(0))
    _ = machine.passed(to: Self.at(0), random: 0)
    #expect(machine.passed(to: Self.at(14.9), random: 0).isEmpty)
    #expect(
      machine.passed(to: Self.at(15), random: 0) == [
        .abandon, .show(.failed(.unreachable("no answer"))),
      ]
    )
    #expect(machine.connected(at: Self.at(16)).isEmpty)
  }
}

@Suite struct OutboxTests {
  /// Row M4.
  ///
  /// A broker that acknowledges some messages, in any order, and a connection that is lost now and then: at the end it
  /// has everything, and between two losses old records came in order.
  @Test func `whatever is lost on the way, the broker gets every record`() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<Effort.rounds(300) {
      var outbox = Outbox(head: 0, end: 0)
      var received: Set<UInt64> = []
      var flying: [(message: Int32, record: UInt64)] = []
      var message: Int32 = 0
      var last: UInt64?
      var written: UInt64 = 0
      func settle() { for (_, record) in flying { received.insert(record) } }
      for step in 0..<400 {
        switch step < 300 ? random.next() % 8 : 3 + random.next() % 4 {
        case 0, 1, 2:
          written += 1
          let record = outbox.append()
          guard random.next() % 2 == 0, outbox.hasRoom else { break }
          message += 1
          outbox.sending(record, as: message)
          flying.append((message, record))
        case 3, 4:
          guard let record = outbox.nextRecord() else { break }
          if let last { #expect(record > last) }
          last = record
          message += 1
          outbox.sending(record, as: message)
          flying.append((message, record))
        case 5, 6:
          guard !flying.isEmpty else { break }
          let (message, record) = flying.remove(at: Int(random.next() % UInt64(flying.count)))
          received.insert(record)
          _ = outbox.acknowledged(message)
        default:
          // What was in flight may have arrived or not.
          flying = []
          last = nil
          outbox.disconnected()
        }
        #expect(outbox.unacknowledged <= Outbox.inFlightLimit)
      }
      while outbox.waiting > 0 {
        while let record = outbox.nextRecord() {
          message += 1
          outbox.sending(record, as: message)
          flying.append((message, record))
        }
        settle()
        for (message, _) in flying { _ = outbox.acknowledged(message) }
        flying = []
      }
      #expect(received.count == Int(written) && outbox.head == written)
    }
  }

  @Test func `what happens now has room beside what waits`() {
    var outbox = Outbox(head: 0, end: 100)
    var message: Int32 = 0
    while let record = outbox.nextRecord() {
      message += 1
      outbox.sending(record, as: message)
    }
    #expect(outbox.unacknowledged == 15 && outbox.hasRoom)
  }

  @Test func `records that the disk had no room for are counted, those that arrived are not`() {
    var outbox = Outbox(head: 0, end: 10)
    for record in [UInt64(0), 1, 4] { outbox.sending(record, as: Int32(record)) }
    for message in [Int32(1), 4] { _ = outbox.acknowledged(message) }
    #expect(outbox.drop(before: 6) == 4)
    #expect(outbox.head == 6 && outbox.nextRecord() == 6)
  }
}

@Suite struct RetainedStatesTests {
  @Test func `topics of an earlier configuration are deleted once`() {
    var states = RetainedStates(
      earlier: ["beacons/1/a/b/region/old", "beacons/1/a/b/status"],
      declared: ["beacons/1/a/b/status", "beacons/1/a/b/radio"]
    )
    states.set("beacons/1/a/b/status", [1])
    states.set("beacons/1/a/b/status", [2])
    #expect(states.all.map(\.topic) == ["beacons/1/a/b/region/old", "beacons/1/a/b/status"])
    #expect(states.all.map(\.payload) == [[], [2]])
    states.sending("beacons/1/a/b/region/old", as: 4)
    states.disconnected()
    #expect(!states.acknowledged(4) && states.obsolete.count == 1)
    states.sending("beacons/1/a/b/region/old", as: 5)
    #expect(states.acknowledged(5) && states.obsolete.isEmpty)
    #expect(states.topics == ["beacons/1/a/b/radio", "beacons/1/a/b/status"])
  }

  @Test
  func `of states that a broker does not acknowledge few are handed to it, and then the newest`() {
    var states = RetainedStates(earlier: [], declared: [])
    for number in 0..<2000 { states.set("beacons/1/a/b/region/\(number)", [1]) }
    states.queueAll()
    #expect(!states.areSettled)
    var sent: [String] = []
    func send() {
      while let (topic, _) = states.next() {
        states.sending(topic, as: Int32(sent.count))
        sent.append(topic)
      }
    }
    send()
    #expect(sent.count == RetainedStates.inFlightLimit)
    // A topic that waits has its newest state when its turn comes.
    states.set("beacons/1/a/b/region/1999", [2])
    states.queue("beacons/1/a/b/region/1999")
    for number in 0..<999 as Range<Int32> { _ = states.acknowledged(number) }
    send()
    #expect(sent.count == 1999)
    _ = states.acknowledged(999)
    let last = states.next()
    #expect(last?.topic == "beacons/1/a/b/region/1999" && last?.payload == [2])
    #expect(states.next() == nil)
    states.disconnected()
    #expect(states.areSettled && states.next() == nil)
  }

  @Test func `a damaged list deletes nothing of others`() {
    let ours = ["beacons/1/home/hall/status", "homeassistant/device/beacons_home_hall/config"]
    #expect(RetainedStates.topics(in: RetainedStates.bytes(of: ours)) == ours)
    let damaged = "zigbee2mqtt/lamp\nbeacons/1/#\nbeacons/1/+/x/status\n\u{0}beacons/1/a\n"
    #expect(RetainedStates.topics(in: Array(damaged.utf8)).isEmpty)
  }
}

@Suite struct SpoolRecordTests {
  @Test func `a file that is cut anywhere is read up to its last whole record`() throws {
    let records = (0..<4).map {
      SpoolRecord(
        topic: "beacons/1/a/b/crossing",
        payload: [UInt8](repeating: UInt8($0), count: $0 * 9)
      )
    }
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for record in records {
      bytes += try #require(record.bytes)
      ends.append(bytes.count)
    }
    for count in 0...bytes.count {
      let cut = Array(bytes.prefix(count))
      var place = 0
      var read: [SpoolRecord] = []
      while let (record, end) = SpoolRecord.read(cut, at: place) {
        read.append(record)
        place = end
      }
      #expect(read == Array(records.prefix(ends.count { $0 <= count })))
    }
  }

  @Test func `no changed byte gives another record, and none is too long`() throws {
    let bytes = try #require(SpoolRecord(topic: "a/b", payload: [1, 2, 3]).bytes)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      #expect(SpoolRecord.read(changed, at: 0) == nil, "byte \(index)")
    }
    let long = [UInt8](repeating: 0, count: SpoolRecord.longest)
    #expect(SpoolRecord(topic: "a", payload: long).bytes == nil)
    #expect(SpoolRecord.read(bytes, at: -1) == nil && SpoolRecord.read(bytes, at: 99) == nil)
  }
}
