// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import ESPHomeAPI
import Testing

@testable import ESPHomeProxies

@Suite struct ProxyReceptionTests {
  private var reception = ProxyReception(["hall", "attic"], at: TestScan.at(0))

  private static var proxy: DeviceInfo {
    var info = DeviceInfo()
    info.features = [.rawAdvertisements, .stateAndMode]
    return info
  }

  private static func advertisement(_ minor: UInt16, _ address: UInt64 = 1) -> RawAdvertisement {
    let data = BeaconEncoder.advertisingData(TestScan.beacon(1, minor), measuredPower: -59)
    return RawAdvertisement(address: address, addressType: 1, rssi: -60, data: data)
  }

  /// Receives bytes of a proxy, with an event.
  private mutating func receive(
    _ event: ProxySubscription.Event? = nil,
    of index: Int = 0,
    at second: Double
  ) {
    if let event { reception.add(event, of: index, at: TestScan.at(second)) }
    reception.isThere(index, at: TestScan.at(second))
  }

  private mutating func listen(_ index: Int = 0, at second: Double) {
    receive(.subscribed(Self.proxy), of: index, at: second)
    receive(.scanner(ScannerState(.running)), of: index, at: second)
  }

  /// The states that are given, as text.
  private mutating func states(at second: Double) -> [String] {
    reception.drain(at: TestScan.at(second)).inputs.compactMap { input in
      guard case .radio(let receiver, let state, let time) = input else { return nil }
      return "\(reception.receiverNames[Int(receiver)]) \(state) \((time - TestScan.at(0)).seconds)"
    }
  }

  @Test mutating func `an advertisement is a report with the time of its arrival`() {
    listen(at: 1)
    receive(.advertisements([Self.advertisement(2)]), at: 1.5)
    let batch = reception.drain(at: TestScan.at(1.6))
    #expect(batch.upTo == TestScan.at(1.5))
    let reports = batch.inputs.compactMap(\.report)
    #expect(reports.map(\.time) == [TestScan.at(1.5)])
    #expect(reports.first?.rssi == -60 && reports.first?.address?.text == "00:00:00:00:00:01")
    let read = reports.first.map { BeaconDecoder.read($0, in: batch.bytes.span).identity }
    #expect(read == TestScan.beacon(1, 2))
  }

  // Row M11.
  @Test mutating func `time passes only as far as each proxy was there`() {
    listen(0, at: 1)
    listen(1, at: 1)
    receive(of: 0, at: 3)
    #expect(reception.drain(at: TestScan.at(3.5)).upTo == TestScan.at(1))
    // The later inputs of one wait for the other.
    receive(.advertisements([Self.advertisement(2)]), of: 0, at: 3.6)
    #expect(reception.drain(at: TestScan.at(3.7)).inputs.isEmpty)
    receive(of: 1, at: 3.8)
    #expect(reception.drain(at: TestScan.at(3.9)).inputs.count == 1)
  }

  // Row M11.
  @Test mutating func `a proxy without an answer is deaf since its last byte`() {
    listen(at: 1)
    receive(of: 0, at: 2)
    #expect(states(at: 5.9) == ["hall gone 0.0", "attic gone 0.0", "hall listening 1.0"])
    #expect(reception.reached == TestScan.at(2))
    #expect(states(at: 6) == ["hall deaf 2.0"])
    #expect(reception.reached == TestScan.at(6))
    receive(.advertisements([Self.advertisement(1)]), at: 7)
    #expect(states(at: 7) == ["hall listening 7.0"])
  }

