// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import DBus
import DBusTestSupport
import Testing

extension ServiceBusTests {
  private static func listening(from first: Int, through last: Int) -> Timeline {
    var timeline = Timeline()
    timeline.listening(from: first, through: last)
    return timeline
  }

  /// Rows A2, A4, A15, A18 and A19, with an agent that asks a user.
  @Test func `Always is asked for a second time when its agent is idle`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let (questions, asked) = AsyncStream<[DBusValue]>.makeStream()
    let agent = try await ServiceProgram(bus) { called in
      guard called.member == "Ask" else { return nil }
      asked.yield(called.arguments)
      return .values([])
    }
    func answer(_ kind: String, _ choice: String) async throws {
      for await question in questions {
        #expect(question[3] == .string(kind))
        try await agent.call(
          ServiceName.path,
          ServiceName.manager,
          "Answer",
          [question[0], .string(choice), .boolean(true)]
        )
        return
      }
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
    try await program.own(session, "Request", [.string("always"), .properties([:])])
    try await answer("whenInUse", "whileUsing")
    try await program.wait(session, "Authorization", .string("authorizedAlways"))
    try await program.own(
      session,
      "StartMonitoring",
      [.string("hall"), ServiceProgram.constraint, .properties([:])]
    )
    try await service.push(Self.listening(from: 1, through: 15))
    _ = await stream.read { $0.contains("\"outside\"") }
    try await program.own(session, "SetForeground", [.boolean(false)])
    try await service.push(Self.listening(from: 16, through: 30))
    try await program.wait(session, "Limit", .string("notInUse"))
    try await service.push(Self.stay(from: 31, through: 40))
    // Without a request: the held enter brings the prompt, and its answer the enter.
    try await answer("always", "changeToAlways")
    let lines = await stream.read { $0.contains("\"inside\"") }
    #expect(lines.contains { $0.contains("region.enter") })
    try await service.stop()
  }
}
