// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import Testing

@testable import Beacons

/// The messages about a connection that comes and goes.
@Suite struct ConnectionNewsTests {
  private static func at(_ seconds: Double) -> Uptime {
    Uptime(nanoseconds: Int64(seconds * 1e9))
  }

  /// The items of a connection that is lost and made again, each half second.
  private static func flapping(
    for seconds: Int,
    _ fault: (Int) -> String
  ) -> [ConnectionNews<String>.Item] {
    var news = ConnectionNews<String>()
    return (0..<2 * seconds).compactMap { step in
      news.note(
        step % 2 == 0 ? .failed(fault(step)) : .connected,
        at: at(Double(step) / 2)
      )
    }
  }

  @Test func `a peer that comes and goes is shown once in ten seconds`() {
    #expect(Self.flapping(for: 9) { _ in "bytes" } == [.failed("bytes"), .connected])
    #expect(Self.flapping(for: 60) { _ in "bytes" }.count <= 12)
    // Other words are no other news.
    #expect(Self.flapping(for: 9) { "\($0)" } == [.failed("0"), .connected])
  }

  @Test func `a condition that stays is shown late, and only if the user does not know it`() {
    var news = ConnectionNews<String>()
    #expect(news.note(.failed("a"), at: Self.at(0)) == .failed("a"))
    #expect(news.note(.connected, at: Self.at(1)) == .connected)
    #expect(news.note(.failed("a"), at: Self.at(2)) == nil)
    #expect(news.due(at: Self.at(9.999)) == nil)
    #expect(news.due(at: Self.at(10)) == .failed("a"))
    #expect(news.due(at: Self.at(60)) == nil)
    #expect(news.note(.failed("b"), at: Self.at(61)) == .failed("b"))
    #expect(news.note(.failed("a"), at: Self.at(62)) == nil)
    #expect(news.note(.failed("b"), at: Self.at(63)) == nil)
    #expect(news.due(at: Self.at(90)) == nil)
  }

  @Test func `one that was never lost is not there again`() {
    var news = ConnectionNews<String>()
    news.noteKnown()
    #expect(news.note(.connected, at: Self.at(1)) == nil)
    #expect(news.note(.failed("a"), at: Self.at(2)) == .failed("a"))
    #expect(news.note(.connected, at: Self.at(2)) == .connected)
  }
}
