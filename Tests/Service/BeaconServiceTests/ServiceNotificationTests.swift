// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconService
import Beacons
import BeaconTesting
import DBus
import DBusTestSupport
import Testing

/// Notifications that the machine shows for clients of the service. Rows G23, C25, C26 and P16.
struct ServiceNotificationTests {
  static let anna = ServiceMachineTests.anna
  static let key = "user:anna/a"

  static func options(
    _ text: String = "Welcome",
    repeats: Bool = true,
    entry: Bool = true
  ) -> ServiceOptions {
    ServiceOptions(
      .properties([
        "text": .string(text), "repeats": .boolean(repeats), "entry": .boolean(entry),
      ])
    )
  }

  /// A machine with a client of the account anna that has Always, and its session.
  static func machine(
    _ change: (inout ServiceQuotas) -> Void = { _ in }
  ) throws -> (ServiceMachine, session: SessionNumber) {
    var machine = ServiceMachineTests.machine(change)
    let session = try machine.createSession(by: anna, ServiceMachineTests.options("a"))
    machine.changed(ClientReading(effective: .always, isInUse: true), of: key)
    _ = machine.drainActions()
    return (machine, session)
  }

  /// The questions to agents after the engine shows a notification of a region.
  static func shown(_ machine: inout ServiceMachine, _ region: RegionIdentifier) -> [AgentQuestion]
  {
    let delivery = Delivery(
      ofService: .notification(region),
      to: .client(ClientID(number: 0)),
      at: Timestamp(microseconds: 0)
    )
    machine.delivered(delivery, to: key, sequence: nil, at: 0)
    return asked(&machine)
  }

  static func asked(_ machine: inout ServiceMachine) -> [AgentQuestion] {
    machine.drainActions().compactMap { if case .ask(let question) = $0 { question } else { nil } }
  }

  @Test func `an agent shows the text of the request, and learns no region`() throws {
    var (machine, session) = try Self.machine()
    try machine.registerAgent("/agent", by: Self.anna)
    try machine.notify(
      "hall",
      .uuid(1),
      Self.options("Hi\n\u{1B}[2J"),
      session: session,
      by: Self.anna
    )
    let asked = Self.shown(&machine, "hall")
    #expect(asked.map(\.member) == ["Notify"])
    let arguments = try #require(asked.first?.arguments)
    #expect(arguments[1...2] == [.string(Self.key), .boolean(false)])
    #expect(arguments[3].text == "Hi\n\u{1B}[2J".printable && arguments.count == 4)
    // Another region has no notification.
    #expect(Self.shown(&machine, "desk") == [])
  }

