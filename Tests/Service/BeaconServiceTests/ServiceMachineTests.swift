// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import Beacons
import BeaconTesting
import DBus
import SystemKit
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

  /// Row A18.
  @Test func `an agent that asks nothing is a quiet moment for a second prompt`() throws {
    var machine = Self.machine()
    _ = try machine.createSession(by: Self.anna, Self.options("a"))
    let due = SavedAuthorization(grant: .provisionalAlways, confirmationDue: true)
    machine.changed(ClientReading(effective: .provisionalAlways, grants: due), of: "user:anna/a")
    func quiet() -> [ServiceAction] {
      machine.askWhenQuiet()
      return machine.drainActions().filter { if case .user = $0 { true } else { false } }
    }
    #expect(quiet() == [], "an agent is missing")
    try machine.registerAgent("/agent", by: Self.anna)
    #expect(quiet() == [.user(client: "user:anna/a", .quiet)])
    let prompt = Delivery(
      ofService: .prompt(Prompt(kind: .always, choices: [.keepWhileUsing], text: "")),
      to: .client(ClientID(number: 0)),
      at: Timestamp(microseconds: 0)
    )
    machine.delivered(prompt, to: "user:anna/a", sequence: nil, at: 0)
    #expect(quiet() == [], "the agent asks already")
    // Also when its program ended: the grant is the machine's to confirm.
    machine.left(Self.anna.name)
    #expect(machine.watchedClients == ["user:anna/a"])
  }

  /// A common number would tell a program of the others, whose sessions may follow from received beacons.
  @Test func `an account's sessions are counted by themselves`() throws {
    var machine = ServiceMachine()
    #expect(try machine.createSession(by: Self.unit, Self.options("a")).count == 1)
    let first = try machine.createSession(by: Self.anna, Self.options("a"))
    #expect(try machine.createSession(by: Self.unit, Self.options("a")).count == 2)
    let second = try machine.createSession(by: Self.anna, Self.options("a"))
    #expect((first.count, second.count) == (1, 2))
    let path = ServiceName.path(ofSession: second)
    #expect(ServiceName.session(at: path) == second)
    for odd in ["", "/", "/1", "x/1", "1/", "1/2/3", "4294967296/1"] {
      #expect(ServiceName.session(at: ServiceName.path + "/session/" + odd) == nil)
    }
  }

  @Test func `sessions have quotas for a connection, an account and in all`() throws {
    var machine = Self.machine {
      ($0.sessionsOfPeer, $0.sessionsOfAccount, $0.sessions) = (2, 3, 4)
      $0.leastOfAccount = 1
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
    // Another account has its first one all the same.
    let other = ServicePeer(name: ":1.10", uid: 1001, origin: .account("bert"))
    machine.identified(other)
    _ = try machine.createSession(by: other, Self.options("a"))
    #expect(throws: ServiceError.limitExceeded) {
      try machine.createSession(by: other, Self.options("a"))
    }
    machine.left(other.name)
    // What ended frees its place.
    machine.left(second.name)
    _ = try machine.createSession(by: Self.unit, Self.options("a"))
  }

  @Test func `streams are divided by account, until their descriptors are closed`() throws {
    var machine = Self.machine { ($0.streamsInAll, $0.streamsOfAccount) = (5, 3) }
    let bert = ServicePeer(name: ":1.9", uid: 1001, origin: .account("bert"))
    machine.identified(bert)
    var streams: [UInt32] = []
    var session = try machine.createSession(by: Self.anna, Self.options("a"))
    for _ in 0..<3 {
      streams.append(try machine.openStream(session: session, by: Self.anna).stream)
      // A program that does not read keeps the descriptor of a closed session.
      machine.close(session)
      session = try machine.createSession(by: Self.anna, Self.options("a"))
    }
    #expect(throws: ServiceError.noDescriptors(isOfAccount: true)) {
      try machine.openStream(session: session, by: Self.anna)
    }
    // A fifth of all is for accounts with few.
    let others = try machine.createSession(by: bert, Self.options("b"))
    _ = try machine.openStream(session: others, by: bert)
    _ = try machine.openStream(session: others, by: bert)
    let unit = try machine.createSession(by: Self.unit, Self.options("a"))
    #expect(throws: ServiceError.noDescriptors(isOfAccount: false)) {
      try machine.openStream(session: unit, by: Self.unit)
    }
    machine.ended(stream: streams[0])
    _ = try machine.openStream(session: unit, by: Self.unit)
  }

  @Test func `a low limit of open files allows fewer streams, without the reserve`() {
    var quotas = ServiceQuotas()
    quotas.fit(descriptors: ServiceQuotas.wantedDescriptors)
    #expect((quotas.streamsInAll, quotas.streamsOfAccount) == (640, 128))
    quotas.fit(descriptors: ServiceQuotas.leastDescriptors)
    #expect((quotas.streamsInAll, quotas.streamsOfAccount) == (64, 12))
  }

  /// dbus-daemon reads nothing more from a service of which 64 descriptors wait in it.
  @Test func `an account gets its next descriptor when it has taken those of before`() {
    var handover = StreamHandover()
    for stream in 1...4 as ClosedRange<UInt32> {
      #expect(handover.hasRoom(for: 7))
      handover.give(stream, to: ":1.\(stream % 2)", of: 7)
    }
    #expect(!handover.hasRoom(for: 7) && handover.hasRoom(for: 8))
    #expect(handover.drainQuestions() == [":1.0", ":1.1"])
    #expect(handover.drainQuestions().isEmpty)
    // A later descriptor needs another question.
    handover.answered(":1.0", hasTaken: false)
    #expect(!handover.hasRoom(for: 7))
    handover.answered(":1.1", hasTaken: true)
    #expect(handover.hasRoom(for: 7))
    handover.give(5, to: ":1.1", of: 7)
    handover.give(6, to: ":1.1", of: 7)
    #expect(!handover.hasRoom(for: 7))
    handover.ended(2)
    #expect(handover.hasRoom(for: 7))
    handover.left(":1.1")
    for account in 20..<60 as Range<UInt32> {
      for stream in 0..<4 as Range<UInt32> where handover.hasRoom(for: account) {
        handover.give(account * 10 + stream, to: ":1.\(account)", of: account)
      }
    }
    // Fewer than 64 in all, and one for an account without any.
    #expect(!handover.hasRoom(for: 20) && !handover.hasRoom(for: 99))
    handover.left(":1.59")
    handover.left(":1.20")
    #expect(handover.hasRoom(for: 99))
  }

  @Test func `of an account's warnings the first is shown and the others are counted`() {
    var limit = NoteLimit()
    let start = Uptime(nanoseconds: 0)
    func shows(_ client: String?, at second: Int64) -> Bool {
      limit.shows(ServiceNote(.storage, "x", client: client), at: start + .seconds(second))
    }
    func counted(at second: Int64) -> [String] {
      limit.due(at: start + .seconds(second)).map(\.text)
    }
    #expect(shows("user:anna/a", at: 0))
    for label in ["a", "b", "c"] { #expect(!shows("user:anna/\(label)", at: 0)) }
    #expect(shows("user:bert/a", at: 0))
    #expect(shows(nil, at: 0) && shows(nil, at: 0))
    #expect(counted(at: 9).isEmpty)
    let texts = counted(at: 10)
    #expect(texts == ["3 more messages about clients of user:anna of the kind 'storage'"])
    // They are counted while they last, and shown immediately after a pause.
    #expect(!shows("user:anna/a", at: 11))
    #expect(counted(at: 20).count == 1)
    #expect(counted(at: 30).isEmpty)
    #expect(shows("user:anna/a", at: 31))
    // Accounts are not an endless number of lines.
    let shown = (0..<100).count { shows("user:\($0)/a", at: 31) }
    #expect(shown == NoteLimit.most - 1)
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
    machine.changed(ClientReading(), of: "user:anna/a")
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
    machine.changed(ClientReading(), of: key)
    try machine.startMonitoring("hall", .uuid(1), Self.none, session: session, by: Self.anna)
    // What the engine knew when it did an earlier request.
    machine.changed(ClientReading(effective: .always), of: key)
    try machine.requestState("hall", session: session, by: Self.anna)
    // The engine refused the region.
    machine.did(.monitor(Region("hall", .uuid(1))), of: key)
    machine.changed(ClientReading(), of: key)
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
    let allowed = (0..<1000).count { _ in machine.admit(":1.1", at: 5) == .handled }
    #expect(allowed == 200)
    let other = machine.admit(":1.2", at: 5)
    #expect(other == .handled)
    let later = (0..<1000).count { _ in machine.admit(":1.1", at: 6) == .handled }
    #expect(later == 50)
  }

  /// Adds programs of an account.
  static func programs(_ count: Int, of uid: UInt32, _ machine: inout ServiceMachine) -> [String] {
    (0..<count).map { number in
      let name = ":\(uid).\(number)"
      machine.identified(ServicePeer(name: name, uid: uid, origin: .account("\(uid)")))
      return name
    }
  }

  /// Calls with some programs as often as they may at a time.
  static func handled(_ programs: [String], at now: Double, _ machine: inout ServiceMachine) -> Int
  {
    programs.reduce(0) { sum, program in
      var count = 0
      while machine.admit(program, at: now) == .handled { count += 1 }
      return sum + count
    }
  }

  @Test func `with many programs an account calls no more than its part, and takes no other's`() {
    var machine = Self.machine()
    let many = Self.programs(256, of: 2000, &machine)
    // Alone it has all.
    let flood = Self.handled(many, at: 5, &machine)
    #expect(flood == 4000)
    let other = Self.handled([Self.unit.name], at: 5, &machine)
    #expect(other == 200)
    let later = Self.handled(many, at: 6, &machine)
    #expect(later == 1000, "both had an equal part of the second")
  }

  @Test func `calls of a program before it was identified are its account's`() {
    var machine = Self.machine()
    for number in 0..<200 {
      let name = ":5.\(number)"
      for _ in 0..<32 { _ = machine.admit(name, at: 5) }
      machine.identified(ServicePeer(name: name, uid: 2000, origin: .account("b")))
    }
    let more = Self.handled(Self.programs(1, of: 2000, &machine), at: 5, &machine)
    #expect(more == 0)
    let other = machine.admit(Self.anna.name, at: 5)
    #expect(other == .handled)
  }

  @Test func `an account asks the engine for no more than it does`() throws {
    var machine = Self.machine { $0.openRequestsOfAccount = 3 }
    let session = try machine.createSession(by: Self.anna, Self.options("a"))
    for _ in 0..<3 {
      try machine.setForeground(true, session: session, by: Self.anna)
      machine.asked(of: "user:anna/a")
    }
    #expect(throws: ServiceError.limitExceeded) {
      try machine.setForeground(true, session: session, by: Self.anna)
    }
    #expect(throws: ServiceError.limitExceeded) {
      try machine.createSession(by: Self.anna, Self.options("b"))
    }
    _ = try machine.createSession(by: Self.unit, Self.options("a"))
    machine.did(of: "user:anna/a")
    try machine.setForeground(true, session: session, by: Self.anna)
  }

  // MARK: Programs that do not read

  /// A session that takes signals, of a client that the engine knows.
  static func signaled(_ machine: inout ServiceMachine) throws -> SessionNumber {
    let options = ServiceOptions(.properties(["label": .string("a"), "signals": .boolean(true)]))
    let session = try machine.createSession(by: anna, options)
    machine.changed(ClientReading(), of: "user:anna/a")
    _ = machine.drainActions()
    return session
  }

  static func tell(_ machine: inout ServiceMachine, at now: Double) -> [ServiceAction] {
    let event = Event.regionState("hall", .inside, .observed, .received)
    let client = ClientID(number: 0)
    let time = Timeline.start + TimeSpan(seconds: now)
    let delivery = Delivery(ofService: event, to: .client(client), at: time)
    machine.delivered(delivery, to: "user:anna/a", sequence: nil, at: now)
    return machine.drainActions()
  }

  /// The bus would hold a signal each second for eight hours, and then nothing more of anybody.
  @Test func `a program that never reads gets no further signals, however slowly they come`() throws
  {
    var machine = Self.machine()
    _ = try Self.signaled(&machine)
    var signals = 0
    var questions = 0
    for second in 0..<20_000 {
      for action in Self.tell(&machine, at: Double(second)) {
        if case .signal = action { signals += 1 }
        if case .findOutWhetherItReads = action { questions += 1 }
      }
    }
    #expect((100...1000).contains(signals))
    #expect(questions > 100)
    // Once it reads, it learns how much it missed.
    machine.reads(Self.anna.name, at: Timeline.start)
    let notices = machine.drainActions().count {
      if case .signal(_, _, "Notice", _) = $0 { true } else { false }
    }
    #expect(notices == 1)
    let next = Self.tell(&machine, at: 20_000)
    #expect(next.count == 1)
  }

  /// Row P9.
  @Test func `answers count, and a program that reads none gets no more`() {
    var machine = Self.machine()
    let handled = (0..<1000).count { second in
      let admission = machine.admit(":1.1", at: Double(second))
      if admission != .dropped { machine.budgets.sent(6000, to: ":1.1") }
      return admission != .dropped
    }
    #expect(handled == 22)
    let other = machine.admit(":1.2", at: 1000)
    #expect(other == .handled)
    machine.reads(":1.1", at: Timeline.start)
    let after = machine.admit(":1.1", at: 1001)
    #expect(after == .handled)
  }

  @Test func `a program that could not be asked whether it reads is asked with the next message`() {
    var machine = Self.machine()
    func asked(at now: Double) -> Bool {
      _ = machine.admit(":1.1", at: now)
      return machine.drainActions() == [.findOutWhetherItReads(":1.1")]
    }
    _ = machine.admit(":1.1", at: 0)
    machine.budgets.sent(20_000, to: ":1.1")
    let (first, second) = (asked(at: 1), asked(at: 2))
    #expect(first && !second)
    machine.budgets.asksLater(":1.1")
    let third = asked(at: 3)
    #expect(third)
  }

  @Test func `where only a sign of life shows that a program reads, a slow caller is answered`() {
    var machine = Self.machine()
    machine.budgets.onlySignsOfLife = true
    let handled = (0..<10_000).count {
      let admission = machine.admit(":1.1", at: Double($0))
      machine.budgets.sent(200, to: ":1.1")
      return admission == .handled
    }
    #expect(handled == 10_000)
  }

  @Test func `for all programs together little is held, and greedy accounts leave others a part`() {
    var machine = Self.machine()
    var programs: [String] = []
    for account in 0..<10 as Range<UInt32> {
      programs += Self.programs(256, of: 2000 + account, &machine)
    }
    for (number, program) in programs.enumerated() {
      // Slowly enough for the calls to be allowed.
      while machine.admit(program, at: Double(number)) == .handled {
        machine.budgets.sent(4000, to: program)
      }
    }
    #expect((40 << 20...68 << 20).contains(machine.budgets.unread))
    // Another account has its whole budget.
    var own = 0
    while machine.admit(Self.anna.name, at: 3000) == .handled {
      machine.budgets.sent(4000, to: Self.anna.name)
      own += 1
    }
    #expect(own == 33)
    // Who has left is forgotten.
    for program in programs + [Self.anna.name, Self.unit.name] { machine.left(program) }
    #expect(machine.budgets.count == 0)
    #expect(machine.budgets.unread == 0)
  }

  @Test
  func `an agent that is not there, or is there already, changes nothing when it comes or goes`()
    throws
  {
    var machine = Self.machine()
    _ = try Self.signaled(&machine)
    try machine.registerAgent("/agent", by: Self.unit)
    _ = machine.admit(Self.anna.name, at: 1)
    machine.budgets.sent(1 << 20, to: Self.anna.name)
    machine.changed(ClientReading(effective: .always), of: "user:anna/a")
    _ = machine.drainActions()
    // Whoever looked at the client's properties now would find out whether its program reads.
    _ = machine.admit(Self.unit.name, at: 100)
    _ = machine.drainActions()
    machine.unregisterAgent("/other", by: Self.unit)
    machine.unregisterAgent("/agent", by: Self.anna)
    try machine.registerAgent("/agent", by: Self.unit)
    let actions = machine.drainActions()
    #expect(actions == [])
  }

  @Test func `properties that changed while a program did not read come when it does`() throws {
    var machine = Self.machine()
    _ = try Self.signaled(&machine)
    _ = machine.admit(Self.anna.name, at: 1)
    machine.budgets.sent(1 << 20, to: Self.anna.name)
    machine.changed(ClientReading(effective: .always), of: "user:anna/a")
    let before = machine.drainActions()
    #expect(before == [.findOutWhetherItReads(Self.anna.name)])
    machine.reads(Self.anna.name, at: Timeline.start)
    let after = machine.drainActions().contains {
      if case .changed(_, _, let values) = $0 { values["Authorization"] != nil } else { false }
    }
    #expect(after)
  }
}

