// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(2)))
struct ServiceBusTests {
  static let uuid = ServiceProgram.uuid

  /// Reports of the timeline's beacon on every second.
  static func stay(from first: Int, through last: Int) -> Timeline {
    var timeline = Timeline()
    for second in first...last { timeline.received(Timeline.beacon, at: Double(second) + 0.5) }
    return timeline
  }

  /// Row P3.
  @Test func `without an agent a program learns at once that nobody can be asked`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    try await program.own(session, "Request", [.string("whenInUse"), .properties([:])])
    #expect(try await program.property(session, "Limit") == .string("noAgent"))
    #expect(try await program.property(session, "Client") == .string("user:anna/guide"))
    #expect(try await program.property(session, "Verified") == .boolean(false))
    let note = await service.next { if case .note = $0 { true } else { false } }
    guard case .note(let shown)? = note else { return }
    #expect(shown.text.contains("beaconctl auth set whenInUse --client user:anna/guide"))
    try await service.stop()
  }

  @Test func `an agent is asked, its answer is the grant, and ticks come by the stream`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let (questions, asked) = AsyncStream<[DBusValue]>.makeStream()
    let agent = try await ServiceProgram(bus) { called in
      guard called.member == "Ask" else { return nil }
      asked.yield(called.arguments)
      return .values([])
    }
    try await agent.call(
      ServiceName.path,
      ServiceName.manager,
      "RegisterAgent",
      [.objectPath("/agent")]
    )
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    let stream = try await program.stream(session)
    try await program.own(session, "StartRanging", [ServiceProgram.constraint])
    try await program.own(session, "Request", [.string("whenInUse"), .properties([:])])
    var question: [DBusValue] = []
    for await arguments in questions {
      question = arguments
      break
    }
    #expect(question[1] == .string("user:anna/guide"))
    try await agent.call(
      ServiceName.path,
      ServiceName.manager,
      "Answer",
      [question[0], .string("whileUsing"), .boolean(true)]
    )
    try await program.wait(session, "Authorization", .string("authorizedWhenInUse"))
    try await service.push(Self.stay(from: 1, through: 4))
    let lines = await stream.read { $0.contains("\"minor\":1") }
    let last = lines.last ?? ""
    #expect(last.hasPrefix("{\"v\":1,\"type\":\"ranged\""))
    #expect(last.contains("\"client\":\"user:anna/guide\""))
    try await program.wait(session, "Limit", .string(""))
    try await service.stop()
  }

  /// A system bus allows a program 512 rules for signals.
  @Test func `programs that leave are forgotten, however many there are`() async throws {
    let bus = try PrivateBus(limits: ["max_match_rules_per_connection": 4])
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    for number in 0..<6 {
      let program = try await ServiceProgram(bus)
      _ = try await program.session("p\(number)")
      await program.program.thread.stop()
    }
    let healthy = try await ServiceProgram(bus)
    // All of them have left when no client has a session.
    while try await healthy.hasSessions() {}
    try await service.stop()
  }

  /// Row P9: the bus counts what a program has not read as the sender's, and then takes nothing more from the sender.
  @Test(arguments: [PrivateBus.Policy.everything, .system])
  func `programs that call and read no answer do not stop the service`(policy: PrivateBus.Policy)
    async throws
  {
    let bus = try PrivateBus(policy, limits: ["max_incoming_bytes": 2 << 20])
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let healthy = try await ServiceProgram(bus)
    let session = try await healthy.session("guide")
    var introspection = WireMessage(.call)
    introspection.destination = ServiceName.bus
    introspection.path = ServiceName.path
    (introspection.interface, introspection.member) = (BusName.introspectable, "Introspect")
    // 6 KB each: 15 MB in all.
    let deaf = try (0..<12).map { _ in try DeafProgram(bus) }
    for program in deaf { try program.call(introspection, times: 200) }
    for _ in 0..<50 { try await healthy.own(session, "SetForeground", [.boolean(true)]) }
    withExtendedLifetime(deaf) {}
    try await service.stop()
  }

  /// Row P6.
  @Test(arguments: [("denied", "full"), ("whenInUse", "reduced"), ("notDetermined", "full")])
  func `a limited client gets nothing that is derived from a beacon`(
    grant: String,
    accuracy: String
  )
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let limited = try await ServiceProgram(bus)
    let session = try await limited.session("spy", signals: true)
    let free = try await ServiceProgram(bus)
    let other = try await free.session("guide")
    try await free.grant("user:anna/guide", "always")
    try await free.wait(other, "Authorization", .string("authorizedAlways"))
    try await free.grant("user:anna/spy", grant, accuracy: accuracy)
    for (program, path) in [(limited, session), (free, other)] {
      try await program.own(path, "StartRanging", [ServiceProgram.constraint])
      try await program.own(
        path,
        "StartMonitoring",
        [.string("hall"), ServiceProgram.constraint, .properties([:])]
      )
    }
    let (lines, all) = (try await limited.stream(session), try await free.stream(other))
    try await service.push(Self.stay(from: 1, through: 8))
    let seen = await all.read { $0.contains("region.enter") || $0.contains("\"minor\":1") }
    #expect(!seen.isEmpty)
    // Core Location does not monitor for a client that is denied: then there is no such region.
    try? await limited.own(session, "RequestState", [.string("hall")])
    _ = try await limited.property(session, "Limit")
    try await service.stop()
    // The service has ended, and with it the stream: this is all that it ever sent.
    let told = await lines.read { _ in false }
    for line in told {
      #expect(!line.contains("\"minor\""), "\(line)")
      #expect(!line.contains("region.enter"), "\(line)")
      #expect(!line.contains("\"state\":\"inside\""), "\(line)")
    }
    await limited.program.thread.stop()
    while let event = await limited.program.next() {
      guard case .signal(_, let member, let values) = event else { continue }
      #expect(member != "Crossing", "\(values)")
      if member == "Ranged" { #expect(values.last == .array(of: "(sqqsdddnxu)", [])) }
      if member == "State" { #expect(values[2] == .string("unknown")) }
    }
  }

  /// Row P14.
  @Test func `a call with an option that the service does not know is refused by its name`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    let none = DBusValue.properties([:])
    let unknown = DBusValue.properties(["enterWithin": .double(3)])
    let bound = DBusValue.properties([
      "uuid": .string(ServiceProgram.uuid), "whileInside": .string("hall"),
      "enterWithin": .double(3),
    ])
    let hall = DBusValue.string("hall")
    let calls: [(path: String, interface: String, String, [DBusValue])] = [
      (ServiceName.path, ServiceName.manager, "CreateSession", [unknown]),
      (session, ServiceName.session, "Request", [.string("whenInUse"), unknown]),
      (session, ServiceName.session, "StartRanging", [bound]),
      (session, ServiceName.session, "StopRanging", [bound]),
      (session, ServiceName.session, "StartMonitoring", [hall, bound, none]),
      (
        session, ServiceName.session, "StartMonitoring", [hall, ServiceProgram.constraint, unknown]
      ),
      (session, ServiceName.session, "OpenStream", [unknown]),
      (
        ServiceName.path, ServiceName.admin, "SetGrant",
        [.string("user:anna/guide"), .string("always"), unknown]
      ),
    ]
    for (path, interface, member, arguments) in calls {
      do {
        try await program.call(path, interface, member, arguments)
        Issue.record("\(member) is not refused")
      } catch CallError.refused(let name, let message) {
        #expect(name == ServiceError.invalidOption.name, "\(member)")
        #expect(message.contains("'enterWithin'"), "\(member): \(message)")
      }
    }
    #expect(
      try await program.call(session, ServiceName.session, "ListRegions") == [
        .array(of: "(sa{sv}a{sv})", [])
      ]
    )
    try await service.stop()
  }

  /// Rows P4 and P8.
  @Test func `crossings are numbered, and those that were missed come again`() async throws {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let service = try await ServiceFixture(on: bus, in: folder)
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    try await program.grant("user:anna/guide", "always")
    try await program.wait(session, "Authorization", .string("authorizedAlways"))
    try await program.own(
      session,
      "StartMonitoring",
      [.string("hall"), ServiceProgram.constraint, .properties([:])]
    )
    let stream = try await program.stream(session)
    var timeline = Timeline()
    timeline.listening(from: 1, through: 60)
    try await service.push(timeline)
    try await service.push(Self.stay(from: 61, through: 70))
    let lines = await stream.read { $0.contains("region.enter") }
    #expect(lines.last?.contains("\"sequence\":1") == true, "\(lines)")
    // The program ends, and the client goes on: its exit is kept.
    try await program.own(session, "Close")
    var silence = Timeline()
    silence.listening(from: 71, through: 400)
    try await service.push(silence)
    try await service.push(Self.stay(from: 401, through: 405))
    let back = try await program.session("guide")
    try await program.own(back, "RequestState", [.string("hall")])
    var caught: [String] = []
    for _ in 0..<200 where !caught.contains(where: { $0.contains("\"sequence\":3") }) {
      let again = try await program.stream(back, since: 1)
      try await program.own(back, "RequestState", [.string("hall")])
      caught = await again.read { $0.contains("region.state") }
    }
    let crossings = caught.filter { $0.contains("\"sequence\"") }
    #expect(crossings.count == 2, "\(caught)")
    #expect(crossings.first?.contains("region.exit") == true)
    #expect(crossings.last?.contains("region.enter") == true)
    try await service.stop()
  }

  @Test func `a program that the bus cannot start at a crossing is reported with its answer`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    let options = DBusValue.properties([
      "label": .string("guide"), "wake": .string("org.example.Missing"),
    ])
    let created = try await program.call(
      ServiceName.path,
      ServiceName.manager,
      "CreateSession",
      [options]
    )
    let session = try #require(created.first?.text)
    try await program.grant("user:anna/guide", "always")
    try await program.wait(session, "Authorization", .string("authorizedAlways"))
    try await program.own(
      session,
      "StartMonitoring",
      [.string("hall"), ServiceProgram.constraint, .properties([:])]
    )
    try await program.own(session, "Close")
    var timeline = Timeline()
    timeline.listening(from: 1, through: 60)
    try await service.push(timeline)
    try await service.push(Self.stay(from: 61, through: 70))
    let event = await service.next {
      if case .note(let note) = $0 { note.kind == .refused } else { false }
    }
    guard case .note(let note)? = event else {
      Issue.record("nothing is reported")
      return
    }
    #expect(note.client == "user:anna/guide")
    #expect(note.text.contains("the bus does not start org.example.Missing"))
    #expect(note.text.contains("org.freedesktop.DBus.Error.ServiceUnknown"))
    try await service.stop()
  }

  @Test func `a restart in the midst of a stay tells no exit and goes on counting`() async throws {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let service = try await ServiceFixture(on: bus, in: folder)
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    try await program.grant("user:anna/guide", "always")
    try await program.wait(session, "Authorization", .string("authorizedAlways"))
    try await program.own(
      session,
      "StartMonitoring",
      [.string("hall"), ServiceProgram.constraint, .properties([:])]
    )
    let stream = try await program.stream(session)
    var timeline = Timeline()
    timeline.listening(from: 1, through: 60)
    try await service.push(timeline)
    try await service.push(Self.stay(from: 61, through: 70))
    _ = await stream.read { $0.contains("region.enter") }
    try await service.stop()

    let next = try await ServiceFixture(on: bus, in: folder, from: Timeline.start + .seconds(80))
    let again = try await ServiceProgram(bus)
    let back = try await again.session("guide")
    let lines = try await again.stream(back, since: 0)
    try await next.push(Self.stay(from: 81, through: 90))
    try await again.wait(back, "Limit", .string(""))
    try await again.own(back, "RequestState", [.string("hall")])
    var silence = Timeline()
    silence.listening(from: 91, through: 500)
    try await next.push(silence)
    let seen = await lines.read { $0.contains("region.exit") }
    let crossings = seen.filter { $0.contains("\"sequence\"") }
    // The entry of before, and the one exit when the beacon is really gone.
    #expect(crossings.count == 2, "\(seen)")
    #expect(crossings.first?.contains("\"sequence\":1") == true)
    #expect(crossings.last?.contains("\"sequence\":2") == true)
    try await next.stop()
  }

  /// Row P10.
  @Test func `a session is of one program, and administration is for administrators`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      administrates: false
    )
    let (owner, stranger) = (try await ServiceProgram(bus), try await ServiceProgram(bus))
    let session = try await owner.session("guide")
    await #expect(throws: CallError.self) { try await stranger.own(session, "Close") }
    await #expect(throws: CallError.self) { try await stranger.property(session, "Client") }
    let error = await #expect(throws: CallError.self) { try await stranger.admin("ListClients") }
    #expect(error?.name == ServiceName.domain + ".Error.NotAuthorized")
    // No polkit is on this bus, which is another reason than its answer.
    #expect(error.map { "\($0)".contains("polkit does not decide") } == true)
    await #expect(throws: CallError.self) {
      try await stranger.call(
        ServiceName.path,
        ServiceName.manager,
        "RegisterAgent",
        [.objectPath("/agent")]
      )
    }
    #expect(try await owner.property(session, "Client") == .string("user:anna/guide"))
    try await service.stop()
  }

  @Test func `floods are refused, and another program is served meanwhile`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let (hostile, healthy) = (try await ServiceProgram(bus), try await ServiceProgram(bus))
    let session = try await healthy.session("guide")
    let refused = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          do {
            for _ in 0..<20 { _ = try await hostile.session("label\(number)") }
            return false
          } catch {
            return (error as? CallError)?.name == ServiceName.domain + ".Error.LimitExceeded"
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(refused == 100)
    #expect(try await healthy.property(session, "Limit") == .string("noAgent"))
    try await service.stop()
  }

  @Test func `a grant that was laid down is used; one that others may write is not`() async throws {
    let bus = try PrivateBus()
    let grants = try ServiceFixture.makeFolder()
    func lay(_ name: String, _ client: String, _ mode: Int) throws {
      let path = grants.appending(path: name).path
      let text = "{ client: '\(client)', authorization: 'always' }"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    try lay("guide.json5", "user:anna/guide", 0o644)
    try lay("spy.json5", "user:anna/spy", 0o666)
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      grants: grants.path
    )
    let program = try await ServiceProgram(bus)
    let guide = try await program.session("guide")
    try await program.wait(guide, "Authorization", .string("authorizedAlways"))
    let spy = try await program.session("spy")
    #expect(try await program.property(spy, "Limit") == .string("noAgent"))
    try await service.stop()
  }
}