  @Test func `names, texts and numbers of notifications have bounds`() throws {
    var (machine, session) = try Self.machine { ($0.regions, $0.textBytes) = (2, 8) }
    func notify(_ region: String, _ text: String = "Welcome", once: Bool = false) throws {
      let options = Self.options(text, repeats: !once)
      try machine.notify(region, .uuid(1), options, session: session, by: Self.anna)
    }
    #expect(throws: ServiceError.invalidRegion) { try notify("") }
    #expect(throws: ServiceError.invalidRegion) {
      try notify(String(repeating: "a", count: 256))
    }
    for text in ["", "123456789"] {
      #expect(throws: ServiceError.invalidOption) { try notify("hall", text) }
    }
    try notify("hall", once: true)
    try notify("desk")
    #expect(throws: ServiceError.limitExceeded) { try notify("door") }
    try notify("desk", "again")
    // That the first was shown does not free its place: a program that is not in use would learn it.
    #expect(Self.shown(&machine, "hall").isEmpty)
    #expect(throws: ServiceError.limitExceeded) { try notify("door") }
    #expect(throws: ServiceError.unknownRegion) {
      try machine.stopNotifying("door", session: session, by: Self.anna)
    }
    try machine.stopNotifying("hall", session: session, by: Self.anna)
    try notify("door")
    let unit = ServiceMachineTests.unit
    #expect(throws: ServiceError.notAuthorized) {
      try machine.notify("x", .uuid(1), Self.options(), session: session, by: unit)
    }
    #expect(throws: ServiceError.notAuthorized) {
      try machine.stopNotifying("desk", session: session, by: unit)
    }
  }

  /// A common number would show an agent when another account's client is notified, which follows from a beacon.
  @Test func `an agent's numbers are those of its account`() throws {
    var (machine, session) = try Self.machine()
    let other = ServicePeer(name: ":1.7", uid: 1001, origin: .account("bea"))
    try machine.registerAgent("/agent", by: other)
    try machine.registerAgent("/agent", by: Self.anna)
    let spy = try machine.createSession(by: other, ServiceMachineTests.options("spy"))
    machine.changed(ClientReading(effective: .always, isInUse: true), of: "user:bea/spy")
    try machine.notify("hall", .uuid(1), Self.options(), session: session, by: Self.anna)
    try machine.notify("own", .uuid(2), Self.options(), session: spy, by: other)
    _ = machine.drainActions()
    func own() -> UInt32? {
      let delivery = Delivery(
        ofService: .notification("own"),
        to: .client(ClientID(number: 1)),
        at: Timestamp(microseconds: 0)
      )
      machine.delivered(delivery, to: "user:bea/spy", sequence: nil, at: 0)
      return Self.asked(&machine).first { $0.agent == other.name }?.number
    }
    let before = try #require(own())
    for _ in 0..<3 { #expect(Self.shown(&machine, "hall").count == 1) }
    #expect(own() == before + 1)
    // The own number of another account's notification opens nothing.
    #expect(throws: ServiceError.unknownClient) {
      try machine.opened(before + 2, at: Timestamp(microseconds: 0), by: other)
    }
  }

  @Test func `a notification that is shown once is kept as shown`() throws {
    var (machine, session) = try Self.machine()
    try machine.registerAgent("/agent", by: Self.anna)
    let once = Self.options(repeats: false)
    try machine.notify("hall", .uuid(1), once, session: session, by: Self.anna)
    _ = machine.drainActions()
    let delivery = Delivery(
      ofService: .notification("hall"),
      to: .client(ClientID(number: 0)),
      at: Timestamp(microseconds: 0)
    )
    machine.delivered(delivery, to: Self.key, sequence: nil, at: 0)
    let kept = machine.drainActions().compactMap { action -> [Bool]? in
      if case .keepNotifications(_, let all) = action { all.map(\.isDone) } else { nil }
    }
    #expect(kept == [[true]])
    #expect(Self.shown(&machine, "hall") == [])
    // Asked for again, it is shown again.
    try machine.notify("hall", .uuid(1), once, session: session, by: Self.anna)
    #expect(Self.shown(&machine, "hall").count == 1)
  }

  @Test func `only the agent that shows a notification opens it, and once`() throws {
    var (machine, session) = try Self.machine()
    let other = ServicePeer(name: ":1.7", uid: 1000, origin: .account("anna"))
    try machine.registerAgent("/other", by: other)
    try machine.registerAgent("/agent", by: Self.anna)
    let second = try machine.createSession(
      by: other,
      ServiceMachineTests.options("a", foreground: false)
    )
    try machine.setForeground(false, session: session, by: Self.anna)
    try machine.notify("hall", .uuid(1), Self.options(), session: session, by: Self.anna)
    let number = try #require(Self.shown(&machine, "hall").first?.number)
    let now = Timestamp(microseconds: 5_300_000)
    for (peer, number) in [(other, number), (ServiceMachineTests.unit, number), (Self.anna, 99)] {
      #expect(throws: ServiceError.unknownClient) {
        try machine.opened(number, at: now, by: peer)
      }
    }
    #expect(throws: (any Error).self) {
      try machine.answer(number, "allow", precise: true, by: Self.anna)
    }
    #expect(machine.drainActions() == [])
    try machine.opened(number, at: now, by: Self.anna)
    // The newest session comes to the foreground, and only its program learns of the tap.
    #expect(
      machine.drainActions() == [
        .user(client: Self.key, .tapNotification(region: "hall")),
        .signal(
          session: second,
          owner: other.name,
          "Opened",
          [.int64(5_000_000), .string("hall")]
        ),
      ]
    )
    #expect(throws: ServiceError.unknownClient) {
      try machine.opened(number, at: now, by: Self.anna)
    }
    // It is there: a further statement of it changes nothing.
    try machine.setForeground(true, session: second, by: other)
    #expect(machine.drainActions() == [])
    // A question cannot be opened.
    let prompt = Delivery(
      ofService: .prompt(Prompt(kind: .whenInUse, choices: [.once], text: "")),
      to: .client(ClientID(number: 0)),
      at: now
    )
    machine.delivered(prompt, to: Self.key, sequence: nil, at: 0)
    let question = try #require(Self.asked(&machine).first)
    #expect(throws: ServiceError.unknownClient) {
      try machine.opened(question.number, at: now, by: Self.anna)
    }
  }

  @Test func `an agent shows its own account's notifications, an administrator's all`() throws {
    var (machine, session) = try Self.machine()
    let bert = ServicePeer(name: ":1.8", uid: 1001, origin: .account("bert"))
    try machine.registerAgent("/agent", by: bert)
    try machine.notify("hall", .uuid(1), Self.options(), session: session, by: Self.anna)
    #expect(Self.shown(&machine, "hall") == [])
    // It waits for an agent that may show it.
    let root = ServicePeer(name: ":1.3", uid: 0, origin: .account("root"), isAdministrator: true)
    try machine.registerAgent("/agent", by: root)
    #expect(Self.asked(&machine).map(\.agent) == [root.name])
    // One that cannot passes it on; one that ends does not: it was shown.
    let first = try #require(Self.shown(&machine, "hall").first)
    try machine.registerAgent("/agent", by: Self.anna)
    machine.agentFailed(first.number, root.name)
    #expect(Self.asked(&machine).map(\.agent) == [Self.anna.name])
    machine.unregisterAgent("/agent", by: Self.anna)
    #expect(Self.asked(&machine) == [])
    // Nor does it keep the agent from being idle (row A18).
    #expect(Self.shown(&machine, "hall").count == 1)
    let due = SavedAuthorization(grant: .provisionalAlways, confirmationDue: true)
    machine.changed(ClientReading(effective: .provisionalAlways, grants: due), of: Self.key)
    machine.askWhenQuiet()
    #expect(machine.drainActions().contains(.user(client: Self.key, .quiet)))
  }

  @Test(arguments: [
    ClientReading(effective: .denied), ClientReading(effective: .notDetermined),
    ClientReading(effective: .servicesOff), ClientReading(effective: .always, accuracy: .reduced),
    ClientReading(effective: .always, lacksSession: true),
  ])
  func `notifications that the grants no longer allow are taken back`(reading: ClientReading) throws
  {
    var (machine, session) = try Self.machine()
    try machine.notify("hall", .uuid(1), Self.options(), session: session, by: Self.anna)
    try machine.notify("desk", .uuid(1), Self.options(), session: session, by: Self.anna)
    #expect(Self.shown(&machine, "hall") == [])
    // Also of a client without a program: its grants are read while something is shown.
    machine.close(session)
    #expect(machine.watchedClients == [Self.key])
    machine.changed(reading, of: Self.key)
    try machine.registerAgent("/agent", by: Self.anna)
    #expect(Self.asked(&machine) == [], "it waited, and is no longer true")
    machine.changed(ClientReading(effective: .whenInUse), of: Self.key)
    let shown = try #require(Self.shown(&machine, "desk").first)
    machine.changed(reading, of: Self.key)
    #expect(
      machine.drainActions().contains(
        .cancel(agent: Self.anna.name, path: "/agent", question: shown.number)
      )
    )
    #expect(throws: ServiceError.unknownClient) {
      try machine.opened(shown.number, at: Timestamp(microseconds: 0), by: Self.anna)
    }
  }

  @Test func `a region has one notification at a time, an account a limited number`() throws {
    var (machine, session) = try Self.machine { $0.notificationsOfAccount = 2 }
    try machine.registerAgent("/agent", by: Self.anna)
    var numbers: [UInt32] = []
    for region in ["a", "b", "c"] {
      try machine.notify(region, .uuid(1), Self.options(), session: session, by: Self.anna)
      numbers += Self.shown(&machine, RegionIdentifier(region)).map(\.number)
    }
    let again = try #require(Self.shown(&machine, "c").first).number
    for gone in [numbers[0], numbers[2]] {
      #expect(throws: ServiceError.unknownClient) {
        try machine.opened(gone, at: Timestamp(microseconds: 0), by: Self.anna)
      }
    }
    for there in [numbers[1], again] {
      try machine.opened(there, at: Timestamp(microseconds: 0), by: Self.anna)
    }
  }

  @Test func `a tap starts the program of a client, which learns of it with its stream`() throws {
    var machine = ServiceMachineTests.machine()
    machine.known(client: Self.key, uid: 1000, wake: "org.example.Guide")
    machine.changed(ClientReading(effective: .whenInUse), of: Self.key)
    let first = try machine.createSession(by: Self.anna, ServiceMachineTests.options("a"))
    try machine.registerAgent("/agent", by: Self.anna)
    try machine.notify("hall", .uuid(1), Self.options(), session: first, by: Self.anna)
    machine.close(first)
    let number = try #require(Self.shown(&machine, "hall").first?.number)
    try machine.opened(number, at: Timestamp(microseconds: 0), by: Self.anna)
    #expect(machine.drainActions() == [.wake("org.example.Guide", client: Self.key)])
    let session = try machine.createSession(by: Self.anna, ServiceMachineTests.options("a"))
    func signals() throws -> [ServiceAction] {
      _ = try machine.openStream(
        session: session,
        at: Timestamp(microseconds: 7_300_000),
        by: Self.anna
      )
      return machine.drainActions().filter { if case .signal = $0 { true } else { false } }
    }
    let opened = ServiceAction.signal(
      session: session,
      owner: Self.anna.name,
      "Opened",
      [.int64(7_000_000), .string("hall")]
    )
    #expect(try signals() == [opened])
    #expect(try signals() == [])
  }

  /// Row C25.
  @Test func `a stream has no line of a notification, and counts it`() {
    var table = StreamTable()
    let stream = RequestLine.Stream(number: 1, constraints: [], goals: [:])
    _ = table.update([1: (Self.key, stream)])
    let shown = Delivery(
      ofService: .notification("hall"),
      to: .client(ClientID(number: 0)),
      at: Timestamp(microseconds: 0)
    )
    table.deliver(shown, to: Self.key, sequence: nil) { _, _ in Issue.record("a line") }
    // A repetition of the recording counts the same deliveries.
    let end = table.update([:]).first?.content
    #expect(end == .streamEnd(number: 1, after: 1))
  }
}