struct SessionLimitTests {
  static func limit(
    _ effective: EffectiveAuthorization,
    accuracy: AccuracyAuthorization = .full,
    inUse: Bool = true,
    lacks: Bool = false,
    agent: Bool = true,
    radio: SessionLimit.Radio = .listening
  ) -> SessionLimit {
    SessionLimit(
      effective,
      accuracy: accuracy,
      isInUse: inUse,
      lacksSession: lacks,
      hasAgent: agent,
      radio: radio
    )
  }

  /// Row P2.
  @Test func `the first limit in the written order counts`() {
    #expect(Self.limit(.notDetermined, inUse: false, agent: false, radio: .off) == .noAgent)
    #expect(Self.limit(.notDetermined, inUse: false, radio: .off) == .notDetermined)
    #expect(Self.limit(.denied, accuracy: .reduced, radio: .off) == .denied)
    #expect(Self.limit(.restricted, radio: .deaf) == .restricted)
    #expect(Self.limit(.servicesOff, accuracy: .reduced, radio: .off) == .reduced)
    #expect(Self.limit(.servicesOff, inUse: false, radio: .off) == .servicesOff)
    #expect(Self.limit(.whenInUse, inUse: false, radio: .off) == .notInUse)
    #expect(Self.limit(.provisionalAlways, inUse: false, radio: .off) == .notInUse)
    #expect(Self.limit(.whenInUse, radio: .off) == .radioOff)
    #expect(Self.limit(.always, inUse: false, lacks: true) == .serviceSessionRequired)
    #expect(Self.limit(.denied, lacks: true) == .denied)
    #expect(Self.limit(.always, inUse: false, radio: .deaf) == .radioDeaf)
    #expect(Self.limit(.always, inUse: false) == .none)
  }

