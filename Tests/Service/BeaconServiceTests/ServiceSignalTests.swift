// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import DBus
import Testing

@testable import BeaconService

/// How many signals a program gets that may not read them.
struct ServiceSignalTests {
  private static let anna = ServiceMachineTests.anna
  private var anna: ServicePeer { Self.anna }

  /// A machine with a program that gets signals of 64 constraints in a tick.
  private static func signaling() throws -> ServiceMachine {
    var machine = ServiceMachineTests.machine()
    let options = ServiceOptions(
      .properties(["label": .string("a"), "signals": .boolean(true)])
    )
    let session = try machine.createSession(by: anna, options)
    for uuid in 1...64 as ClosedRange<UInt128> {
      try machine.startRanging(.uuid(uuid), session: session, by: anna)
    }
    _ = machine.drainActions()
    return machine
  }

  /// Delivers a tick of all constraints; returns how many signals and pings that made.
  private static func tick(
    _ second: Int64,
    _ machine: inout ServiceMachine
  ) -> (signals: Int, pings: Int) {
    let entries = (1...64 as ClosedRange<UInt128>).map {
      ConstraintRanging(constraint: .uuid($0), beacons: [])
    }
    let time = Timestamp(microseconds: second * 1_000_000)
    let delivery = Delivery(ofService: .ranged(entries), to: .theOperator, at: time)
    machine.delivered(delivery, to: "user:anna/a", sequence: nil, at: Double(second))
    var counts = (signals: 0, pings: 0)
    for action in machine.drainActions() {
      switch action {
      case .signal: counts.signals += 1
      case .findOutWhetherItReads: counts.pings += 1
      default: break
      }
    }
    return counts
  }

  @Test func `a program that reads gets every tick, however many constraints it ranges`() throws {
    var machine = try Self.signaling()
    for second in 1...100 as ClosedRange<Int64> {
      #expect(Self.tick(second, &machine) == (64, 1))
      machine.reads(anna.name, at: Timestamp(microseconds: second * 1_000_000 + 1))
      // It is never called stalled.
      #expect(machine.drainActions() == [])
    }
  }

  @Test func `a program that does not read gets a few whole ticks, and is told what it missed`()
    throws
  {
    var machine = try Self.signaling()
    let sent = (1...100 as ClosedRange<Int64>).map { Self.tick($0, &machine).signals }
    #expect(sent.prefix(4) == [64, 64, 64, 64])
    #expect(sent.allSatisfy { $0 == 0 || $0 == 64 })
    #expect(sent.reduce(0, +) <= 64 * 7)
    machine.reads(anna.name, at: Timestamp(microseconds: 101_000_000))
    let actions = machine.drainActions()
    #expect(actions.count == 1)
    guard case .signal(_, _, "Notice", let arguments) = actions.first else {
      Issue.record("no notice: \(actions)")
      return
    }
    #expect(arguments.contains(.string("stalled")))
    #expect(Self.tick(102, &machine).signals == 64)
  }

  @Test func `of ticks that are larger than an account's part, no program gets much more`() {
    var budgets = PeerBudgets()
    for program in 0..<64 {
      budgets.identify(":1.\(program)", uid: 1000)
      // Six megabytes at one time.
      for _ in 0..<64 {
        _ = budgets.signals(100_000, of: Timestamp(microseconds: 1), to: ":1.\(program)")
      }
    }
    #expect(budgets.unread < 24 << 20)
    budgets.identify(":2.1", uid: 1001)
    let other = budgets.signals(100_000, of: Timestamp(microseconds: 1), to: ":2.1")
    #expect(other)
  }
}
