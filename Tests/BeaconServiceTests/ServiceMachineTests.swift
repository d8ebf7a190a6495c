// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import DBus
import Testing

struct ServiceMachineTests {
  static let anna = ServicePeer(name: ":1.1", uid: 1000, origin: .account("anna"))
  static let unit = ServicePeer(name: ":1.2", uid: 900, origin: .unit("guide.service"))
  static let none = ServiceOptions(nil)

  static func options(_ label: String, foreground: Bool = true) -> ServiceOptions {
    ServiceOptions(.properties(["label": .string(label), "foreground": .boolean(foreground)]))
  }

  static func machine(_ change: (inout ServiceQuotas) -> Void = { _ in }) -> ServiceMachine {
    var quotas = ServiceQuotas()
    change(&quotas)
    var machine = ServiceMachine(quotas: quotas)
    for peer in [anna, unit] { machine.identified(peer) }
    return machine
  }

  /// Row P1.
  @Test func `a unit's key is the unit, whatever it calls itself`() throws {
    var machine = Self.machine()
    _ = try machine.createSession(by: Self.unit, Self.options("spy"))
    _ = try machine.createSession(by: Self.anna, Self.options("spy"))
    #expect(machine.clientNames == ["unit:guide.service", "user:anna/spy"])
  }

  @Test(arguments: ["", "a/b", "ä", "a b", String(repeating: "a", count: 65)])
  func `a label that could be another's key is refused`(label: String) {
    var machine = Self.machine()
    #expect(throws: ServiceError.invalidOption) {
      try machine.createSession(by: Self.anna, Self.options(label))
    }
    #expect(machine.drainActions() == [])
  }

  @Test func `sessions have quotas for a connection, an account and in all`() throws {
    var machine = Self.machine {
      ($0.sessionsOfPeer, $0.sessionsOfAccount, $0.sessions) = (2, 3, 4)
    }
    let second = ServicePeer(name: ":1.9", uid: 1000, origin: .account("anna"))
    machine.identified(second)
    for _ in 0..<2 { _ = try machine.createSession(by: Self.anna, Self.options("a")) }
    #expect(throws: ServiceError.limitExceeded) {
      try machine.createSession(by: Self.anna, Self.options("a"))
    }
    _ = try machine.createSession(by: second, Self.options("a"))
    #expect(throws: ServiceError.limitExceeded) {
      try machine.createSession(by: second, Self.options("a"))
    }
    _ = try machine.createSession(by: Self.unit, Self.options("a"))
    #expect(throws: ServiceError.limitExceeded) {
      try machine.createSession(by: Self.unit, Self.options("a"))
    }
    // What ended frees its place.
    machine.left(second.name)
    _ = try machine.createSession(by: Self.unit, Self.options("a"))
  }

  @Test func `labels, constraints, regions and streams have quotas`() throws {
    var machine = Self.machine {
      ($0.clientsOfAccount, $0.constraints, $0.regions, $0.streams) = (1, 2, 1, 1)
    }
    let session = try machine.createSession(by: Self.anna, Self.options("a"))
    #expect(throws: ServiceError.limitExceeded) {
      try machine.createSession(by: Self.anna, Self.options("b"))
    }
    for uuid in 1...2 as ClosedRange<UInt128> {
      try machine.startRanging(.uuid(uuid), session: session, by: Self.anna)
    }
    #expect(throws: ServiceError.limitExceeded) {
      try machine.startRanging(.uuid(3), session: session, by: Self.anna)
    }
    machine.changed(EngineClientState(), of: "user:anna/a")
    try machine.startMonitoring("hall", .uuid(1), Self.none, session: session, by: Self.anna)
    // The same region again is no further one.
    try machine.startMonitoring("hall", .uuid(2), Self.none, session: session, by: Self.anna)
    #expect(throws: ServiceError.limitExceeded) {
      try machine.startMonitoring("yard", .uuid(1), Self.none, session: session, by: Self.anna)
    }
    _ = try machine.openStream(session: session, by: Self.anna)
    #expect(throws: ServiceError.limitExceeded) {
      _ = try machine.openStream(session: session, by: Self.anna)
    }
  }

  @Test func `a region is known from the request on, whatever the engine said before it`() throws {
    var machine = Self.machine()
    let session = try machine.createSession(by: Self.anna, Self.options("a"))
    let key = "user:anna/a"
    machine.changed(EngineClientState(), of: key)
    try machine.startMonitoring("hall", .uuid(1), Self.none, session: session, by: Self.anna)
    // What the engine knew when it did an earlier request.
    machine.changed(EngineClientState(status: .authorizedAlways), of: key)
    try machine.requestState("hall", session: session, by: Self.anna)
    // The engine refused the region.
    machine.changed(EngineClientState(regionRequests: 1), of: key)
    #expect(throws: ServiceError.unknownRegion) {
      try machine.requestState("hall", session: session, by: Self.anna)
    }
  }

  /// Row P5.
  @Test func `the engine ranges what any session ranges, and stops with the last`() throws {
    var machine = Self.machine()
    let first = try machine.createSession(by: Self.anna, Self.options("a"))
    let second = try machine.createSession(by: Self.anna, Self.options("a", foreground: false))
    _ = machine.drainActions()
    let key = "user:anna/a"
    try machine.startRanging(.uuid(1), session: first, by: Self.anna)
    try machine.startRanging(.uuid(1), session: second, by: Self.anna)
    #expect(machine.drainActions() == [.request(client: key, .range(.uuid(1)))])
    try machine.stopRanging(.uuid(1), session: first, by: Self.anna)
    #expect(machine.drainActions() == [])
    machine.close(first)
    // The foreground session is gone, and the other still ranges.
    #expect(
      machine.drainActions() == [.unpublish(session: first), .user(client: key, .background)]
    )
    machine.close(second)
    #expect(machine.drainActions() == [.unpublish(session: second), .end(client: key)])
  }

  @Test func `a session of another program cannot be used`() throws {
    var machine = Self.machine()
    let session = try machine.createSession(by: Self.anna, Self.options("a"))
    #expect(throws: ServiceError.notAuthorized) {
      try machine.startRanging(.uuid(1), session: session, by: Self.unit)
    }
    #expect(throws: ServiceError.notAuthorized) {
      try machine.closeSession(session, by: Self.unit)
    }
  }

  @Test func `calls are limited, and the limit is of the program`() {
    var machine = Self.machine()
    let allowed = (0..<1000).count { _ in machine.mayCall(":1.1", at: 5) }
    #expect(allowed == 200)
    let isServed = machine.mayCall(":1.2", at: 5)
    #expect(isServed)
    let later = (0..<1000).count { _ in machine.mayCall(":1.1", at: 6) }
    #expect(later == 50)
  }
}