  /// What `ListClients` reports of a client of which only the grants are known.
  private static func listed(_ grants: SavedAuthorization) -> [String: DBusValue] {
    guard
      case .array(_, let clients) = ServiceMachine().clientList(with: ["user:anna/later": grants]),
      case .structure(let members)? = clients.first, clients.count == 1,
      case .dictionary(_, let entries)? = members.last
    else { return [:] }
    var values: [String: DBusValue] = [:]
    for entry in entries {
      guard let name = entry.key.text, case .variant(let value) = entry.value else { continue }
      values[name] = value
    }
    return values
  }

  /// Row P2.
  @Test(arguments: SavedAuthorization.Grant.allCases)
  func `with services off every client reads denied, and services off is the reason`(
    _ grant: SavedAuthorization.Grant
  ) {
    for isRestricted in [false, true] {
      let grants = SavedAuthorization(grant: grant, servicesOn: false, isRestricted: isRestricted)
      let listed = Self.listed(grants)
      #expect(listed["Authorization"] == .string("denied"))
      #expect(listed["Limit"] == .string("servicesOff"))
      #expect(listed["Grant"] == .string(grant.rawValue))
    }
  }

  @Test func `the words are those of the interface`() {
    #expect(
      SessionLimit.allCases.map(\.rawValue) == [
        "", "noAgent", "notDetermined", "denied", "restricted", "reduced", "servicesOff",
        "serviceSessionRequired", "notInUse", "radioOff", "radioDeaf",
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

  @Test func `the object of a unit has its name as systemd escapes it`() {
    let start = "/org/freedesktop/systemd1/unit/"
    #expect(CallerOrigin.path(ofUnit: "guide@1.service") == start + "guide_401_2eservice")
    #expect(CallerOrigin.path(ofUnit: "7-a.service") == start + "_37_2da_2eservice")
  }

  @Test func `each account has its turns, and its calls are made one after the other`() {
    var turns = CallTurns<Int>()
    let first = (0..<40).map { turns.add($0, of: 1) }
    #expect(first.count { $0 == .now } == 4 && first.count { $0 == .later } == 32)
    #expect(turns.add(0, of: 2) == .now)
    #expect((0..<3).compactMap { _ in turns.ended(of: 1) } == [4, 5, 6])
    for number in 0..<29 { #expect(turns.ended(of: 1) == number + 7) }
    for _ in 0..<4 { #expect(turns.ended(of: 1) == nil) }
    #expect(turns.add(0, of: 1) == .now)
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

  /// Law L3.
  @Test(arguments: [(false, "1hKr"), (true, "1hK")])
  func `lines that a client may no longer get are dropped, but not a begun one`(
    _ regions: Bool,
    _ left: String
  ) {
    var queue = StreamQueue()
    let lines: [(String, StreamLine)] = [
      ("a1h", .tick("a")), ("b2", .tick("b")), ("K", .kept), ("r", .region), ("a3", .tick("a")),
    ]
    for (text, kind) in lines {
      let isKept = queue.put(Array(text.utf8), kind)
      #expect(isKept)
      if text == "a1h" { queue.wrote(1) }
    }
    queue.withdraw(regions: regions)
    let text = Self.text(&queue)
    #expect(text == left && queue.isEmpty)
    // The limits count only the remaining lines.
    for _ in 0..<StreamQueue.limit {
      let isKept = queue.put([1], .region)
      #expect(isKept)
    }
    queue.withdraw(regions: true)
    #expect(queue.isEmpty && !queue.isFull)
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
