// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconGateway

/// Unknown is never outside: whatever of a site is killed and started again, in any order, a beacon that stays is not
/// said to have left (row M6).
@Suite struct SiteRestartTests {
  static let node = SiteWorld.Sender(name: "kitchen", isNode: true)
  static let hall = SiteWorld.Sender(name: "hall")

  /// Lets everything run until the region is inside.
  static func begin(_ senders: [SiteWorld.Sender]) throws -> SiteWorld {
    let world = SiteWorld(senders)
    try world.perform(.startBroker)
    for sender in senders { try world.perform(.start(sender.name)) }
    try world.run(seconds: 2)
    try world.perform(.startMonitor)
    try world.run(seconds: 10)
    #expect(world.state == .inside)
    return world
  }

  @Test func `with an empty site nothing is concluded`() throws {
    let world = SiteWorld([])
    try world.perform(.startBroker)
    try world.perform(.startMonitor)
    try world.run(seconds: 100)
    #expect(world.departures == [])
    #expect(world.state == nil)
    #expect(world.events.contains(.diagnostic(.radio(.radioGone))))
    world.end()
  }

  @Test(arguments: [hall, node])
  func `when the program starts while nothing receives, a beacon that was inside has not left`(
    _ sender: SiteWorld.Sender
  ) throws {
    let world = try Self.begin([sender])
    try world.perform(.killMonitor)
    try world.perform(.kill(sender.name))
    try world.run(seconds: 12)
    try world.perform(.startMonitor)
    try world.run(seconds: 120)
    #expect(world.departures == [])
    #expect(world.state == .unknown)
    try world.perform(.start(sender.name))
    try world.run(seconds: 10)
    #expect(world.state == .inside)
    // It was inside before, so that it is inside is no crossing.
    let crossings = world.events.count { if case .regionEntered = $0 { true } else { false } }
    #expect(crossings <= 1)
    world.end()
  }

  @Test(arguments: [hall, node])
  func `a broker that keeps states of the dead does not make them listen`(
    _ sender: SiteWorld.Sender
  ) throws {
    let world = try Self.begin([sender])
    try world.perform(.killBroker(keepsStates: true))
    try world.perform(.kill(sender.name))
    try world.perform(.killMonitor)
    try world.run(seconds: 5)
    // It still says that the gateway is online, since it was killed before the gateway.
    try world.perform(.startBroker)
    try world.perform(.startMonitor)
    try world.run(seconds: 120)
    #expect(world.departures == [])
    #expect(world.state == .unknown)
    world.end()
  }

  @Test(arguments: [hall, node], [true, false])
  func `a broker that is away takes the receivers with it, until they say something again`(
    _ sender: SiteWorld.Sender,
    _ keepsStates: Bool
  ) throws {
    let world = try Self.begin([sender])
    try world.perform(.killBroker(keepsStates: keepsStates))
    try world.run(seconds: 100)
    #expect(world.state == .unknown)
    try world.perform(.startBroker)
    try world.run(seconds: 15)
    #expect(world.state == .inside)
    #expect(world.departures == [])
    world.end()
  }

  @Test(arguments: [0, 5, 30, 100], [0, 100])
  func `a gateway that is killed, and one that is started again at once, is not silent`(
    _ pause: Int,
    _ willDelay: Int
  ) throws {
    for isKilled in [true, false] {
      var sender = Self.hall
      sender.willDelay = willDelay
      let world = try Self.begin([sender])
      // A crossing within seconds must not follow either.
      try world.perform(isKilled ? .kill("hall") : .stop("hall"))
      try world.run(seconds: Double(pause) / 10)
      try world.perform(.start("hall"))
      try world.run(seconds: 60)
      #expect(world.departures == [])
      #expect(world.state == .inside)
      world.end()
    }
  }