struct SessionLimitTests {
  static func limit(
    _ grants: SavedAuthorization,
    _ status: AuthorizationStatus,
    accuracy: AccuracyAuthorization = .full,
    inUse: Bool = true,
    agent: Bool = true,
    radio: SessionLimit.Radio = .listening
  ) -> SessionLimit {
    SessionLimit(
      grants,
      status: status,
      accuracy: accuracy,
      isInUse: inUse,
      hasAgent: agent,
      radio: radio
    )
  }

  /// Row P2.
  @Test func `the first limit in the written order counts`() {
    var off = SavedAuthorization(grant: .always)
    off.servicesOn = false
    var restricted = SavedAuthorization()
    restricted.isRestricted = true
    let (none, when, always) = (
      SavedAuthorization(), SavedAuthorization(grant: .whenInUse),
      SavedAuthorization(grant: .always)
    )
    #expect(Self.limit(none, .notDetermined, inUse: false, agent: false, radio: .off) == .noAgent)
    #expect(Self.limit(none, .notDetermined, inUse: false, radio: .off) == .notDetermined)
    let denied = SavedAuthorization(grant: .denied, accuracy: .reduced)
    #expect(Self.limit(denied, .denied, accuracy: .reduced, radio: .off) == .denied)
    #expect(Self.limit(restricted, .restricted, radio: .deaf) == .restricted)
    #expect(Self.limit(off, .denied, accuracy: .reduced, radio: .off) == .reduced)
    #expect(Self.limit(off, .denied, inUse: false, radio: .off) == .servicesOff)
    #expect(Self.limit(when, .authorizedWhenInUse, inUse: false, radio: .off) == .notInUse)
    #expect(Self.limit(when, .authorizedWhenInUse, radio: .off) == .radioOff)
    #expect(Self.limit(always, .authorizedAlways, inUse: false, radio: .deaf) == .radioDeaf)
    #expect(Self.limit(always, .authorizedAlways, inUse: false) == .none)
  }

