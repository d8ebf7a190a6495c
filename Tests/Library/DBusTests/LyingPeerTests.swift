// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBus
import DBusTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LyingPeerTests {
  /// How many lies are sent; `BEACON_DBUS_LIES=1000000` for the long run.
  static let count: Int = {
    let environment = ProcessInfo.processInfo.environment
    let asked = environment["BEACON_DBUS_LIES"].flatMap { Int($0) }
    return asked ?? (environment["BEACON_QUICK"] == nil ? 10_000 : 2_000)
  }()
  static let seed: UInt64 = 4

  @Test func `malicious messages of every form are counted and ignored, and nothing traps`()
    async throws
  {
    let peer = try LyingPeer()
    let client = try BusProgram(
      peer.address,
      following: ["org.bluez"],
      accepting: "sa{sv}as",
      answersAnyone: false,
      reconnectsAfter: .zero
    )
    let sent = await Self.sendLies(to: peer)
    #expect(sent.values.reduce(0, +) == Self.count)

    func count(_ forms: Lie.Form...) -> Int { forms.reduce(0) { $0 + sent[$1, default: 0] } }
    let lost = Lie.Form.allCases.filter(\.endsConnection).reduce(0) { $0 + count($1) }
    // The last connection ended after all of its messages were handled.
    let counters = await client.counters { $0.lostConnections >= lost }
    #expect(counters.lostConnections == lost)
    #expect(counters.foreignSignals == count(.forgedSender, .noSender, .ownerByForger))
    #expect(
      counters.malformedSignals
        == count(.ownerOfOtherTypes, .deepVariants, .manyEmptyArrays, .otherTypes)
    )
    #expect(counters.strayAnswers == count(.strayAnswer, .strayError))
    #expect(counters.foreignCalls == count(.foreignCall))
    await client.thread.stop()

    for await event in client.events {
      switch event {
      case .signal: Issue.record("believed: \(event)")
      case .owner(_, let owner): #expect(owner == Lie.owner)
      case .connected, .failed: break
      }
    }
  }

  /// Sends all lies on a thread of its own, since the socket's calls block; returns how many of each form.
  static func sendLies(to peer: LyingPeer) async -> [Lie.Form: Int] {
    await withCheckedContinuation { waiter in
      Thread.detachNewThread {
        var random = SplitMix64(seed: seed)
        var sent: [Lie.Form: Int] = [:]
        var left = count
        while left > 0, let connection = peer.accept() {
          guard connection.awaits("GetNameOwner"),
            connection.send(matchAnswer + ownerAnswer)
          else { continue }
          var isOpen = true
          while isOpen, left > 0 {
            // The last one ends its connection, so that the test can wait for the end.
            let lie = left == 1 ? Lie(.truncated, &random) : Lie(&random)
            _ = connection.send(lie.bytes)
            sent[lie.form, default: 0] += 1
            left -= 1
            isOpen = !lie.form.endsConnection
          }
          connection.finish()
        }
        waiter.resume(returning: sent)
      }
    }
  }

  /// The bus's answer to the second message of the client, which subscribes to the changes of the owner.
  static let matchAnswer: [UInt8] = {
    var answer = WireMessage(.answer)
    answer.answering = 2
    answer.sender = "org.freedesktop.DBus"
    return answer.encoded()
  }()

  /// The bus's answer to the third message of the client: the owner of the followed name.
  static let ownerAnswer: [UInt8] = {
    var answer = WireMessage(.answer)
    answer.answering = 3
    answer.sender = "org.freedesktop.DBus"
    answer.signature = "s"
    var body = WireWriter()
    body.text(Lie.owner)
    answer.body = body.bytes
    return answer.encoded()
  }()
}