  /// The shortest exit that can be set is as exact: no second counts that was not described.
  @Test(arguments: [1.0, 2, 3, 4])
  func `the shortest exit time makes no exit of a gateway that is killed`(_ exit: Double) throws {
    for tenths in 0..<10 {
      // The broker says that it is offline after its exit.
      let world = SiteWorld([SiteWorld.Sender(name: "hall", willDelay: 100)])
      world.configuration.regions.exitTiming = .fixed(TimeSpan(seconds: exit))
      try world.perform(.startBroker)
      try world.perform(.start("hall"))
      try world.perform(.startMonitor)
      try world.run(seconds: 10 + Double(tenths) / 10)
      #expect(world.state == .inside)
      try world.perform(.kill("hall"))
      try world.run(seconds: 30)
      #expect(world.departures == [], "exit \(exit) at \(tenths)")
      #expect(world.state == .unknown)
      world.end()
    }
  }

  @Test func `after a power cut no order of the starts makes a beacon leave`() throws {
    let parts: [SiteWorld.Action] = [.startBroker, .start("hall"), .startMonitor]
    for sender in [Self.hall, SiteWorld.Sender(name: "hall", isNode: true)] {
      for keepsStates in [true, false] {
        for pause in [0.0, 4, 40] {
          for order in Self.orders(of: parts) {
            let world = try Self.begin([sender])
            try world.perform(.killMonitor)
            try world.perform(.killBroker(keepsStates: keepsStates))
            try world.perform(.kill("hall"))
            try world.run(seconds: 3)
            for part in order {
              try world.perform(part)
              try world.run(seconds: pause)
            }
            try world.run(seconds: 20)
            #expect(world.departures == [], "\(order) \(pause) \(keepsStates)")
            #expect(world.state == .inside)
            world.end()
          }
        }
      }
    }
  }

  private static func orders(of parts: [SiteWorld.Action]) -> [[SiteWorld.Action]] {
    guard let first = parts.first else { return [[]] }
    return orders(of: Array(parts.dropFirst())).flatMap { rest in
      (0...rest.count).map { place in
        Array(rest[..<place]) + [first] + Array(rest[place...])
      }
    }
  }

  @Test(arguments: 0..<8)
  func `in random orders of kills and starts a beacon that stays has not left`(
    _ shard: UInt64
  ) throws {
    for number in 0..<UInt64(Effort.rounds(20)) {
      let seed = number * 8 + shard
      var random = SplitMix64(seed: seed)
      var sender = [Self.hall, SiteWorld.Sender(name: "hall", isNode: true)][Int(seed % 2)]
      sender.delay = Int.random(in: 0...12, using: &random)
      sender.willDelay = sender.isNode ? 0 : [0, 15, 100].randomElement(using: &random) ?? 0
      let world = SiteWorld([sender])
      let actions: [SiteWorld.Action] = [
        .startBroker, .startBroker, .start("hall"), .start("hall"), .startMonitor, .startMonitor,
        .killBroker(keepsStates: true), .killBroker(keepsStates: false), .kill("hall"),
        .stop("hall"), .killMonitor,
      ]
      var played: [String] = []
      for _ in 0..<25 {
        guard let action = actions.randomElement(using: &random) else { continue }
        let longest: Double = [1, 8, 45].randomElement(using: &random) ?? 1
        let pause = Double.random(in: 0...longest, using: &random)
        try world.perform(action)
        try world.run(seconds: pause)
        played.append("\(action) \(pause)")
      }
      for action in actions.prefix(6) { try world.perform(action) }
      try world.run(seconds: 25)
      #expect(world.departures == [], "seed \(seed): \(played)")
      #expect(world.state == .inside, "seed \(seed): \(played)")
      world.end()
    }
  }

  @Test(arguments: [hall, node])
  func `a beacon that leaves has left, also after all of it was started again`(
    _ sender: SiteWorld.Sender
  ) throws {
    let world = try Self.begin([sender])
    try world.perform(.killBroker(keepsStates: true))
    try world.run(seconds: 10)
    try world.perform(.startBroker)
    try world.run(seconds: 15)
    world.isPresent = false
    try world.run(seconds: 45)
    #expect(world.departures.count == 2, "\(world.departures)")
    world.end()
  }

