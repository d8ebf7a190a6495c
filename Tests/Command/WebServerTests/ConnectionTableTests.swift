// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import Testing

@testable import WebServer

/// Which connection makes room, and which has taken too long.
@Suite struct ConnectionTableTests {
  private static var limits: WebLimits {
    var limits = WebLimits()
    limits.connections = 4
    limits.connectionsPerAddress = 2
    limits.streams = 3
    limits.streamsPerAddress = 2
    return limits
  }

  private static func seconds(_ number: Double) -> Duration { .seconds(number) }

  @Test func `the oldest that waits makes room, of an address with too many first`() {
    var table = ConnectionTable(Self.limits)
    #expect(table.add(1, of: .account(10), at: .seconds(0)) == .added(closing: nil))
    #expect(table.add(2, of: .account(10), at: .seconds(1)) == .added(closing: nil))
    // The address has two: its older one is closed, although there is room.
    #expect(table.add(3, of: .account(10), at: .seconds(2)) == .added(closing: 1))
    #expect(table.add(4, of: .account(20), at: .seconds(0)) == .added(closing: nil))
    #expect(table.add(5, of: .account(30), at: .seconds(3)) == .added(closing: nil))
    // All four are taken: the address with the most makes room, although another one has waited longer.
    #expect(table.add(6, of: .account(40), at: .seconds(4)) == .added(closing: 2))
    #expect(table.count == 4)
    #expect(table.phase(of: 2) == nil)
  }

  @Test func `streams and fresh answers do not make room`() {
    var table = ConnectionTable(Self.limits)
    for connection in 1...4 as ClosedRange<Int32> {
      let admission = table.add(connection, of: .account(UInt32(connection)), at: .seconds(0))
      #expect(admission == .added(closing: nil))
    }
    #expect(table.stream(1, at: .seconds(0)) == .added(closing: nil))
    for connection in 2...4 as ClosedRange<Int32> { table.answer(connection, at: .seconds(1)) }
    #expect(table.add(5, of: .account(9), at: .seconds(2)) == .refused)
    // An answer that takes long is another matter.
    #expect(table.add(5, of: .account(9), at: .seconds(3)) == .added(closing: 2))
    #expect(table.phase(of: 1) == .stream)
  }

  @Test func `bytes that arrive slowly do not prolong the time of a request`() {
    var table = ConnectionTable(Self.limits)
    _ = table.add(1, of: .account(1), at: .seconds(0))
    table.begin(1, at: .seconds(1))
    #expect(table.nextDeadline == .seconds(11))
    #expect(table.overdue(at: .seconds(10)) == [])
    #expect(table.overdue(at: .seconds(11)) == [1])
    table.answer(1, at: .seconds(2))
    #expect(table.nextDeadline == .seconds(32))
    table.answered(1, at: .seconds(3))
    #expect(table.nextDeadline == .seconds(18))
    table.end(1, at: .seconds(4))
    #expect(table.nextDeadline == .seconds(6))
    table.remove(1)
    #expect(table.nextDeadline == nil && table.count == 0)
  }

  @Test func `streams are limited together and for each address`() {
    var table = ConnectionTable(WebLimits())
    var open: [Int32] = []
    for connection in 0..<160 as Range<Int32> {
      _ = table.add(connection, of: .account(UInt32(connection / 20)), at: .seconds(0))
      if table.stream(connection, at: .seconds(0)) == .added(closing: nil) {
        open.append(connection)
      } else {
        table.remove(connection)
      }
    }
    // 16 of each of eight addresses: all 128 are taken.
    #expect(open.count == 128)
    #expect(open.allSatisfy { $0 % 20 < 16 && $0 < 160 })
  }

  @Test func `eight addresses that have all streams make room, and cannot take them back`() {
    var table = ConnectionTable(WebLimits())
    var next: Int32 = 0
    var counts: [UInt32: Int] = [:]
    var addresses: [Int32: UInt32] = [:]
    func open(from address: UInt32) -> Bool {
      next += 1
      _ = table.add(next, of: .account(address), at: .seconds(Double(next)))
      guard case .added(let victim) = table.stream(next, at: .seconds(Double(next))) else {
        table.remove(next)
        return false
      }
      addresses[next] = address
      counts[address, default: 0] += 1
      if let victim, let loser = addresses.removeValue(forKey: victim) { counts[loser]? -= 1 }
      return true
    }
    for address in 0..<8 as Range<UInt32> {
      for _ in 0..<16 { #expect(open(from: address)) }
    }
    // Each of ten readers gets a stream, also while the eight try again all the time.
    for reader in 100..<110 as Range<UInt32> {
      #expect(open(from: reader))
      for address in 0..<8 as Range<UInt32> { _ = open(from: address) }
    }
    #expect((100..<110).allSatisfy { counts[$0] == 1 })
    #expect(counts.values.reduce(0, +) == 128 && addresses.count == 128)
    #expect((0..<8).allSatisfy { (counts[$0] ?? 0) >= 14 })
    // The stream that was opened last makes room: a page that has long been open stays so.
    #expect(addresses[1] == 0)
  }

  @Test func `a stream ends when its reader receives nothing of what waits`() {
    var table = ConnectionTable(Self.limits)
    _ = table.add(1, of: .account(1), at: .seconds(0))
    _ = table.stream(1, at: .seconds(0))
    #expect(table.nextDeadline == nil)
    table.wait(1, isWaiting: true, hasReceived: false, at: .seconds(5))
    #expect(table.nextDeadline == .seconds(35))
    table.wait(1, isWaiting: true, hasReceived: false, at: .seconds(20))
    #expect(table.nextDeadline == .seconds(35))
    table.wait(1, isWaiting: true, hasReceived: true, at: .seconds(30))
    #expect(table.nextDeadline == .seconds(60))
    table.wait(1, isWaiting: false, hasReceived: true, at: .seconds(31))
    #expect(table.nextDeadline == nil)
  }
}