  @Test func `the words are those of the interface`() {
    #expect(
      SessionLimit.allCases.map(\.rawValue) == [
        "", "noAgent", "notDetermined", "denied", "restricted", "reduced", "servicesOff",
        "notInUse",
        "radioOff", "radioDeaf",
      ]
    )
  }
}

struct CallerOriginTests {
  @Test(
    arguments: [
      ("0::/system.slice/guide.service\n", "guide.service"),
      ("0::/system.slice/system-guide.slice/guide@1.service\n", "guide@1.service"),
      ("0::/museum.slice/guide.service/worker\n", "guide.service"),
      ("12:pids:/x\n1:name=systemd:/system.slice/guide.service\n", "guide.service"),
      ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/guide.service\n", nil),
      ("0::/system.slice/docker-1.scope/guide.service\n", nil),
      ("0::/\n", nil), ("", nil), ("0::/guide.service\n", nil), ("0::/init.scope\n", nil),
      ("0::/system.slice/gui de.service\n", nil),
    ] as [(String, String?)]
  )
  func `a unit is what root defined`(cgroup: String, unit: String?) {
    #expect(CallerOrigin.unit(inCgroup: cgroup) == unit)
  }
}

struct StreamQueueTests {
  static func text(_ queue: inout StreamQueue) -> String {
    var text = ""
    while !queue.isEmpty {
      text += String(decoding: queue.next, as: UTF8.self)
      queue.wrote(queue.next.count)
    }
    return text
  }

  @Test func `a tick that waits is replaced, one that was begun is not`() {
    var queue = StreamQueue()
    var isKept = queue.put(Array("a1".utf8), .tick("a"))
    queue.wrote(1)
    for text in ["a2", "a3"] { isKept = queue.put(Array(text.utf8), .tick("a")) && isKept }
    isKept = queue.put(Array("X".utf8), .kept) && isKept
    isKept = queue.put(Array("b1".utf8), .tick("b")) && isKept
    isKept = queue.put(Array("a4".utf8), .tick("a")) && isKept
    #expect(isKept)
    #expect(queue.replaced == 2)
    let text = Self.text(&queue)
    #expect(text == "1a4Xb1")
  }

  /// Row P9.
  @Test func `1,024 crossings are kept, and one more ends the stream`() {
    var queue = StreamQueue()
    for _ in 0..<StreamQueue.limit {
      let isKept = queue.put([1], .kept)
      #expect(isKept)
    }
    let isTickKept = queue.put([2], .tick("a"))
    #expect(isTickKept)
    let isKept = queue.put([1], .kept)
    #expect(!isKept)
  }

  @Test func `a reader that reads nothing for hours costs a bounded memory`() {
    var queue = StreamQueue()
    let tick = [UInt8](repeating: 65, count: 4656)
    for second in 0..<10_000 {
      let isKept = queue.put(tick, .tick("\(second % 40)"))
      #expect(isKept)
    }
    #expect(queue.replaced == 10_000 - 40)
  }
}

struct GrantFileTests {
  @Test func `a grant is read, and what is wrong with it is told`() throws {
    let text = "{ client: 'unit:guide.service', authorization: 'always', accuracy: 'reduced' }"
    let file = try GrantFile(Array(text.utf8))
    #expect(file.client == "unit:guide.service")
    #expect(file.grant == .always && file.accuracy == .reduced)
    for wrong in [
      "", "{}", "{ client: '', authorization: 'always' }", "{ client: 'a', authorization: 'all' }",
      "{ client: 'a', authorization: 'always', acuracy: 'reduced' }",
      "{ client: 'a', authorization: 'always', accuracy: 'some' }",
    ] {
      #expect(throws: (any Error).self) { try GrantFile(Array(wrong.utf8)) }
    }
  }
}