  @Test mutating func `a lost connection is deafness since its last byte`() {
    listen(at: 1)
    receive(of: 0, at: 2)
    reception.lost(0)
    #expect(
      states(at: 2.2) == ["hall gone 0.0", "attic gone 0.0", "hall listening 1.0", "hall deaf 2.0"]
    )
    // Until its scanner runs again.
    receive(.subscribed(Self.proxy), at: 3)
    receive(.scanner(ScannerState(.starting)), at: 3)
    #expect(states(at: 3) == ["hall off 3.0"])
    receive(.scanner(ScannerState(.running)), at: 3.1)
    #expect(states(at: 3.1) == ["hall listening 3.1"])
  }

  // Row M11.
  @Test mutating func `a proxy whose messages are old is deaf until they are of now`() {
    listen(0, at: 1)
    listen(1, at: 1)
    _ = states(at: 1)
    receive(of: 0, at: 2)
    receive(of: 1, at: 2)
    receive(.fellBehind, of: 0, at: 42)
    receive(.fellBehind, of: 1, at: 42)
    // The state of its scanner counts when it is known.
    receive(.scanner(ScannerState(.running)), of: 0, at: 42)
    receive(.scanner(ScannerState(.failed)), of: 1, at: 42)
    #expect(states(at: 42) == ["hall deaf 2.0", "attic deaf 2.0"])
    receive(.caughtUp, of: 0, at: 42.1)
    receive(.caughtUp, of: 1, at: 42.1)
    #expect(states(at: 42.2) == ["hall listening 42.1"])
    receive(of: 0, at: 43)
    receive(.scanner(ScannerState(.running)), of: 1, at: 43)
    #expect(states(at: 43) == ["attic listening 43.0"])
    // A connection that is made again is of now.
    receive(.fellBehind, of: 0, at: 43)
    reception.lost(0)
    receive(of: 1, at: 44)
    listen(0, at: 44)
    #expect(states(at: 44) == ["hall deaf 43.0", "hall listening 44.0"])
  }

  // Row M12.
  @Test mutating func `a scanner that pauses changes nothing, one that stops is off since then`() {
    listen(at: 1)
    _ = states(at: 1)
    receive(.scanner(ScannerState(.stopping)), at: 2)
    receive(.scanner(ScannerState(.idle)), at: 2.2)
    receive(at: 3)
    #expect(states(at: 3).isEmpty && reception.reached == TestScan.at(2))
    receive(.scanner(ScannerState(.running)), at: 4)
    #expect(states(at: 4).isEmpty && reception.reached == TestScan.at(4))
    receive(.scanner(ScannerState(.stopped)), at: 5)
    receive(at: 8)
    #expect(states(at: 8) == ["hall off 5.0"])
    receive(.scanner(ScannerState(.failed)), at: 9)
    #expect(states(at: 9) == ["hall deaf 9.0"])
  }

  // Rows M12 and M13.
  @Test mutating func `a proxy that another program took is deaf, and named once`() {
    listen(at: 0)
    for step in 0..<600 {
      let second = Double(step) * 0.1
      let items = (0..<3).map { Self.advertisement(UInt16($0), UInt64($0)) }
      let others = (3..<6).map {
        RawAdvertisement(address: UInt64($0), addressType: 1, rssi: -60, data: [2, 1, 6])
      }
      receive(.advertisements(items + others), at: second)
    }
    _ = states(at: 60)
    // It answers, and sends nothing else.
    var given: [String] = []
    for step in 0..<120 {
      let second = 60 + Double(step) * 0.5
      receive(at: second)
      given += states(at: second)
    }
    #expect(given.count == 1 && given.first?.hasPrefix("hall deaf 6") ?? false)
    #expect(reception.drainRemarks() == [.silent(0)])
    receive(.scanner(ScannerState(.running)), at: 121)
    #expect(states(at: 121).isEmpty)
    receive(.advertisements([Self.advertisement(1)]), at: 122)
    #expect(states(at: 122) == ["hall listening 122.0"])
    #expect(reception.drainRemarks() == [.receivesAgain(0)])
  }

  @Test mutating func `a flood of one proxy is cut and counted, and causes no silence`() {
    listen(0, at: 1)
    listen(1, at: 1)
    let items = Array(repeating: Self.advertisement(1), count: 1000)
    for _ in 0..<60 { receive(.advertisements(items), of: 0, at: 1.1) }
    receive(.advertisements([Self.advertisement(2)]), of: 1, at: 1.1)
    #expect(reception.drops[.sourceOverflow] == 10_000)
    #expect(reception.drainRemarks() == [.sendsTooMuch(0)])
    let batch = reception.drain(at: TestScan.at(1.2))
    let reports = batch.inputs.compactMap(\.report)
    #expect(reports.count { $0.receiver == 0 } == 50_000 && reports.count { $0.receiver == 1 } == 1)
    #expect(batch.inputs.contains(.radio(receiver: 0, .deaf, TestScan.at(1.1))))
    receive(.advertisements([Self.advertisement(1)]), of: 0, at: 1.3)
    #expect(states(at: 1.3).isEmpty)
  }

  // Row M11.
  @Test
  mutating func `a proxy that answers late is named once an hour, and one that is gone is not`() {
    listen(0, at: 0)
    listen(1, at: 0)
    var remarks: [ProxyReception.Remark] = []
    func isNear(_ step: Int) -> Bool { step.isMultiple(of: 29) }
    // One sends a message each 2.9 s, the other each 0.1 s.
    for step in 1..<360 {
      receive(of: 0, at: Double(step) / 10)
      if isNear(step) { receive(of: 1, at: Double(step) / 10) }
      _ = states(at: Double(step) / 10)
      remarks += reception.drainRemarks()
    }
    #expect(remarks == [.isLate(1)])
    // Without any message it is deaf, which is another matter.
    for second in 40..<50 {
      receive(of: 0, at: Double(second))
      _ = states(at: Double(second))
    }
    reception.lost(1)
    listen(1, at: 4000)
    receive(of: 0, at: 4000)
    #expect(reception.drainRemarks().isEmpty)
    for second in [4001, 4001.8, 4001.9] {
      receive(of: 0, at: second)
      _ = states(at: second)
    }
    receive(of: 1, at: 4002)
    #expect(reception.drainRemarks() == [.isLate(1)])
  }

  @Test mutating func `no proxy is named as late when the network of this machine is`() {
    listen(0, at: 0)
    listen(1, at: 0)
    for time in [0.5, 1, 2, 3] { _ = states(at: time) }
    receive(of: 0, at: 3.5)
    receive(of: 1, at: 3.5)
    _ = states(at: 3.5)
    #expect(reception.drainRemarks().isEmpty)
    // Of a single one it is not known.
    var single = ProxyReception(["hall"], at: TestScan.at(0))
    single.add(.subscribed(DeviceInfo()), of: 0, at: TestScan.at(0))
    _ = single.drain(at: TestScan.at(3))
    single.isThere(0, at: TestScan.at(3))
    #expect(single.drainRemarks() == [.isLate(0)])
  }

  @Test mutating func `data that no advertisement has is counted`() {
    listen(at: 1)
    let item = RawAdvertisement(
      address: 1,
      addressType: 9,
      rssi: 127,
      data: [UInt8](repeating: 0, count: 1651)
    )
    receive(.advertisements([item]), at: 2)
    receive(.unreadable, at: 2)
    #expect(reception.drops[.malformedRecord] == 2)
    #expect(reception.drain(at: TestScan.at(2)).inputs.compactMap(\.report).isEmpty)
  }

  @Test mutating func `a timeline starts with the states`() {
    listen(at: 1)
    receive(.advertisements([Self.advertisement(1)]), at: 2)
    reception.begin(at: TestScan.at(3))
    receive(at: 3.5)
    #expect(states(at: 4) == ["hall listening 3.0", "attic gone 3.0"])
  }
}
