// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconService
import Foundation
import Testing

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