  /// A node describes no seconds: one without power and one that receives nothing are alike until the broker reports its
  /// end, after one and a half of ESPresense's keep-alive of 15 s. To wait that long before each crossing of a site would
  /// cost more than that an exit time must be longer.
  @Test(arguments: [24.0, 25, 30])
  func `an exit time that is longer than the broker needs makes no exit of a node without power`(
    _ exit: Double
  ) throws {
    for tenths in 0..<10 {
      var node = Self.node
      node.willDelay = 225
      let world = SiteWorld([node])
      world.configuration.regions.exitTiming = .fixed(TimeSpan(seconds: exit))
      try world.perform(.startBroker)
      try world.perform(.start("kitchen"))
      try world.perform(.startMonitor)
      try world.run(seconds: 20 + Double(tenths) / 10)
      #expect(world.state == .inside)
      try world.perform(.kill("kitchen"))
      try world.run(seconds: 60)
      #expect(world.departures == [], "exit \(exit) at \(tenths)")
      #expect(world.state == .unknown)
      world.end()
    }
  }

  @Test func `of two gateways the one that receives the beacon is killed`() throws {
    var attic = SiteWorld.Sender(name: "attic")
    attic.receives = false
    let world = try Self.begin([Self.hall, attic])
    try world.perform(.kill("hall"))
    try world.run(seconds: 60)
    #expect(world.departures == [])
    world.end()
  }

  @Test func `after a power cut the gateway that does not receive the beacon is there first`()
    throws
  {
    var attic = SiteWorld.Sender(name: "attic")
    attic.receives = false
    let world = try Self.begin([Self.hall, attic])
    for name in ["hall", "attic"] { try world.perform(.kill(name)) }
    try world.run(seconds: 10)
    try world.perform(.start("attic"))
    try world.run(seconds: 60)
    try world.perform(.start("hall"))
    try world.run(seconds: 10)
    #expect(world.departures == [])
    world.end()
  }

  /// Also one that ends while nothing is known, and one whose gateways get other numbers.
  @Test(arguments: [true, false], [0.0, 4, 40])
  func `after a power cut of all no order of the starts lets the wrong gateway end the region`(
    _ keepsStates: Bool,
    _ pause: Double
  ) throws {
    var attic = SiteWorld.Sender(name: "attic")
    attic.receives = false
    let parts: [SiteWorld.Action] = [.startBroker, .start("hall"), .start("attic"), .startMonitor]
    for order in Self.orders(of: parts) {
      for isRestartedTwice in [false, true] {
        let world = try Self.begin([Self.hall, attic])
        try world.perform(.killMonitor)
        try world.perform(.killBroker(keepsStates: keepsStates))
        for name in ["hall", "attic"] { try world.perform(.kill(name)) }
        try world.run(seconds: 3)
        for part in order {
          try world.perform(part)
          try world.run(seconds: pause)
          if isRestartedTwice, part == .startMonitor {
            try world.perform(.killMonitor)
            try world.perform(.startMonitor)
          }
        }
        try world.run(seconds: 20)
        #expect(world.departures == [], "\(order) \(isRestartedTwice)")
        #expect(world.state == .inside, "\(order) \(isRestartedTwice)")
        world.end()
      }
    }
  }

  @Test func `after a power cut a beacon that left has left once its gateway is there`()
    throws
  {
    var attic = SiteWorld.Sender(name: "attic")
    attic.receives = false
    let world = try Self.begin([Self.hall, attic])
    try world.perform(.killMonitor)
    for name in ["hall", "attic"] { try world.perform(.kill(name)) }
    world.isPresent = false
    try world.perform(.start("attic"))
    try world.perform(.startMonitor)
    try world.run(seconds: 100)
    #expect(world.departures == [])
    #expect(world.state == .unknown)
    try world.perform(.start("hall"))
    try world.run(seconds: 60)
    #expect(world.departures.count == 2, "\(world.departures)")
    world.end()
  }
}
