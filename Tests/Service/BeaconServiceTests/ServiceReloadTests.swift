// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Testing

/// Row P12.
/// A configuration that is read again, and what the journal gets.
@Suite(.timeLimit(.minutes(2)))
struct ServiceReloadTests {
  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `another exit time holds at once, in the midst of a stay that goes on`() async throws {
    let bus = try PrivateBus()
    var configuration = Configuration()
    configuration.regions.exitTiming = .fixed(.seconds(100))
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      configuration: configuration
    )
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    try await program.grant("user:anna/guide", "always")
    try await program.wait(session, "Authorization", .string("authorizedAlways"))
    let stream = try await program.stream(session)
    try await program.own(
      session,
      "StartMonitoring",
      [.string("hall"), ServiceProgram.constraint, .properties([:])]
    )
    try await program.own(session, "StartRanging", [ServiceProgram.constraint])
    var timeline = Timeline()
    timeline.listening(from: 1, through: 60)
    try await service.push(timeline)
    try await service.push(ServiceBusTests.stay(from: 61, through: 70))
    _ = await stream.read { $0.contains("region.enter") }
    configuration.regions.exitTiming = .fixed(.seconds(7))
    configuration.authorization.utcOffset = .seconds(3600)
    service.host.reload(configuration)
    let note = await service.next { event in
      if case .note(let note) = event { note.kind == .reloaded } else { false }
    }
    guard case .note(let shown)? = note else { return }
    #expect(shown.text.contains("the times of authorization"))
    try await service.push(ServiceBusTests.stay(from: 71, through: 80))
    var silence = Timeline()
    silence.listening(from: 81, through: 400)
    try await service.push(silence)
    let lines = await stream.read { $0.contains("region.exit") }
    #expect(!lines.contains { $0.contains("\"unknown\"") && $0.contains("region.state") })
    // Ranging went on over the reload, and the beacon was never silent.
    #expect(lines.contains { $0.contains("\"type\":\"ranged\"") && $0.contains("\"minor\":1") })
    let exit = try #require(lines.last)
    #expect(exit.contains("\"threshold\":7,"), "\(exit)")
    #expect(exit.contains("\"sequence\":2"))
    try await service.stop()
  }

  @Test func `a note is a datagram of the journal, and its text adds no field`() {
    let note = ServiceNote(.unanswered, "one\nPRIORITY=0", client: "user:anna/guide")
    let bytes = JournalWriter.datagram(note)
    let length: [UInt8] = [14, 0, 0, 0, 0, 0, 0, 0]
    let expected =
      Array("MESSAGE\n".utf8) + length + Array("one\nPRIORITY=0\n".utf8)
      + Array("PRIORITY=5\nMESSAGE_ID=\(note.kind.messageID)\n".utf8)
      + Array("SYSLOG_IDENTIFIER=beacond\nBEACONS_EVENT=unanswered\n".utf8)
      + Array("BEACONS_CLIENT=user:anna/guide\n".utf8)
    #expect(bytes == expected)
  }

  @Test func `each kind has an identifier of its own, of 32 hexadecimal digits`() {
    let all = ServiceNote.Kind.allCases.map(\.messageID)
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }

  @Test func `the journal's socket gets a note, and a socket that is not there is no failure`()
    throws
  {
    let path = try ServiceFixture.makeFolder().appending(path: "journal").path
    let note = ServiceNote(.reloaded, "read again")
    #expect(!JournalWriter(path: path).write(note))
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      for (index, byte) in path.utf8.enumerated() { unsafe place[index] = byte }
    }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(status == 0)
    #expect(JournalWriter(path: path).write(note))
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(socket, &bytes, bytes.count, 0)
    #expect(Array(bytes.prefix(max(0, count))) == JournalWriter.datagram(note))
    // Without the journal behind standard error nothing goes to it.
    #expect(JournalWriter(environment: [:]).map { _ in 1 } == nil)
    #expect(JournalWriter(environment: ["JOURNAL_STREAM": "1:1"]).map { _ in 1 } == nil)
  }
}
