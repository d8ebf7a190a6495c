// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import Testing

@testable import BeaconService

@Suite(.timeLimit(.minutes(2))) struct StreamPumpTests {
  /// What can be read now, without waiting for anybody.
  static func readable(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return all }
      all += bytes.prefix(count)
    }
  }

  @Test func `a reader that keeps up has its line when the call returns`() throws {
    let pump = try #require(StreamPump { _ in })
    defer { pump.stop() }
    let ends = try (1...50).map { try #require(pump.open(UInt32($0))) }
    for round in 0..<20 as Range<UInt8> {
      for number in 1...50 as ClosedRange<UInt32> {
        pump.put([round, UInt8(number)], .tick("a"), to: number)
        #expect(Self.readable(ends[Int(number) - 1]) == [round, UInt8(number)])
      }
    }
    for end in ends { close(end) }
  }

  @Test func `streams leave the last descriptors to the process`() throws {
    let pump = try #require(StreamPump(leaving: 1 << 30) { _ in })
    defer { pump.stop() }
    #expect(pump.open(1) == nil && pump.count == 0)
  }

  @Test func `a reader that comes late gets every kept line, in order`() async throws {
    let pump = try #require(StreamPump { _ in })
    let end = try #require(pump.open(1))
    // More than the socket holds; ticks between them are replaced.
    for number in 0..<600 {
      let text = "\(number)" + String(repeating: ".", count: 1000) + "\n"
      pump.put(Array(text.utf8), .kept, to: 1)
      pump.put(Array("tick\(text)".utf8), .tick("a"), to: 1)
    }
    pump.finish(1)
    let lines = await LineStream(end).read { _ in false }
    let kept = lines.filter { !$0.hasPrefix("tick") }.map { $0.prefix { $0 != "." } }
    #expect(kept == (0..<600).map { "\($0)"[...] })
    let ticks = lines.filter { $0.hasPrefix("tick") }
    #expect(ticks.count < 600)
    #expect(ticks.last?.hasPrefix("tick599.") == true)
    pump.stop()
  }

  /// Law L3: each loss of what permits beacons, and whether crossings are lost too.
  @Test(arguments: [
    (ClientReading(effective: .denied, isInUse: true), ["kept"]),
    (ClientReading(effective: .servicesOff, isInUse: true), ["kept"]),
    (ClientReading(effective: .restricted, isInUse: true), ["kept"]),
    (ClientReading(effective: .always, accuracy: .reduced, isInUse: true), ["kept"]),
    (ClientReading(effective: .always, isInUse: true, lacksSession: true), ["kept"]),
    (ClientReading(effective: .whenInUse), ["kept", "enter"]),
    (ClientReading(effective: .whenInUse, isInUse: true), ["kept", "enter", "tick"]),
    (ClientReading(effective: .always), ["kept", "enter", "tick"]),
  ])
  func `lines of beacons do not wait for a client that may not know them`(
    _ reading: ClientReading,
    _ left: [String]
  ) async throws {
    let pump = try #require(StreamPump { _ in })
    defer { pump.stop() }
    let end = try #require(pump.open(1))
    let store = ClientStore(directory: try ServiceFixture.makeFolder().path)
    let streams = ClientStreams(pump, store, boot: "b") { _ in }
    let goals = RequestLine.Stream(number: 1, constraints: StreamLinesTests.constraints, goals: [:])
    _ = streams.update([1: (client: "a", stream: goals)])
    // More than the socket holds.
    let filler = [UInt8](repeating: 0x2E, count: 1000) + [0x0A]
    for _ in 0..<600 { pump.put(filler, .kept, to: 1) }
    let why = Explanation(identity: nil, reports: 1, threshold: .reports(1), rule: .firstReport)
    let client = ClientID(number: 0)
    let crossing = Delivery(
      ofService: .regionEntered("hall", .received, why),
      to: .client(client),
      at: TestScan.start
    )
    let tick = try #require(
      StreamLinesTests.deliveries(clients: 2).first {
        if case .ranged = $0.event { true } else { false }
      }
    )
    for delivery in [crossing, tick] { _ = streams.deliver(delivery, to: "a") }
    streams.judge(reading, of: "a")
    pump.finish(1)
    let lines = await LineStream(end).read { _ in false }
    var kinds: Set<String> = []
    for line in lines {
      kinds.insert(
        line.contains("\"region.enter\"") ? "enter" : line.contains("\"ranged\"") ? "tick" : "kept"
      )
    }
    #expect(kinds == Set(left), "\(kinds) \(lines.last?.prefix(200) ?? "")")
    #expect(lines.count { $0.hasPrefix("...") } == 600)
  }

  @Test func `a stream ends with its reader`() async throws {
    let (ended, end) = AsyncStream<UInt32>.makeStream()
    let pump = try #require(StreamPump { end.yield($0) })
    let reader = try #require(pump.open(7))
    close(reader)
    pump.put([1], .kept, to: 7)
    var numbers = ended.makeAsyncIterator()
    #expect(await numbers.next() == 7)
    #expect(pump.count == 0)
    pump.stop()
  }
}
